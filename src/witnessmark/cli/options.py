"""What several commands share: their options, the store they open, and how a verdict leaves."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import click

from witnessmark.errors import UsageError

if TYPE_CHECKING:
    from witnessmark.adapters.store.protocol import EvidenceStore
    from witnessmark.model.policy import Policy
    from witnessmark.model.verdict import Verdict

LAST: Final = "last"
"""The word that means the newest run, where a run's id is asked for."""
NEAREST: Final = 5
"""Run ids listed when the one that was given fits none or several."""

type_format = click.Choice(["text", "json"])


def store_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--store`."""
    return click.option(
        "--store",
        metavar="STORE",
        envvar="WITNESSMARK_STORE",
        help="Path or URL of the evidence store (default: a file in your state directory).",
    )(command)


def format_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--format`."""
    return click.option("--format", "form", type=type_format, default="text", show_default=True, help="What to write on standard output.")(
        command
    )


def policy_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--policy`."""
    return click.option("--policy", "policy_file", metavar="FILE", help="TOML file with the policy of the judgement (docs/policy.md).")(
        command
    )


def wants_colour() -> bool:
    """Whether text may be coloured: standard output is a terminal, and NO_COLOR is unset or empty (no-color.org)."""
    return sys.stdout is not None and sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


@contextmanager
def opened_store(store: str | None, *, write: bool = False) -> Iterator[EvidenceStore]:
    """The evidence store that the command names, closed at the end. It must be there: only observers make one."""
    from witnessmark.adapters.store.location import open_store

    if write:
        open_store(store, write=False).close()
    opened = open_store(store, write=write)
    try:
        yield opened
    finally:
        opened.close()


def find_run(store: EvidenceStore, given: str, now_us: int) -> str:
    """The run that `given` means: its id, a beginning that only one run has, or `last`. UsageError otherwise, naming candidates."""
    if store.sessions(given):
        return given
    runs = [summary.run for summary in store.runs(now_us)]
    if given == LAST and runs:
        return runs[0]
    found = [run for run in runs if run.startswith(given)] if given else []
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(f"{len(found)} runs begin with {given!r}", where=store.name, hint="one of: " + _few(found))
    hint = "the newest runs: " + _few(runs) if runs else "nothing was recorded there: start a server through `witnessmark proxy`"
    raise UsageError(f"no run {given!r}", where=store.name, hint=hint)


def _few(runs: list[str]) -> str:
    more = f" and {len(runs) - NEAREST} more" if len(runs) > NEAREST else ""
    return ", ".join(runs[:NEAREST]) + more


def load_policy(path: str | None) -> Policy:
    """The policy in the file, or the default one. InputError names line or member, what was expected and what to do."""
    from witnessmark.model.policy import Policy, read_policy

    if path is None:
        return Policy()
    import tomllib

    from witnessmark.adapters.input_files import read_small_file
    from witnessmark.errors import InputError

    data = read_small_file(path, "a policy in TOML")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(
            f"is not UTF-8 at byte {error.start}", where=path, hint="a policy is a TOML file in UTF-8, see docs/policy.md"
        ) from error
    try:
        members = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(f"is not TOML: {error}", where=path, hint="see docs/policy.md for an example") from error
    return read_policy(members, path)


def worst_exit(codes: Iterable[int]) -> int:
    """The exit code of several verdicts: 2 (could not run), then 1 (bad), 3 (not proved), 4 (under way), 0 (good)."""
    order = (2, 1, 3, 4, 0)
    return min(codes, key=order.index, default=0)


def show_verdicts(judged: list[tuple[str, Verdict]], form: str, *, several: bool, full: bool = False) -> None:
    """Write verdicts, each with the name of what was judged, on standard output: a JSON document, an array of several, or text."""
    from witnessmark.render.jsonout import dumps, verdict_document
    from witnessmark.render.terminal import verdict_text

    if form == "json":
        documents = [verdict_document(verdict, source=source) for source, verdict in judged]
        click.echo(dumps(documents if several else documents[0]))
        return
    colour = wants_colour()
    texts = [verdict_text(verdict, source=source, colour=colour, full=full) for source, verdict in judged]
    # color=True: what is in the text is meant; click would look at the stream only.
    click.echo("\n".join(texts), nl=False, color=True)
