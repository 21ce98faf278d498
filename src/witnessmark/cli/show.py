"""`witnessmark show RUN`: everything that the store can say about a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from witnessmark.cli.judge import judge_run, parse_as_of
from witnessmark.cli.options import format_option, load_policy, opened_store, policy_option, show_verdicts, store_option

if TYPE_CHECKING:
    from witnessmark.model.evidence import Event

DATA_CHARS: Final = 160
"""Characters of an event's data in a list: the longest facts hold the digests of thousands of tools."""


@click.command()
@click.argument("run")
@store_option
@click.option("--as-of", metavar="T", help="Show it as of T, as `judge --as-of` does; what was seen later is left out.")
@click.option("--events", is_flag=True, help="List the events instead: time, id, kind and data.")
@policy_option
@format_option
def show(*, run: str, store: str | None, as_of: str | None, events: bool, policy_file: str | None, form: str) -> None:
    """Show a stored run: five layers, every condition with its reason and evidence, catalogs, calls.

    RUN is its id, a beginning that only one run has, or `last`. The exit code is 0 whatever the state is; `judge --run` exits
    by the state.
    """
    if events:
        _list_events(store, run, form)
        return
    wanted = parse_as_of(as_of) if as_of is not None else None
    verdict, name = judge_run(store, run, load_policy(policy_file), wanted, cut=True)
    show_verdicts([(name, verdict)], form, several=False, full=True)


def _list_events(store: str | None, given: str, form: str) -> None:
    from witnessmark.adapters.clock import now_us
    from witnessmark.cli.options import find_run
    from witnessmark.render.cloudevents import event_line

    with opened_store(store) as opened:
        for event in opened.logged(find_run(opened, given, now_us())):
            click.echo(event_line(event) if form == "json" else _event_text(event), nl=form != "json")


def _event_text(event: Event) -> str:
    from witnessmark.render.escape import name
    from witnessmark.render.times import rfc3339
    from witnessmark.state.order import kind_and_data

    kind, data = kind_and_data(event)
    return f"{rfc3339(event.time_us)}  {name(event.id)}  {name(kind)}  {name(data.decode('utf-8', 'replace'), DATA_CHARS)}"
