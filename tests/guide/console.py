"""Commands of a page, run without a shell: halfseen in this process, others beside it."""

from __future__ import annotations

import re
import shlex
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import click
from click.testing import CliRunner

from halfseen.cli.main import root

_ASSIGNMENT = re.compile(r"[A-Z_]+=\S*")
_ASKS_FOR_CODE = "echo $?"


@dataclass(frozen=True)
class Command:
    """One command of a console snippet, and what the page shows below it.

    Attributes
    ----------
    words : str
        The command as it is typed.
    shown : str
        What the page says that it prints; empty if the page does not say.
    code : int
        The exit code: 0, unless the next line of the page asks for it.
    """

    words: str
    shown: str
    code: int = 0


@dataclass(frozen=True)
class Ended:
    """What a command printed, and how it ended."""

    printed: str
    code: int


def commands_of(content: str) -> list[Command]:
    """The commands of a console snippet; ``echo $?`` belongs to the one before it."""
    parts = re.split(r"^\$ ", content, flags=re.MULTILINE)
    assert not parts[0].strip(), f"a console snippet begins with a command, not {parts[0]!r}"
    commands: list[Command] = []
    for part in parts[1:]:
        words, _, shown = part.replace("\\\n", " ").partition("\n")
        if words.strip() == _ASKS_FOR_CODE:
            before = commands.pop()
            commands.append(Command(before.words, before.shown, int(shown)))
        else:
            commands.append(Command(words.strip(), shown))
    return commands


def run_command(words: str) -> Ended:
    """Run one command: stages with bars between them, the last perhaps into a file."""
    lexer = shlex.shlex(words, posix=True, punctuation_chars="|>")
    lexer.whitespace_split = True
    stages: list[list[str]] = [[]]
    for word in lexer:
        if word == "|":
            stages.append([])
        else:
            stages[-1].append(word)
    into = None
    if ">" in stages[-1]:
        *stages[-1], _, into = stages[-1]
    passed, said, printed, code = b"", "", "", 0
    for stage in stages:
        before = said
        ended = _run_stage(stage, passed)
        passed, said = ended.passed, before + ended.said
        printed, code = before + ended.printed, code or ended.code
    if into is not None:
        Path(into).write_bytes(passed)
        printed = said
    return Ended(printed, code)


@contextmanager
def start_service(words: str) -> Iterator[None]:
    """Run ``halfseen serve`` beside the page, from when it answers to the end of the page."""
    program, *given = shlex.split(words.removesuffix("&"))
    assert program == "halfseen", words
    assert "serve" in given, words
    port = int(given[given.index("--port") + 1])
    process = subprocess.Popen([sys.executable, "-m", "halfseen", *given, "--quiet"])
    try:
        for _ in range(600):
            with socket.socket() as found:
                if found.connect_ex(("127.0.0.1", port)) == 0:
                    break
            assert process.poll() is None, f"{words} ended"
            time.sleep(0.2)
        yield
    finally:
        process.terminate()
        process.wait()


def check_options(content: str, place: str) -> None:
    """Refuse options that a command does not have, in commands that are not run."""
    for line in content.splitlines():
        if not line.startswith("halfseen "):
            continue
        words = shlex.split(line, comments=True)
        command: click.Command = root
        rest = words[1:]
        while isinstance(command, click.Group) and rest and not rest[0].startswith("-"):
            context = click.Context(command)
            found = command.get_command(context, rest[0])
            assert found is not None, f"{place}: there is no command {rest[0]!r}"
            command, rest = found, rest[1:]
        if "COMMAND" in rest:
            continue
        try:
            command.make_parser(click.Context(command)).parse_args(rest)
        except click.UsageError as error:
            raise AssertionError(f"{place}: {line}: {error.message}") from error


@dataclass(frozen=True)
class _Stage:
    """How one stage ended: what it passed on, what it said by the way, and both as one reads."""

    code: int
    passed: bytes
    said: str
    printed: str


def _run_stage(stage: list[str], given: bytes) -> _Stage:
    variables: dict[str, str] = {}
    while _ASSIGNMENT.fullmatch(stage[0]):
        name, _, value = stage[0].partition("=")
        variables[name], stage = value, stage[1:]
    if stage[0] != "halfseen":
        done = subprocess.run(stage, input=given, capture_output=True, check=True)
        said = done.stderr.decode()
        return _Stage(done.returncode, done.stdout, said, said + done.stdout.decode())
    result = CliRunner().invoke(root, stage[1:], input=given, env=variables)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return _Stage(result.exit_code, result.stdout_bytes, result.stderr, result.output)
