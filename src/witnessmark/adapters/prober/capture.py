"""`capture`: the whole catalog of one server, seen by one profile, on a process or a connection of our own.

The era is found by probing (2026-07-28 basic/versioning): `server/discover` first; a server that does not know it is asked by
`initialize`. A process that may be bound to the other era by then is ended, and a new one is asked. No tool is ever called.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from witnessmark.adapters.held_values import NO_VALUES, HeldValues
from witnessmark.adapters.prober.conversation import NotModern, Session, Walker, discover, initialize
from witnessmark.adapters.prober.ending import EndCode, NoAnswer, ProbeEnded, ServerGone
from witnessmark.adapters.prober.limits import ProbeLimits
from witnessmark.adapters.prober.process import ServerProcess
from witnessmark.adapters.prober.record import Record
from witnessmark.adapters.prober.stdio import StdioLink
from witnessmark.adapters.prober.traversal import NO_TOOLS
from witnessmark.adapters.server_entry import ServerEntry, startable
from witnessmark.errors import UsageError
from witnessmark.model.capture import Capture, Launch, Profile
from witnessmark.wire.revisions import Era, lookup

_DEFAULTS: Final = ProbeLimits()


def capture(
    launch: Launch,
    server: str,
    profile: Profile = "bare",
    limits: ProbeLimits = _DEFAULTS,
    *,
    held: HeldValues = NO_VALUES,
    directory: str | None = None,
    last_version: str = "",
    known: Mapping[str, dict[str, Any]] = NO_TOOLS,
) -> Capture:
    """The catalog of the server that `launch` starts or reaches. Incomplete, with the reason, wherever anything ended it early.

    `held` resolves references of a client's file, `directory` is where the command runs, `last_version` the protocol version
    that this server spoke last time: a legacy one is tried first, which saves a probe. A tool that equals the one of its name
    in `known` is that very object, so that a large catalog stands in memory once.
    Raises UsageError (a reference that leads nowhere, a launch that is none), CommandNotFound, CommandNotExecutable and
    WorldError (the command cannot be started). Everything that happens after the start is in the capture.
    """
    if launch.url:
        from witnessmark.adapters.prober.reaching import capture_over_http  # noqa: PLC0415 - http.client and ssl: only where asked for

        reached = msgspec.structs.replace(launch, url=held.filled(launch.url, server))
        found = capture_over_http(reached, server, profile, limits, held.resolve(launch.headers, server), last_version, known)
        return msgspec.structs.replace(found, launch=launch)
    if not launch.command:
        raise UsageError("has neither a command nor a URL", where=server, hint='give it one: `command = [...]` or `url = "..."`')
    values = held.resolve(launch.environment, server)
    command = tuple(held.filled(word, server) for word in launch.command)

    def start() -> ServerProcess:
        return ServerProcess(command, {**os.environ, **values}, directory, values.values())

    return _StdioCapture(start, Capture(server=server, profile=profile, launch=launch), limits, known).run(last_version)


def capture_server(entry: ServerEntry, profile: Profile = "bare", limits: ProbeLimits = _DEFAULTS, *, last_version: str = "") -> Capture:
    """The catalog of a server that was found in a file or given after `--`; as `capture`, and UsageError where its entry is none.

    Whether it may be started is asked before (`server_entry.confirmed`), not here.
    """
    launch = startable(entry).launch
    return capture(launch, entry.name, profile, limits, held=entry.held, directory=entry.directory, last_version=last_version)


class _StdioCapture:
    """One capture over pipes: up to three processes, one after the other."""

    def __init__(
        self, start: Callable[[], ServerProcess], empty: Capture, limits: ProbeLimits, known: Mapping[str, dict[str, Any]]
    ) -> None:
        self._known = known
        self._start = start
        self._profile = empty.profile
        self._record = Record(empty)
        self._limits = limits
        self._deadline = time.monotonic() + limits.overall_s
        self._process: ServerProcess | None = None

    def run(self, last_version: str) -> Capture:
        """The capture; no process of ours is left when it returns or raises."""
        walker: Walker | None = None
        try:
            link, session = self._session(last_version)
            self._record.session = session
            walker = Walker(link, session, self._profile, self._limits, self._known)
            return self._record.complete(walker.walk())
        except ProbeEnded as ended:
            self._record.pages = walker.pages if walker is not None else 0
            return self._record.incomplete(self._explained(ended))
        finally:
            self._stop()

    def _session(self, last_version: str) -> tuple[StdioLink, Session]:
        last = lookup(last_version)
        if last is not None and last.era is Era.LEGACY:
            link = self._open()
            try:
                return link, initialize(link, self._profile, self._limits.start_s)
            except ProbeEnded as ended:
                if ended.code is not EndCode.VERSION:
                    raise
        silent = False
        link = self._open()
        try:
            return link, discover(link, self._profile, self._limits.discover_s)
        except NotModern as refused:
            if not refused.bound:
                found = self._handshake_on_the_same(link)
                if found is not None:
                    return link, found
        except NoAnswer:
            silent = True
        except ServerGone:  # a server may die of a method that it does not know
            pass
        return self._handshake_on_a_new_one(silent=silent)

    def _handshake_on_the_same(self, link: StdioLink) -> Session | None:
        """The session on the process that refused `server/discover` with an ordinary error, as the official clients do; or None."""
        try:
            return initialize(link, self._profile, self._limits.answer_s)
        except (ServerGone, NoAnswer):
            return None
        except ProbeEnded as ended:
            if ended.code is EndCode.VERSION:
                return None
            raise

    def _handshake_on_a_new_one(self, *, silent: bool) -> tuple[StdioLink, Session]:
        """The session of a new process. One that was silent may only have been slow to start: then discovery gets a second chance."""
        link = self._open()
        try:
            return link, initialize(link, self._profile, self._limits.start_s)
        except ProbeEnded as ended:
            if not silent or ended.code is not EndCode.VERSION:
                raise
        link = self._open()
        try:
            return link, discover(link, self._profile, self._limits.start_s)
        except NotModern:
            raise ProbeEnded(EndCode.VERSION, "the server refuses both initialize and server/discover") from None

    def _open(self) -> StdioLink:
        self._stop()
        self._process = self._start()
        return StdioLink(self._process, self._profile, self._limits, self._deadline)

    def _stop(self) -> None:
        if self._process is not None:
            self._process.stop()

    def _explained(self, ended: ProbeEnded) -> str:
        """The reason, with what the process itself can tell: its exit code, if it ended by itself, and its last words."""
        if self._process is None:
            return ended.reason
        reason = ended.reason
        if isinstance(ended, ServerGone):
            code = self._process.stop()
            if code is not None:
                reason += f", with exit code {code}" if code >= 0 else f", by signal {-code}"
        elif ended.code is EndCode.TIME:
            self._process.kill()
        words = self._process.last_words()
        return f"{reason}; its standard error ends: {words}" if words else reason
