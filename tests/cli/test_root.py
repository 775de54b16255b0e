"""The help, its speed, and the table of commands."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest
from click.testing import CliRunner

from cli.conftest import Run
from halfseen import __version__
from halfseen.cli.root import root
from halfseen.cli.subcommands import SUBCOMMANDS

# The package itself is stood in for, so that only what the command line imports is seen.
LIGHT = """
import sys, types, halfseen_path
package = types.ModuleType("halfseen")
package.__path__ = [halfseen_path.PATH]
sys.modules["halfseen"] = package
from halfseen.cli import main
try:
    main(sys.argv[1:])
except SystemExit:
    pass
heavy = {"jax", "sklearn", "pyarrow", "scipy", "pandas", "halfseen.estimators"} & set(sys.modules)
assert not heavy, heavy
"""


def test_the_help_tells_the_way_the_commands_and_the_exit_codes(run: Run) -> None:
    shown = run("--help").stdout
    for name, _, summary in SUBCOMMANDS:
        assert f"\n  {name}" in shown
        assert summary in shown
    assert "halfseen fit      devices.csv --labels 'threat_*'" in shown
    assert "130  stopped by Ctrl-C" in shown
    assert all(f"\n  {code}  " in shown for code in range(5))


def test_every_command_explains_itself_by_examples(run: Run) -> None:
    for name, _, _ in SUBCOMMANDS:
        shown = run(name, "--help").stdout
        assert f"halfseen {name} " in shown, name
        assert "Examples:" in shown, name
        for option in ("--quiet", "--json", "--seed"):
            assert option in shown, (name, option)


def test_version_and_no_words_at_all() -> None:
    assert CliRunner().invoke(root, ["--version"]).stdout == f"halfseen {__version__}\n"
    assert "Usage: halfseen" in CliRunner().invoke(root, []).output


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["ft"], "Did you mean 'fit'?"),
        (["fit"], "Missing argument 'FILE'"),
        (["fit", "a.csv", "--lables", "x"], "--labels"),
        (["fit", "a.csv", "--seed", "-1"], "--seed"),
        (["complete", "a.csv", "m", "--level", "1"], "--level"),
    ],
)
def test_what_cannot_be_followed(run: Run, words: list[str], said: str) -> None:
    result = run(*words)
    assert result.exit_code == 2
    assert said in result.stderr


def test_help_imports_nothing_heavy_and_is_quick() -> None:
    import halfseen

    path = halfseen.__path__[0]
    code = LIGHT.replace("halfseen_path.PATH", repr(path)).replace(", halfseen_path", "")
    for words in (["--help"], ["fit", "--help"], ["--version"]):
        started = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-c", code, *words], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout
        assert time.perf_counter() - started < 5  # half a second on a machine that is not busy
