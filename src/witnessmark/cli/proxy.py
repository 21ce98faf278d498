"""`witnessmark proxy`: a server over stdio, byte for byte, with its evidence written before the bytes go on.

The server is started before anything heavy is imported: what we load, it loads beside us.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import click

from witnessmark.cli.options import store_option
from witnessmark.errors import UsageError, WitnessmarkError

if TYPE_CHECKING:
    from witnessmark.adapters.child import Child
    from witnessmark.adapters.configuration import Configuration
    from witnessmark.adapters.gate_setup import GateSetup
    from witnessmark.adapters.http.listener import Behind
    from witnessmark.adapters.recorded_session import RecordedSession
    from witnessmark.adapters.signals import SignalPipe
    from witnessmark.adapters.store.protocol import Durability, EvidenceStore, SessionKey
    from witnessmark.adapters.transcript_file import TranscriptFile
    from witnessmark.model.declaration import RunDeclaration
    from witnessmark.model.evidence import Fact
    from witnessmark.model.policy import Policy
    from witnessmark.observe.observer import Observer
    from witnessmark.observe.redact import Redactor

LOCKFILE: Final = "witnessmark.lock"
"""The lockfile in the working directory, where enforce is asked for and no other is named."""


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
    mode: Literal["observe", "enforce"]
    lockfile: str | None
    configuration: str | None
    task: str | None


@click.command(context_settings={"ignore_unknown_options": False, "allow_interspersed_args": False})
@click.argument("command", nargs=-1, type=click.UNPROCESSED, metavar="[-- COMMAND [ARG]...]")
@click.option("--server", metavar="NAME", help="The server's name, in evidence and configuration (default: from the command).")
@click.option("--listen", metavar="HOST:PORT", help="Watch a server over HTTP: listen there, and pass everything on to --upstream.")
@click.option("--upstream", metavar="URL", help="Where the server is, for --listen.")
@click.option("--token", metavar="env:NAME|FILE", help="Ask this token of clients of --listen (header Witnessmark-Token).")
@click.option("--allow-origin", "origins", metavar="ORIGIN", multiple=True, help="Pages of this origin may call --listen.")
@store_option
@click.option("--run", metavar="RUN", envvar="WITNESSMARK_RUN", help="Join this run (default: a new one).")
@click.option("--transcript", metavar="FILE", help="Write the raw transcript to FILE: it holds what passes.")
@click.option("--redact", is_flag=True, help="Replace the values in the transcript; shapes, sizes and the verdict stay.")
@click.option(
    "--mode",
    type=click.Choice(["observe", "enforce"]),
    default="observe",
    show_default=True,
    help="What the proxy may do: look on, or answer a call itself when its contract is not the approved one.",
)
@click.option("--lockfile", metavar="FILE", help="Hold calls to this lockfile (default in enforce: witnessmark.lock here).")
@click.option(
    "--config",
    "configuration",
    metavar="FILE",
    help="The configuration, and your word for it: declarations, the gate's policy (default: witnessmark.toml here, without it).",
)
@click.option("--task", metavar="NAME", help="The task of the named configuration whose outcomes and requirements hold.")
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
def proxy(context: click.Context, /, **options: Any) -> None:
    """Watch a server over stdio and record the evidence.

    The client starts this in place of the server: `witnessmark proxy -- COMMAND ARG...`; without a command, `--server NAME` starts
    that server of the configuration. What the configuration declares of its tools is kept before anything passes. Every byte
    passes as it came, in both directions; signals, end of file, exit code and standard error pass as if the proxy were not
    there. Nothing of ours is ever written to standard output.

    With --listen and --upstream it stands before a server over HTTP (docs/howto/http.md).

    With --mode enforce a call is let through only when the tool's current contract is known to be the approved one and the one
    that the client was last given; else it is answered here, and nothing is sent to the server (docs/howto/enforce.md).
    """
    http = options.pop("listen"), options.pop("upstream"), options.pop("token"), options.pop("origins")
    if any(http):
        context.exit(_listen(context, *http, options))
    if not options["command"] and options["server"] is None:
        raise click.UsageError(
            "name the server: -- COMMAND ARG..., --server NAME of the configuration, or --listen HOST:PORT --upstream URL", context
        )
    if os.name != "posix":
        raise UsageError(
            "the stdio proxy needs POSIX pipes and signals", where="witnessmark proxy", hint="run it on Linux or macOS, or in WSL"
        )
    if options["redact"] and options["transcript"] is None:
        raise click.UsageError("--redact needs --transcript", context)
    context.exit(_proxy(Wanted(**options)))


def _listen(
    context: click.Context, listen: str | None, upstream: str | None, token: str | None, origins: tuple[str, ...], options: dict[str, Any]
) -> int:
    """Watch a server over HTTP; the exit code."""
    if options["command"] or listen is None or (upstream is None and options["configuration"] is None):
        raise click.UsageError("--listen goes with --upstream URL, or with --config FILE that names servers; without a command", context)
    if options["transcript"] is not None:
        raise click.UsageError("--transcript is for servers over stdio", context)
    if options["mode"] == "observe" and options["lockfile"] is not None:
        raise click.UsageError("over HTTP --lockfile goes with --mode enforce", context)
    from witnessmark.adapters.clock import now_us
    from witnessmark.adapters.http import listener
    from witnessmark.adapters.store.location import open_store

    wanted = Wanted(**options)
    servers = _behind(wanted, upstream)
    asked = listener.Wanted(
        address=listener.parse_address(listen),
        servers=servers,
        mounted=upstream is None,
        token=listener.read_token(token) if token is not None else None,
        origins=origins,
        run=wanted.run,
        on_store_failure=wanted.on_store_failure,
        gates=_gates(wanted, servers),
    )
    redactor = _redactor(wanted, now_us())
    return listener.run(asked, redactor, lambda: open_store(wanted.store, durability=wanted.durability))


def _gates(wanted: Wanted, servers: tuple[Behind, ...]) -> dict[str, GateSetup]:
    """What the calls of each server are held to; nothing where it is only watched."""
    if wanted.mode == "observe":
        return {}
    from witnessmark.adapters.gate_setup import gate_setup

    lockfile = wanted.lockfile if wanted.lockfile is not None else LOCKFILE
    return {server.name: gate_setup(server.name, lockfile, wanted.configuration) for server in servers}


def _behind(wanted: Wanted, upstream: str | None) -> tuple[Behind, ...]:
    """The servers behind the listener: the one at `upstream`, or those of the configuration that have a URL."""
    from witnessmark.adapters.http.listener import Behind
    from witnessmark.adapters.http_origin import origin_of

    if upstream is not None:
        return (Behind(wanted.server or origin_of(upstream).host, upstream),)
    from witnessmark.adapters.configuration import read_configuration

    found = [entry for entry in read_configuration(wanted.configuration).servers if entry.launch.url]
    chosen = [entry for entry in found if wanted.server in (None, entry.name)]
    if not chosen:
        raise UsageError("names no server with a URL", where=str(wanted.configuration), hint="write [servers.NAME] with a url")
    return tuple(
        Behind(entry.name, entry.held.filled(entry.launch.url, entry.name), entry.held.resolve(entry.launch.headers, entry.name))
        for entry in chosen
    )


def _proxy(wanted: Wanted) -> int:
    """The exit code of the session."""
    from witnessmark.adapters.child import end_like, spawn, stop_child
    from witnessmark.adapters.descriptors import claim_standard_streams
    from witnessmark.adapters.signals import SignalPipe

    claim_standard_streams()
    if wanted.store is not None and "://" in wanted.store:
        from witnessmark.adapters.store.location import store_path

        store_path(wanted.store)  # a kind of store that we do not know must not start a server first
    before = _before(wanted)
    gate = _gate_setup(wanted, before)
    transcript = None
    if wanted.transcript is not None:
        from witnessmark.adapters.transcript_file import open_transcript

        transcript = open_transcript(wanted.transcript)
    signals = SignalPipe()
    child = spawn(before.command, mask=signals.original_mask, environment=before.environment, directory=before.directory)
    signals.start()
    from witnessmark.adapters.diagnostics import say

    try:
        code = _observe(wanted, before, gate, transcript, child, signals)
    except WitnessmarkError as error:
        # Said here and without waiting: the client may not read our standard error.
        say(f"error: {error}")
        stop_child(child, signals)
        return error.exit_code
    except BaseException:
        stop_child(child, signals)  # a defect of ours must not leave the server behind
        raise
    return end_like(code)


class Before(NamedTuple):
    """What is settled before the server is started: how, under which name, and the configuration if one had to be read for it."""

    command: tuple[str, ...]
    server: str
    environment: Mapping[str, str] | None = None
    directory: str | None = None
    configuration: Configuration | None = None


def _before(wanted: Wanted) -> Before:
    """How the server is started. A configuration that was named, or that has its command, must be right for that."""
    if not wanted.command:
        from witnessmark.adapters.proxy_plan import configured, planned

        configuration, start = configured(wanted.configuration, wanted.server)
        before = Before(start.command, wanted.server or "", start.environment, start.directory, configuration)
    elif wanted.configuration is not None or wanted.task is not None:
        from witnessmark.adapters.configuration import read_configuration
        from witnessmark.adapters.identity import server_name
        from witnessmark.adapters.proxy_plan import planned

        before = Before(
            wanted.command,
            wanted.server or server_name(wanted.command),
            configuration=read_configuration(wanted.configuration) if wanted.configuration is not None else None,
        )
    else:
        return Before(wanted.command, wanted.server or "")
    planned(before.configuration, before.server, wanted.task)
    return before


def _declared(wanted: Wanted, before: Before) -> tuple[RunDeclaration | None, Policy | None]:
    """What is declared for the session, and the policy; what does not count is said on standard error."""
    from witnessmark.adapters.diagnostics import say

    configuration = before.configuration
    if configuration is None:
        if not os.path.exists("witnessmark.toml"):
            return None, None
        from witnessmark.adapters.proxy_plan import found

        configuration, problem = found()
        if problem:
            say(problem)
    from witnessmark.adapters.proxy_plan import planned
    from witnessmark.adapters.receipts import RUN_VARIABLE, is_independent

    plan = planned(configuration, before.server, wanted.task)
    if plan.declaration is not None and not is_independent():
        say(f"inside a run ({RUN_VARIABLE} is set) the configuration declares nothing: what the run declared holds")
        return None, None
    for remark in plan.remarks:
        say(remark)
    return plan.declaration, plan.policy


def _gate_setup(wanted: Wanted, before: Before) -> GateSetup | None:
    """The lock and the policy, read before anything is started; None where nothing is asked of them."""
    lockfile = wanted.lockfile if wanted.lockfile is not None or wanted.mode == "observe" else LOCKFILE
    if lockfile is None:
        return None
    from witnessmark.adapters.gate_setup import gate_setup
    from witnessmark.adapters.identity import server_name

    return gate_setup(before.server or server_name(before.command), lockfile, wanted.configuration)


def _observe(wanted: Wanted, before: Before, gate: GateSetup | None, transcript: int | None, child: Child, signals: SignalPipe) -> int:
    from witnessmark.adapters.diagnostics import say
    from witnessmark.adapters.stdio_proxy import StdioProxy

    # What is loaded now lives as long as we do: the collector need never look at it, neither while it loads nor later.
    gc.disable()
    session = _session(wanted, before, gate, transcript)
    session.begin()
    gc.freeze()
    gc.enable()
    loop = StdioProxy(child, signals, session)
    code = loop.run()
    if code != 0 and not loop.forwarded_from_server:
        how = f"with exit code {code}" if code > 0 else f"by signal {-code}"
        say(f"the server ended {how} before it said anything: {before.command[0]}")
    return code


def _session(wanted: Wanted, before: Before, setup: GateSetup | None, transcript: int | None) -> RecordedSession:
    from witnessmark.adapters.clock import now_us
    from witnessmark.adapters.diagnostics import say
    from witnessmark.adapters.identity import new_id, observer_source, server_name
    from witnessmark.adapters.recorded_session import RecordedSession
    from witnessmark.model.chain import Recorder
    from witnessmark.observe.observer import Observer

    started_us = now_us()
    server = before.server or server_name(before.command)
    before = before._replace(server=server)
    run = wanted.run or new_id(started_us)
    redactor = _redactor(wanted, started_us)
    observer = Observer(server, redactor)
    declaration, policy = _declared(wanted, before)
    facts = _facts(declaration, observer, redactor)
    recorder = Recorder(observer_source(), new_id(started_us), run)
    if wanted.verbose:
        say(f"run {run}, session {recorder.session}, server {server}")

    def open_session() -> tuple[EvidenceStore, SessionKey]:
        from witnessmark.adapters.store.location import open_store

        # Under `refuse` nothing passes that the store itself did not take.
        writer_of = None if wanted.on_store_failure == "refuse" else (recorder.source, recorder.session)
        store = open_store(wanted.store, durability=wanted.durability, writer_of=writer_of)
        if facts:
            from witnessmark.adapters.declaring import keep

            keep(store, run, facts)
        key = store.open_session(source=recorder.source, session=recorder.session, run=run, server=observer.server, opened_us=started_us)
        return store, key

    written = _transcript(wanted, transcript, server, started_us)
    failure = wanted.on_store_failure
    if setup is None:
        return RecordedSession(observer, recorder, open_session, on_store_failure=failure, transcript=written, policy=policy)
    from witnessmark.adapters.gate_setup import gate_session
    from witnessmark.adapters.gated_session import GatedSession
    from witnessmark.gate.relay import WatchingRelay

    gate = gate_session(setup, observer, redactor, enforce=wanted.mode == "enforce")
    if wanted.mode == "enforce":
        return GatedSession(observer, recorder, open_session, gate, setup, on_store_failure=failure, transcript=written, policy=policy)
    relay = WatchingRelay(observer, recorder, gate)
    return RecordedSession(observer, recorder, open_session, on_store_failure=failure, transcript=written, relay=relay, policy=policy)


def _facts(declaration: RunDeclaration | None, observer: Observer, redact: Redactor) -> list[Fact]:
    """The facts of the declaration; the observer learns at once where operation keys stand, whatever becomes of the store."""
    if declaration is None:
        return []
    from witnessmark.model.evidence import EffectDeclared
    from witnessmark.observe.declarations import declare, take_up

    facts = declare(declaration, redact)
    for fact in facts:
        if isinstance(fact, EffectDeclared):
            take_up(observer, fact)
    return facts


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
