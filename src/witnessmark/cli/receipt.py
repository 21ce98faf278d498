"""`witnessmark receipt`: receipts and declarations for a run, one JSON object on standard input."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Final

import click

from witnessmark.cli.options import find_run, format_option, opened_store, store_option
from witnessmark.errors import InputError

if TYPE_CHECKING:
    from witnessmark.adapters.receipts import Kind

MAX_BYTES: Final = 64 << 20
"""The largest catalogs of the field have some MB; a report of one is not longer than the frame limit of the proxy."""

KINDS: Final[dict[Kind, tuple[str, str]]] = {
    "installed": ("What the client shows the model now.", '{"source": "my-host", "tools": [...], "names": {...}, "mapping": "exact"}'),
    "effect": ("A destination's answer about an effect.", '{"call": 3, "status": "applied", "method": "query", "count": 1}'),
    "outcome": ("A verifier's answer about a promised outcome.", '{"outcome": "report", "status": "passed", "strength": "deterministic"}'),
    "declare": ("What the operator says of a tool.", '{"tool": "publish", "effect": "write", "operation_key": "/key", "inactivity": 30}'),
    "expect": ("An outcome that the run promises, and its verifier.", '{"outcome": "report", "verifier": {"kind": "file"}}'),
    "accept": ("A person accepts that an effect stays unknown.", '{"call": 3, "who": "Ada"}'),
    "close": ("The run ends here.", "nothing, it is not read"),
}
NEED_SERVER: Final = frozenset({"installed", "effect", "declare", "accept"})


@click.group(no_args_is_help=True)
def receipt() -> None:
    """Bring a receipt or a declaration to a run: one JSON object on standard input.

    The run is the one of --run, else of $WITNESSMARK_RUN, else the only one that is being observed now. Inside a run
    ($WITNESSMARK_RUN is set) a receipt counts as self-reported: it is kept and shown, and never alone proves anything;
    declare, expect, accept and close are refused there.
    """


def _command(kind: Kind, text: str, example: str) -> click.Command:
    @click.command(kind, help=f"{text}\n\nStandard input: {example}", short_help=text)
    @click.option("--run", metavar="RUN", help="The run: its id, a beginning of it, or `last`.")
    @click.option("--server", metavar="NAME", help="The server that it speaks of, where the run uses several.")
    @click.option("--self-reported", is_flag=True, help="Say yourself that the agent's own side reports this.")
    @store_option
    @format_option
    def command(*, run: str | None, server: str | None, self_reported: bool, store: str | None, form: str) -> None:
        from witnessmark.adapters.clock import now_us
        from witnessmark.adapters.receipts import RUN_VARIABLE, bring, find_target, is_independent
        from witnessmark.render.jsonout import dumps

        data = _standard_input(kind, example)
        with opened_store(store, write=True) as opened:
            given = run or os.environ.get(RUN_VARIABLE)
            found = find_run(opened, given, now_us()) if given else None
            target = find_target(opened, found, server, needs_server=kind in NEED_SERVER)
            done = bring(opened, target, kind, data, independent=is_independent() and not self_reported)
        if form == "json":
            click.echo(dumps({"run": done.run, "event": done.event, "kind": done.kind, "self_reported": done.self_reported}))
        else:
            click.echo(f"{done.kind} kept as {done.event} of run {done.run}{' (self-reported)' if done.self_reported else ''}")

    return command


def _standard_input(kind: str, example: str) -> bytes:
    if kind == "close":
        return b"true"
    hint = f"write one JSON object as {example}"
    if sys.stdin is None:
        raise InputError("is closed", where="standard input", hint=hint)
    if sys.stdin.isatty():
        raise InputError("is a terminal", where="standard input", hint=hint)
    data = sys.stdin.buffer.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise InputError(f"has more than {MAX_BYTES >> 20} MiB", where="standard input", hint=hint)
    if not data.strip():
        raise InputError("is empty", where="standard input", hint=hint)
    return data


for _kind, (_text, _example) in KINDS.items():
    receipt.add_command(_command(_kind, _text, _example))
