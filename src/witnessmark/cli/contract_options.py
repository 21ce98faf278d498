"""What the contract commands share: words after `--`, their options, asking, and how differences leave."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from witnessmark.cli.options import wants_colour

if TYPE_CHECKING:
    from witnessmark.adapters.checking import Captured
    from witnessmark.model.change import Difference

LOCKFILE: Final = "witnessmark.lock"
COMMAND: Final = "witnessmark.command"
"""Where the words after `--` wait for their command."""
SUMMARY: Final = "GITHUB_STEP_SUMMARY"
"""The variable in which GitHub Actions names the file of the job's summary."""
FORMATS: Final = ("text", "json", "sarif", "junit", "github", "markdown")
OPTIONS: Final = {
    "server": click.option("--server", metavar="NAME", default="", help="Name of the server given after --, or of the one meant."),
    "lockfile": click.option("--lockfile", metavar="FILE", default=LOCKFILE, show_default=True, help="The lockfile."),
    "config": click.option("--config", "configuration", metavar="FILE", help="The configuration (default: witnessmark.toml here, if any)."),
    "yes": click.option("--yes", is_flag=True, help="Confirm what would be asked: for scripts and CI."),
    "fail_on": click.option(
        "--fail-on",
        "preset",
        type=click.Choice(["strict", "balanced", "lenient"]),
        default="strict",
        show_default=True,
        help="Which changes count as drift.",
    ),
    "format": click.option(
        "--format", "form", type=click.Choice(FORMATS), default="text", show_default=True, help="What to write on standard output."
    ),
}  # fmt: skip


def option(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add the option of that name, which means the same in every contract command."""
    return OPTIONS[name]


class CommandAfterDashes(click.Command):
    """A command whose words after `--` are a server's command or URL, and no arguments of ours."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep what stands after the first `--` for `after_dashes`; parse what stands before it."""
        if "--" in args:
            at = args.index("--")
            ctx.meta[COMMAND] = tuple(args[at + 1 :])
            args = args[:at]
        return super().parse_args(ctx, args)


def after_dashes() -> tuple[str, ...] | None:
    """The words after `--`; None where there was no `--`."""
    words: tuple[str, ...] | None = click.get_current_context().meta.get(COMMAND)
    return words


def asker() -> Callable[[str], bool] | None:
    """Asks on the terminal; None where there is none to ask on."""
    if sys.stdin is None or not sys.stdin.isatty() or sys.stderr is None or not sys.stderr.isatty():
        return None
    from witnessmark.render.escape import line

    return lambda question: click.confirm(line(question), err=True)


def show_differences(found: Sequence[Difference], form: str, *, several: bool, lockfile: str = LOCKFILE) -> None:
    """Write differences on standard output in the form asked for; `several`: JSON is an array. `lockfile` is where they are placed."""
    from witnessmark.render.difference import difference_document
    from witnessmark.render.jsonout import dumps

    if form == "json":
        documents = [difference_document(one) for one in found]
        click.echo(dumps(documents if several else documents[0]))
    elif form == "text":
        from witnessmark.render.difference_text import difference_text

        click.echo("\n".join(difference_text(one, colour=wants_colour()) for one in found), nl=False, color=True)
    else:
        _show_for_ci(found, form, lockfile)


def _show_for_ci(found: Sequence[Difference], form: str, lockfile: str) -> None:
    """What CI reads; with `github` the job's summary besides, where GitHub names a file for it."""
    import os
    from importlib import import_module

    from witnessmark import __version__
    from witnessmark.adapters.lock_file import lock_lines
    from witnessmark.render.difference import Place

    place = Place(lockfile, lock_lines(lockfile), __version__)
    click.echo(import_module(f"witnessmark.render.{form}").rendered(found, place), nl=False)
    summary = os.environ.get(SUMMARY)
    if form == "github" and summary:
        from witnessmark.render.markdown import rendered

        with open(summary, "a", encoding="utf-8") as file:
            file.write(rendered(found, place))


def say_failures(captured: Sequence[Captured]) -> int:
    """2 if any capture could not even begin, after saying why on standard error; else 0."""
    from witnessmark.cli.main import EXIT_NOT_RUN, report

    failed = [one for one in captured if one.error is not None]
    for one in failed:
        report(_placed(one))
    return EXIT_NOT_RUN if failed else 0


def _placed(one: Captured) -> Any:
    error = one.error
    if error is not None and not error.where:
        error.where = one.target.entry.name
    return error
