from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

import halfseen.demo.__main__ as command
from halfseen.demo.__main__ import main
from halfseen.demo.hidden_digits import hide_digits

ROWS = slice(20, 170)


def test_runs_end_to_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib", reason="the picture is drawn by matplotlib")
    folder = tmp_path / "new" / "folder"
    arguments = ["--output", str(folder), "--seed", "5"]
    assert main(arguments, rows=ROWS, n_epochs=2) == 0
    assert [file.name for file in folder.iterdir()] == ["digits.png"]
    assert (folder / "digits.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    printed = capsys.readouterr()
    assert printed.out.endswith(f"The picture is in {folder / 'digits.png'}\n")
    n_hidden = (~hide_digits(ROWS, 0.5, seed=5).observed_pixels).sum()
    assert f"{n_hidden} of 9600 pixels" in printed.out
    assert "Warning" not in printed.out + printed.err


def test_help_teaches(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["--help"])
    assert end.value.code == 0
    text = " ".join(capsys.readouterr().out.split())
    for words in ("--output FOLDER", "--seed", "demo_output", "halfseen[report]", "50 % and 80 %"):
        assert words in text


@pytest.mark.parametrize("seed", ["-1", "1.5", "many", str(2**32)])
def test_seed_that_is_none(seed: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main([f"--seed={seed}"])
    assert end.value.code == 2
    assert "is not a whole number from 0 to 4294967295" in capsys.readouterr().err


def test_folder_that_is_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "taken").write_text("")
    with pytest.raises(SystemExit) as end:
        main(["--output", str(tmp_path / "taken")])
    assert end.value.code == 2
    assert "cannot make the folder" in capsys.readouterr().err


def test_interruption_is_no_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "demonstrate", interrupted)
    assert main(["--output", str(tmp_path)]) == 130
    assert capsys.readouterr().err == "\nStopped.\n"


_DEAF_DEMO = """
import runpy, time
import halfseen.demo.demonstration as demonstration

class Deaf:
    def __del__(self):  # an exception raised here is lost
        print("ready", flush=True)
        time.sleep(30)

demonstration.demonstrate = lambda *_, **__: Deaf() and None
runpy.run_module("halfseen.demo", run_name="__main__", alter_sys=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT to send")
@pytest.mark.parametrize(
    ("command_line", "first_words"),
    [(["-m", "halfseen.demo"], "1777 digits"), (["-c", _DEAF_DEMO], "ready")],
    ids=["demo", "deaf callback"],
)
def test_process_ends_at_once_and_says_so(
    tmp_path: Path, command_line: list[str], first_words: str
) -> None:
    with subprocess.Popen(
        [sys.executable, *command_line, "--output", str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert first_words in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert errors.endswith("\nStopped.\n")
    assert "Traceback" not in errors
