"""Exit codes, streams, interrupts, and what the system refuses; in this process and in others."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import click
import pytest

from cli.conftest import TINY, invoke
from halfseen.cli.console import EXIT_CODES, Console, ExitCode
from halfseen.cli.main import COMMANDS, problem_of, root


def process(*words: Any, **options: Any) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "halfseen", *map(str, words)]
    return subprocess.run(command, capture_output=True, check=False, **options)


def test_help_teaches_by_examples() -> None:
    shown = invoke("--help").stdout
    for name in COMMANDS:
        assert f"\n  {name} " in shown
        of_command = invoke(name, "--help").stdout
        assert f"  halfseen {name}" in of_command
        assert "Examples:" in of_command
    for code, meaning in EXIT_CODES.items():
        assert f"\n  {int(code)} " in shown
        assert meaning.split()[0] in shown
    assert invoke("--version").stdout.startswith("halfseen ")
    assert "Did you mean 'complete'?" in invoke("complet", code=2).stderr


def test_help_is_light() -> None:
    program = (
        "import sys; from halfseen.cli.main import root; root(['--help'], standalone_mode=False); "
        "assert not {'jax', 'sklearn', 'pyarrow', 'numpy'} - {'numpy'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["complete", "nowhere.csv", "MODEL"], 1, "no such file"),
        (["complete", "a.csv", "nowhere.safetensors"], 1, "cannot be read"),
        (["complete", "a.csv", "a.csv"], 1, "is not a halfseen"),
        (["complete", "a.csv", "MODEL", "-o", "a.csv"], 2, "is read, and would be replaced"),
        (["complete", "a.csv", "MODEL", "-o", "MODEL"], 2, "is read, and would be replaced"),
        (
            ["complete", "a.csv", "MODEL", "-o", "b.csv", "--uncertainty", "./b.csv"],
            2,
            "Two results",
        ),
        (
            ["complete", "a.csv", "MODEL", "-o", "-", "--json"],
            2,
            "Two results would go to standard",
        ),
        (["predict", "a.csv", "MODEL", "-o", "nowhere/b.csv"], 2, "no folder 'nowhere'"),
        (["predict", "a.csv", "MODEL", "-o", "b.xlsx"], 3, "read, not written"),
        (["predict", "a.csv", "MODEL", "--coverage", "1.5"], 2, "--coverage"),
        (["predict", "a.csv", "MODEL", "--allow-missing-columns"], 2, "No such option"),
        (["fit", "a.csv", "--format", "xml"], 2, "--format"),
        (["inspect", "."], 1, "this is a folder"),
        (["fit", "a.csv", "-l", "grade", "-o", "."], 3, "this is a folder"),
        (["fit", "a.csv", "-l", "grade", "-o", "-"], 2, "cannot go to standard output"),
        (["report", "MODEL", "-o", "-"], 2, "cannot go to standard output"),
        (["inspect", "/dev/zero"], 1, "this is a device"),
        (["nothing"], 2, "no command 'nothing'"),
        (["serve", "nowhere.safetensors"], 1, "no model file 'nowhere.safetensors'"),
    ],
)
def test_exit_codes(
    words: list[str], code: int, message: str, labels: str, table: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(table.parent)
    before = table.read_bytes()
    given = [labels if word == "MODEL" else word for word in words]
    result = invoke(*given, code=code)
    assert message in " ".join(result.stderr.split())
    assert table.read_bytes() == before
    assert [path.name for path in table.parent.iterdir()] == ["a.csv"]


def test_a_read_only_folder(table: Path, labels: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> Any:
        raise OSError(errno.EROFS, "Read-only file system", "b.csv")

    monkeypatch.setattr("halfseen.files.writing.replace_atomically", refuse)
    result = invoke("complete", table, labels, "-o", table.with_name("b.csv"), code=3)
    assert result.stderr.count("\n") == 1
    assert "the file system is read-only" in result.stderr


def test_a_full_disk(table: Path, labels: str) -> None:
    for words in (["complete", table, labels, "-o"], ["predict", table, labels, "-o"]):
        result = invoke(*words, "/dev/full", code=3)
        assert "the disk is full" in result.stderr
    result = invoke("fit", table, "-l", "grade", *TINY, "-o", "/dev/full", code=3)
    assert "/dev/full" in result.stderr


def test_deep_nesting(tmp_path: Path) -> None:
    plan = tmp_path / "deep.toml"
    plan.write_text(f"a = {'[' * 5000}{']' * 5000}")
    result = invoke("experiment", "run", plan, code=1)
    assert f"{plan} is not TOML" in result.stderr


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (RuntimeError("odd"), ExitCode.INTERNAL),
        (RecursionError("deep"), ExitCode.INTERNAL),
        (MemoryError(), ExitCode.BAD_INPUT),
        (ValueError("Column 'age' holds 'old' in row 7."), ExitCode.BAD_INPUT),
        (OSError(errno.ENOSPC, "No space left on device", "x"), ExitCode.CANNOT_WRITE),
        (BrokenPipeError(errno.EPIPE, "Broken pipe"), ExitCode.CANNOT_WRITE),
        (ModuleNotFoundError("No module", name="matplotlib"), ExitCode.BAD_USAGE),
        (KeyboardInterrupt(), ExitCode.INTERRUPTED),
    ],
)
def test_every_error_is_a_sentence(
    error: BaseException, code: ExitCode, monkeypatch: pytest.MonkeyPatch
) -> None:
    @click.command("broken")
    def broken() -> None:
        raise error

    monkeypatch.setattr(root, "get_command", lambda *_: broken)
    result = invoke("broken", code=code)
    assert result.stderr.count("\n") == 1
    if code == ExitCode.INTERNAL:
        assert "--debug" in result.stderr
        assert "RuntimeError: odd" in problem_of(RuntimeError("odd")).message


def test_debug_shows_the_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    @click.command("broken")
    def broken() -> None:
        raise RuntimeError("odd")

    monkeypatch.setattr(root, "get_command", lambda *_: broken)
    from click.testing import CliRunner

    result = CliRunner().invoke(root, ["--debug", "broken"])
    assert "Traceback" in result.stderr
    assert result.exit_code == ExitCode.INTERNAL


def test_json_is_all_there_is_on_standard_output(labels: str, table: Path) -> None:
    """Even if a library in C writes to it."""
    program = (
        "import os, sys\n"
        "from halfseen.cli.main import main\n"
        "import halfseen.cli.tables as tables\n"
        "def load(path, own=tables.load_model):\n"
        "    os.write(1, b'** On entry to DPOTRI ... illegal value')\n"
        "    return own(path)\n"
        "tables.load_model = load\n"
        f"main(['predict', {str(table)!r}, {labels!r}, '--json'])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert json.loads(done.stdout)["rows"] == 240
    assert b"DPOTRI" in done.stderr


def test_a_reader_that_goes_away(labels: str) -> None:
    command = f"{sys.executable} -m halfseen sample {labels} -n 20000"
    program = f"{command} | head -n 1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", program], capture_output=True, check=True, timeout=120)
    header, code = done.stdout.decode().split()
    assert header.startswith("size,visits")
    assert code == "3"
    assert done.stderr.decode().count("\n") == 1
    assert "closed by its reader" in done.stderr.decode()


def test_readers_of_both_streams_that_go_away(table: Path, labels: str) -> None:
    command = f"{sys.executable} -m halfseen complete - {labels} --format csv < {table}"
    program = f"({command}; echo $? > {table}.code) 2>&1 | true"
    subprocess.run(["bash", "-c", program], check=True)
    assert Path(f"{table}.code").read_text() == "3\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("word", ["--version", "--help"])
def test_help_that_cannot_be_written(word: str) -> None:
    command = [sys.executable, "-m", "halfseen", word]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == ExitCode.CANNOT_WRITE
    assert "Traceback" not in done.stderr
    assert "No space left" in done.stderr


def test_a_reader_of_text_that_goes_away(table: Path) -> None:
    command = f"{sys.executable} -m halfseen inspect {table} | true; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=True)
    assert done.stdout.decode().split() == ["3"]
    assert "closed by its reader" in done.stderr.decode()


def test_closed_streams(labels: str) -> None:
    for closed in ("<&-", ">&-"):
        command = f"{sys.executable} -m halfseen sample {labels} -n 3 {closed}"
        done = subprocess.run(["bash", "-c", command], capture_output=True, check=False)
        assert b"Traceback" not in done.stderr


def test_ctrl_c_while_filling(labels: str, table: Path) -> None:
    lines = table.read_text().splitlines(keepends=True)
    table.write_text("".join([lines[0], *lines[1:] * 400]))
    command = [sys.executable, "-m", "halfseen", "complete", str(table), labels]
    started = subprocess.Popen(command, stderr=subprocess.PIPE)
    while not any(part.stat().st_size for part in table.parent.glob(".part-*")):
        assert started.poll() is None
        time.sleep(0.05)
    started.send_signal(signal.SIGINT)
    _, said = started.communicate(timeout=60)
    assert started.returncode == 130
    assert said.decode() == "Stopped by Ctrl-C.\n"
    assert os.listdir(table.parent) == ["a.csv"]


def test_ctrl_c_while_fitting_keeps_the_model_so_far(table: Path) -> None:
    command = [sys.executable, "-m", "halfseen", "fit", str(table), "-l", "grade", "--model", "rbm",
               "--set", "n_iter=1000000", "--set", "verbose=1"]  # fmt: skip
    started = subprocess.Popen(command, stderr=subprocess.PIPE)
    assert started.stderr is not None
    while b"Iteration 5 " not in started.stderr.readline():
        assert started.poll() is None
    started.send_signal(signal.SIGINT)
    _, said = started.communicate(timeout=60)
    assert started.returncode == 130
    assert "holds the model trained so far" in said.decode()
    invoke("complete", table, table.with_suffix(".safetensors"), "-q")


def test_an_interrupt_that_got_lost_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    from halfseen.cli.console import Interrupts

    @click.command("deaf")
    def deaf() -> None:
        with Console(quiet=True).progress("Working") as advance:
            Interrupts.pressed = True
            advance()

    monkeypatch.setattr(root, "get_command", lambda *_: deaf)
    try:
        assert "Stopped by Ctrl-C." in invoke("deaf", code=130).stderr
    finally:
        Interrupts.pressed = False


def test_progress_is_shown_on_a_terminal_only(table: Path, labels: str) -> None:
    done = process("complete", table, labels)
    assert b"\x1b" not in done.stderr
    assert b"\r" not in done.stderr
    assert done.returncode == 0
