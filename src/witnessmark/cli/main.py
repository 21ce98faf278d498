"""The command `witnessmark`: a group whose commands are imported when they are asked for.

This module is imported before every agent's server starts (`witnessmark proxy`), so it imports click and nothing else of
weight. It is also where every error ends: one line on standard error, a hint, exit code 2, and no traceback.
"""

from __future__ import annotations

import errno
import sys
from importlib import import_module
from typing import Any, Final, NoReturn

import click

from witnessmark import __version__
from witnessmark.errors import WitnessmarkError

EXIT_NOT_RUN: Final = 2
EXIT_INTERRUPTED: Final = 130
"""What a shell reports of a process that ended by SIGINT."""
EXIT_PIPE_CLOSED: Final = 141
"""What a shell reports of a process that ended by SIGPIPE: no code of ours, since the result did not reach its reader."""

COMMANDS: Final[dict[str, tuple[str, str]]] = {
    "judge": ("judge:judge", "Judge transcripts, evidence logs or a stored run."),
    "runs": ("runs:runs", "List the stored runs; delete some, or all beyond an age."),
    "show": ("show:show", "Show one stored run: layers, conditions, evidence, calls."),
    "export": ("export:export", "Write a stored run as CloudEvents lines."),
    "verify": ("verify:verify", "Verify the chain of an exported evidence log."),
    "receipt": ("receipt:receipt", "Bring a receipt or a declaration to a run."),
    "proxy": ("proxy:proxy", "Watch a server over stdio, byte for byte, and record the evidence."),
    "init": ("init:init", "Find the servers that are named here, pin them after asking, and say what comes next."),
    "lock": ("lock:lock", "Pin the contract of a server: trust on first use."),
    "check": ("check:check", "Compare live servers with the lockfile, and name what changed."),
    "diff": ("diff:diff", "Compare two lockfiles, captures, servers or git revisions."),
    "approve": ("approve:approve", "Review what changed since the lock, and approve it."),
    "explain": ("explain:explain", "Explain a kind of change: what it means and what to do."),
    "servers": ("servers:servers", "List the servers that are named here, by whom, and whether they are locked."),
    "wrap": ("wrap:wrap", "Put the servers of clients behind the proxy, in their configuration files."),
    "unwrap": ("wrap:unwrap", "Take the proxy out of clients' configuration files again."),
    "config": ("config:config", "Check witnessmark.toml, and show what is in force for a tool."),
    "keys": ("keys:keys", "List or rotate the key of the keyed hashes."),
    "doctor": ("doctor:doctor", "Say what is installed, reachable and writable."),
    "demo": ("demo:demo", "Watch a real client at work on real servers, then the inconvenient cases."),
}
"""Name: (module of witnessmark.cli and its command, what the list of commands says). The list is shown without importing any."""


class LazyGroup(click.Group):
    """A group that imports a command when it is called or asked for help, and turns every error into one line."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """The names of all commands, in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """The command of that name, imported now; None where there is none."""
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name][0].partition(":")
        command: click.Command = getattr(import_module(f"witnessmark.cli.{module}"), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's signature
        """Write the list of commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(command, text) for command, (_, text) in COMMANDS.items()])

    def main(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Run, then leave with the exit code of formats.md; nothing but SystemExit comes out."""
        kwargs["standalone_mode"] = False
        kwargs.setdefault("prog_name", "witnessmark")
        out = sys.stdout
        try:
            code = super().main(*args, **kwargs)
            if sys.stdout is not None:  # closed by who started us
                sys.stdout.flush()
        except click.exceptions.Exit as leave:
            code = leave.exit_code
        except click.ClickException as error:
            code = _usage(error)
        except WitnessmarkError as error:
            code = report(error)
        except (KeyboardInterrupt, click.Abort):
            code = EXIT_INTERRUPTED
        except BrokenPipeError:
            code = _pipe_closed()
        except SystemExit as leave:
            # Where the pipe is closed, click replaces the stream and leaves with 1, which would say "proved bad".
            code = leave.code if sys.stdout is out else _pipe_closed()
        except OSError as error:
            code = _world(error)
        except Exception as error:  # noqa: BLE001 - the last door: a traceback reaches no user
            from witnessmark.cli.defect import report_defect

            code = report_defect(error)
        sys.exit(code if isinstance(code, int) else 0)


def report(error: WitnessmarkError) -> int:
    """The exit code of `error`, after saying it in one line on standard error, and its hint in another."""
    if error.fault == "ours":
        from witnessmark.cli.defect import report_defect

        return report_defect(error)
    place = f"{error.where}: " if error.where else ""
    say_error(f"{place}{error.message}", error.hint)
    return error.exit_code


def say_error(message: str, hint: str = "") -> None:
    """Write `witnessmark: error: ...`, and `hint: ...` below it, on standard error; no character of a peer's steers a terminal."""
    from witnessmark.render.escape import line

    text = f"witnessmark: error: {line(message)}\n"
    if hint:
        text += f"hint: {line(hint)}\n"
    click.echo(text, err=True, nl=False)


def _usage(error: click.ClickException) -> int:
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        click.echo(error.format_message(), err=True)
        return EXIT_NOT_RUN
    context = error.ctx if isinstance(error, click.UsageError) else None
    hint = f"see {context.command_path} --help" if context is not None else ""
    say_error(error.format_message(), hint)
    return EXIT_NOT_RUN


def _world(error: OSError) -> int:
    """Say that the disk or the device behind standard output has no room, or failed; any other system error is a defect of ours."""
    if error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EIO}:
        _discard_output()
        say_error(f"the output could not be written: {error.strerror}", "free some room where it goes")
        return EXIT_NOT_RUN
    from witnessmark.cli.defect import report_defect

    return report_defect(error)


def _pipe_closed() -> int:
    _discard_output()
    return EXIT_PIPE_CLOSED


def _discard_output() -> None:
    """Leave standard output to nobody, so that the interpreter's last flush does not fail once more."""
    import contextlib
    import os

    with contextlib.suppress(OSError, ValueError):  # standard output is no file: nothing will be flushed to it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@click.group("witnessmark", cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]}, no_args_is_help=True)
@click.version_option(__version__, prog_name="witnessmark", message="%(prog)s %(version)s")
def cli() -> None:
    """An AI agent's tool call came back green. Is it true?

    Exit codes of every command that judges: 0 proved good, 1 proved bad, 2 the command could not run, 3 not proved,
    4 a call is under way.
    """


def main() -> NoReturn:
    """Run the command line of this process."""
    cli.main()
