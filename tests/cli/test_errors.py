"""Where errors end: one line, a hint, an exit code, and no traceback on the screen."""

from __future__ import annotations

import os
import re
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import click
import pytest
from click.testing import CliRunner

from witnessmark import __version__
from witnessmark.adapters.places import state_directory
from witnessmark.cli.main import COMMANDS, EXIT_INTERRUPTED, EXIT_PIPE_CLOSED, LazyGroup, cli
from witnessmark.errors import OurError, StoreFull, UsageError

SECRET = "canary-7f3a"
GOOD = Path(__file__).parent.parent / "data" / "cases" / "health" / "1-healthy-export.jsonl"


def failing(error: BaseException) -> click.Command:
    @click.command("fail")
    def fail() -> NoReturn:
        raise error

    return fail


Fail = Callable[..., tuple[int, str, str]]


@pytest.fixture
def fail_with(monkeypatch: pytest.MonkeyPatch) -> Fail:
    def run(error: BaseException, **environment: str) -> tuple[int, str, str]:
        monkeypatch.setattr(LazyGroup, "get_command", lambda *_: failing(error))
        done = CliRunner(env=environment).invoke(cli, ["fail"])
        return done.exit_code, done.stdout, done.stderr

    return run


def test_an_error_is_one_line_with_place_and_a_hint(fail_with: Fail) -> None:
    code, out, err = fail_with(UsageError("is wrong", where="a.toml: x", hint="mend it"))
    assert (code, out, err) == (2, "", "witnessmark: error: a.toml: x: is wrong\nhint: mend it\n")


def test_an_error_without_place_and_hint_is_one_line(fail_with: Fail) -> None:
    assert fail_with(StoreFull("no room")) == (2, "", "witnessmark: error: no room\n")


def test_a_name_in_an_error_steers_no_terminal(fail_with: Fail) -> None:
    _, _, err = fail_with(UsageError("no \x1b[2Jfile\u202e\nwitnessmark: fine"))
    assert err == "witnessmark: error: no \\u001b[2Jfile\\u202e\\u000awitnessmark: fine\n"


@pytest.mark.parametrize("error", [ValueError(SECRET), OurError(SECRET), RecursionError(SECRET), MemoryError(SECRET)])
def test_a_defect_of_ours_leaves_its_frames_in_a_private_file_and_no_text(fail_with: Fail, error: Exception) -> None:
    code, out, err = fail_with(error)
    assert (code, out) == (2, "")
    assert err.startswith(f"witnessmark: error: defect of witnessmark {__version__} ({type(error).__name__})\n")
    assert "Traceback" not in err
    assert SECRET not in err
    found = re.search(r"file (\S+),", err)
    assert found is not None
    file = Path(found[1])
    assert file.parent == state_directory() / "defects"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    text = file.read_text()
    assert "in fail" in text
    assert SECRET not in text


def test_with_the_debug_variable_the_traceback_is_printed(fail_with: Fail) -> None:
    code, _, err = fail_with(ValueError(SECRET), WITNESSMARK_DEBUG="1")
    assert code == 2
    assert "defect of witnessmark" in err


def test_a_defect_whose_file_cannot_be_written_is_still_reported(fail_with: Fail, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    code, _, err = fail_with(ValueError(SECRET), XDG_STATE_HOME=str(blocked), HOME=str(blocked))
    assert code == 2
    assert "could not be written" in err
    assert SECRET not in err


@pytest.mark.parametrize(
    "error,code", [(KeyboardInterrupt(), EXIT_INTERRUPTED), (click.Abort(), EXIT_INTERRUPTED), (BrokenPipeError(), EXIT_PIPE_CLOSED)]
)
def test_an_interrupt_and_a_closed_pipe_are_quiet(fail_with: Fail, error: BaseException, code: int) -> None:
    found, out, err = fail_with(error)
    # click ends the line on which the terminal echoed ^C.
    assert (found, out, err.strip("\n")) == (code, "", "")


@pytest.mark.parametrize("words", [["--help"], ["judge", str(GOOD)], ["judge", str(GOOD), "--format", "json"]])
def test_a_reader_that_leaves_early_meets_silence(words: list[str]) -> None:
    """`witnessmark ... | head`: no traceback, no message, and no exit code that stands for a verdict."""
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run([sys.executable, "-m", "witnessmark", *words], stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (EXIT_PIPE_CLOSED, b"")


def test_without_standard_output_the_exit_code_still_tells() -> None:
    program = f"import os, sys; os.close(1); os.execv(sys.executable, [sys.executable, '-m', 'witnessmark', 'judge', {str(GOOD)!r}])"
    done = subprocess.run([sys.executable, "-c", program], stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
def test_output_to_a_full_disk_is_said_in_one_line() -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "witnessmark", "judge", str(GOOD)], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 2
    assert (
        done.stderr == "witnessmark: error: the output could not be written: No space left on device\nhint: free some room where it goes\n"
    )


def test_an_interrupted_process_ends_as_shells_expect() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "witnessmark", "judge", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdin is not None
    # A header is on its way and never ends: the command waits in its read until the signal comes.
    process.stdin.write(b'{"witnessmark": "transcript/1"}\n' + b'{"at": 1, "from": "operator", "close": true}\n' * 10_000)
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate()
    assert process.returncode in {EXIT_INTERRUPTED, -signal.SIGINT}
    assert b"Traceback" not in err or process.returncode == -signal.SIGINT


def test_the_version_is_told_and_help_lists_every_command() -> None:
    assert CliRunner().invoke(cli, ["--version"]).output == f"witnessmark {__version__}\n"
    text = CliRunner().invoke(cli, ["--help"]).output
    assert all(re.search(rf"^  {name} ", text, re.MULTILINE) for name in COMMANDS)


def test_no_words_show_the_help_and_exit_2() -> None:
    done = CliRunner().invoke(cli, [])
    assert done.exit_code == 2
    assert done.stderr.startswith("Usage: witnessmark")


def test_the_list_of_commands_imports_none_of_them() -> None:
    program = (
        "import sys\nfrom witnessmark.cli.main import cli\n"
        "try: cli.main(['--help'])\nexcept SystemExit: pass\n"
        "print(sorted(name for name in sys.modules if name.startswith('witnessmark.')), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "['witnessmark.cli', 'witnessmark.cli.main', 'witnessmark.errors']"


def test_colour_is_for_terminals_and_obeys_no_color(monkeypatch: pytest.MonkeyPatch) -> None:
    from witnessmark.cli.options import wants_colour

    class Terminal:
        def isatty(self) -> bool:
            return True

    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert not wants_colour()
    monkeypatch.setattr(sys, "stdout", Terminal())
    assert wants_colour()
    monkeypatch.setenv("NO_COLOR", "")
    assert wants_colour()
    monkeypatch.setenv("NO_COLOR", "1")
    assert not wants_colour()
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert not wants_colour()


def test_the_state_directory_is_not_moved_by_a_store_named_elsewhere() -> None:
    environment = {"HOME": "/home/ada", "WITNESSMARK_STORE": "/srv/e.sqlite"}
    assert state_directory(environment) == state_directory({"HOME": "/home/ada"})
    assert os.fspath(state_directory(environment)).startswith("/home/ada")
