"""`witnessmark export RUN`: the evidence of a run, for another machine or another program."""

from __future__ import annotations

import sys

import click

from witnessmark.cli.options import find_run, opened_store, store_option


@click.command()
@click.argument("run")
@store_option
def export(*, run: str, store: str | None) -> None:
    """Write the evidence of a run on standard output: CloudEvents, one a line.

    RUN is its id, a beginning that only one run has, or `last`. Sessions that are not closed are attested: the last lines
    state how many of their events the store holds and where their chain stands. `witnessmark verify` checks the file and
    `witnessmark judge` judges it.
    """
    from witnessmark.adapters.clock import now_us
    from witnessmark.errors import UsageError
    from witnessmark.render.cloudevents import event_line

    if sys.stdout is None:
        raise UsageError("is closed", where="standard output", hint="redirect it to a file; what is exported goes there")
    out = sys.stdout.buffer
    now = now_us()
    with opened_store(store) as opened:
        for event in opened.attested(find_run(opened, run, now), now, every=True):
            out.write(event_line(event))
    out.flush()
