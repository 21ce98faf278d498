"""`witnessmark runs`: what is in the store, and how it leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from witnessmark.cli.options import find_run, format_option, opened_store, store_option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from witnessmark.adapters.store.protocol import Dropped, RunSummary


@click.group(invoke_without_command=True)
@store_option
@format_option
@click.option("--server", metavar="NAME", help="Only runs that used this server.")
@click.option("--dropped", is_flag=True, help="List what was deleted instead, when and why.")
@click.pass_context
def runs(context: click.Context, *, store: str | None, form: str, server: str | None, dropped: bool) -> None:
    """List the stored runs, newest first; delete some, or all beyond an age."""
    context.obj = store
    if context.invoked_subcommand is not None:
        return
    from witnessmark.adapters.clock import now_us
    from witnessmark.render.jsonout import dumps

    with opened_store(store) as opened:
        if dropped:
            records = opened.dropped()
            _say_dropped(records, form, "nothing was ever deleted")
            return
        found = opened.runs(now_us(), server=server)
    click.echo(dumps([_run_document(one) for one in found]) if form == "json" else _runs_text(found))


@runs.command()
@store_option
@format_option
@click.argument("run", nargs=-1, required=True)
@click.pass_context
def delete(context: click.Context, store: str | None, form: str, run: tuple[str, ...]) -> None:
    """Delete runs with all their evidence; that they were deleted stays on record.

    A run that is being observed is not deleted.
    """
    from witnessmark.adapters.clock import now_us

    with opened_store(store or context.obj, write=True) as opened:
        now = now_us()
        # All names first: a mistyped one must not leave half of the deed done.
        found = list(dict.fromkeys(find_run(opened, one, now) for one in run))
        records = [opened.delete_run(one, now) for one in found]
    _say_dropped(records, form, "nothing to delete")


@runs.command()
@store_option
@format_option
@click.option("--max-age", metavar="AGE", required=True, help='Delete runs whose last sign of life is older: "30d", "12h", or seconds.')
@click.pass_context
def retain(context: click.Context, store: str | None, form: str, max_age: str) -> None:
    """Delete every run beyond an age, and say which."""
    from witnessmark.adapters.clock import now_us
    from witnessmark.model.policy import duration_s

    age_s = duration_s(float(max_age) if max_age.replace(".", "", 1).isdigit() else max_age, "--max-age")
    with opened_store(store or context.obj, write=True) as opened:
        records = opened.retain(age_s, now_us())
    _say_dropped(records, form, "nothing to delete")


def _say_dropped(records: Sequence[Dropped], form: str, nothing: str) -> None:
    from witnessmark.render.jsonout import dumps

    click.echo(dumps([_dropped_document(one) for one in records]) if form == "json" else _dropped_text(records, nothing))


def _run_document(run: RunSummary) -> dict[str, Any]:
    from witnessmark.render.times import rfc3339

    return {
        "run": run.run, "servers": list(run.servers), "sessions": run.sessions, "events": run.events, "opened": rfc3339(run.opened_us),
        "last": rfc3339(run.last_us), "closed": run.closed, "live": run.live,
    }  # fmt: skip


def _runs_text(found: Sequence[RunSummary]) -> str:
    from witnessmark.render.escape import name
    from witnessmark.render.table import table
    from witnessmark.render.times import rfc3339, span

    if not found:
        return "no runs: start a server through `witnessmark proxy`"
    rows = [
        (
            name(run.run),
            "live" if run.live else "closed" if run.closed else "cut off",
            rfc3339(run.opened_us)[:19] + "Z",
            span(max(0, run.last_us - run.opened_us)),
            str(run.sessions),
            str(run.events),
            ", ".join(name(server) for server in run.servers),
        )
        for run in found
    ]
    return "\n".join(table(("run", "log", "opened", "length", "sessions", "events", "servers"), rows, right=frozenset((3, 4, 5))))


def _dropped_document(record: Dropped) -> dict[str, Any]:
    from witnessmark.render.times import rfc3339

    return {
        "run": record.run, "sessions": record.sessions, "events": record.events, "opened": rfc3339(record.opened_us),
        "last": rfc3339(record.last_us), "dropped": rfc3339(record.dropped_us), "why": record.why,
    }  # fmt: skip


def _dropped_text(records: Sequence[Dropped], nothing: str) -> str:
    from witnessmark.render.escape import name
    from witnessmark.render.times import rfc3339

    lines = [
        f"dropped {name(record.run)}: {record.events} events of {record.sessions} sessions,"
        f" {rfc3339(record.opened_us)} to {rfc3339(record.last_us)}"
        f" ({name(record.why)}, {rfc3339(record.dropped_us)})"
        for record in records
    ]
    return "\n".join(lines) or nothing
