"""`witnessmark proxy`: a server over stdio, byte for byte, with its evidence written before the bytes go on.

The server is started before anything heavy is imported: what we load, it loads beside us.
"""

from __future__ import annotations

import gc
import os
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import click

from witnessmark.cli.options import store_option
from witnessmark.errors import UsageError, WitnessmarkError

if TYPE_CHECKING:
    from witnessmark.adapters.child import Child
    from witnessmark.adapters.recorded_session import RecordedSession
    from witnessmark.adapters.signals import SignalPipe
    from witnessmark.adapters.store.protocol import Durability, EvidenceStore, SessionKey
    from witnessmark.adapters.transcript_file import TranscriptFile
    from witnessmark.observe.redact import Redactor


class Wanted(NamedTuple):
    """What the command line asked for."""

    command: tuple[str, ...]
    server: str | None
    store: str | None
    run: str | None
    transcript: str | None
    redact: bool
    durability: Durability
    on_store_failure: Literal["refuse", "forward_and_mark_gap"]
    verbose: bool


@click.command(context_settings={"ignore_unknown_options": False, "allow_interspersed_args": False})
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- COMMAND [ARG]...")
@click.option("--server", metavar="NAME", help="What the evidence calls the server (default: from the command).")
@store_option
@click.option("--run", metavar="RUN", envvar="WITNESSMARK_RUN", help="Join this run (default: a new one).")
@click.option("--transcript", metavar="FILE", help="Write the raw transcript to FILE: it holds what passes.")
@click.option("--redact", is_flag=True, help="Replace the values in the transcript; shapes, sizes and the verdict stay.")
@click.option("--mode", type=click.Choice(["observe"]), default="observe", show_default=True, help="What the proxy may do.")
@click.option(
    "--durability",
    type=click.Choice(["process", "power"]),
    default="process",
    show_default=True,
    help="What evidence survives: the death of the process, or the loss of power (one disk flush for each read).",
)
@click.option(
    "--on-store-failure",
    type=click.Choice(["forward_and_mark_gap", "refuse"]),
    default="forward_and_mark_gap",
    show_default=True,
    help="When evidence cannot be written: let traffic pass and mark the gap, or end the session.",
)
@click.option("-v", "--verbose", is_flag=True, help="Say on standard error which run and session this is.")
@click.pass_context
def proxy(context: click.Context, /, *, mode: str, **options: Any) -> None:
    """Watch a server over stdio and record the evidence.

    The client starts this in place of the server: `witnessmark proxy -- COMMAND ARG...`. Every byte passes as it came, in both
    directions; signals, end of file, exit code and standard error pass as if the proxy were not there. Nothing of ours is ever
    written to standard output.
    """
    del mode  # the only one there is
    if os.name != "posix":
        raise UsageError(
            "the stdio proxy needs POSIX pipes and signals", where="witnessmark proxy", hint="run it on Linux or macOS, or in WSL"
        )
    if options["redact"] and options["transcript"] is None:
        raise click.UsageError("--redact needs --transcript", context)
    context.exit(_proxy(Wanted(**options)))


def _proxy(wanted: Wanted) -> int:
    """The exit code of the session."""
    from witnessmark.adapters.child import end_like, spawn, stop_child
    from witnessmark.adapters.descriptors import claim_standard_streams
    from witnessmark.adapters.signals import SignalPipe

    claim_standard_streams()
    if wanted.store is not None and "://" in wanted.store:
        from witnessmark.adapters.store.location import store_path

        store_path(wanted.store)  # a kind of store that we do not know must not start a server first
    transcript = None
    if wanted.transcript is not None:
        from witnessmark.adapters.transcript_file import open_transcript

        transcript = open_transcript(wanted.transcript)
    signals = SignalPipe()
    child = spawn(wanted.command, mask=signals.original_mask)
    signals.start()
    from witnessmark.adapters.diagnostics import say

    try:
        code = _observe(wanted, transcript, child, signals)
    except WitnessmarkError as error:
        # Said here and without waiting: the client may not read our standard error.
        say(f"error: {error}")
        stop_child(child, signals)
        return error.exit_code
    except BaseException:
        stop_child(child, signals)  # a defect of ours must not leave the server behind
        raise
    return end_like(code)


def _observe(wanted: Wanted, transcript: int | None, child: Child, signals: SignalPipe) -> int:
    from witnessmark.adapters.diagnostics import say
    from witnessmark.adapters.stdio_proxy import StdioProxy

    # What is loaded now lives as long as we do: the collector need never look at it, neither while it loads nor later.
    gc.disable()
    session = _session(wanted, transcript)
    session.begin()
    gc.freeze()
    gc.enable()
    loop = StdioProxy(child, signals, session)
    code = loop.run()
    if code != 0 and not loop.forwarded_from_server:
        how = f"with exit code {code}" if code > 0 else f"by signal {-code}"
        say(f"the server ended {how} before it said anything: {wanted.command[0]}")
    return code


def _session(wanted: Wanted, transcript: int | None) -> RecordedSession:
    from witnessmark.adapters.clock import now_us
    from witnessmark.adapters.diagnostics import say
    from witnessmark.adapters.identity import new_id, observer_source, server_name
    from witnessmark.adapters.recorded_session import RecordedSession
    from witnessmark.model.chain import Recorder
    from witnessmark.observe.observer import Observer

    started_us = now_us()
    server = wanted.server or server_name(wanted.command)
    run = wanted.run or new_id(started_us)
    observer = Observer(server, _redactor(wanted, started_us))
    recorder = Recorder(observer_source(), new_id(started_us), run)
    if wanted.verbose:
        say(f"run {run}, session {recorder.session}, server {server}")

    def open_session() -> tuple[EvidenceStore, SessionKey]:
        from witnessmark.adapters.store.location import open_store

        store = open_store(wanted.store, durability=wanted.durability)
        key = store.open_session(source=recorder.source, session=recorder.session, run=run, server=observer.server, opened_us=started_us)
        return store, key

    return RecordedSession(
        observer,
        recorder,
        open_session,
        on_store_failure=wanted.on_store_failure,
        transcript=_transcript(wanted, transcript, server, started_us),
    )


def _redactor(wanted: Wanted, started_us: int) -> Redactor:
    """The redaction door with the store's key; with a key of this process only where the key file cannot be had."""
    from witnessmark.adapters.keys import SECRET_BYTES, KeyFile, keys_path
    from witnessmark.adapters.store.location import default_path, store_path
    from witnessmark.observe.redact import Redactor

    path = store_path(default_path() if wanted.store is None else wanted.store)
    try:
        key = KeyFile(keys_path(path)).active(started_us)
    except WitnessmarkError as error:
        if wanted.on_store_failure == "refuse":
            raise
        from witnessmark.adapters.diagnostics import say

        say(f"hashes of this session can be joined with no other: {error}")
        return Redactor("k" + os.urandom(4).hex(), os.urandom(SECRET_BYTES))
    return Redactor(key.id, key.secret)


def _transcript(wanted: Wanted, fd: int | None, server: str, started_us: int) -> TranscriptFile | None:
    if fd is None or wanted.transcript is None:
        return None
    from witnessmark.adapters.diagnostics import say
    from witnessmark.adapters.transcript_file import TranscriptError, TranscriptFile

    redact = None
    if wanted.redact:
        from witnessmark.adapters.transcript_redaction import TranscriptRedaction

        redact = TranscriptRedaction()
        say(f"writing a redacted transcript to {wanted.transcript}: tool definitions, names and ids stay readable in it")
    else:
        say(f"writing the raw transcript to {wanted.transcript}: it holds everything that passes, secrets included")
    try:
        return TranscriptFile(fd, wanted.transcript, server=server, started_us=started_us, redact=redact)
    except TranscriptError as error:
        say(str(error))
        return None
