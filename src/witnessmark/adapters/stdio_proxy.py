"""The stdio proxy's loop: one thread, one poll, four streams.

    client --0--> [session: record, then forward] --> child's stdin
    client <--1-- [session: record, then forward] <-- child's stdout
    client <--2-- [ring]                          <-- child's stderr

What is forwarded is what the session returns; the loop adds nothing and drops nothing, except where nobody is left to read.
Why one poll loop and no threads or asyncio: docs/adr (the stdio loop).
"""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Callable, Iterable
from typing import Final, Literal, Protocol

from witnessmark.adapters.child import STOP_GRACE_S, Child, stop_child
from witnessmark.adapters.clock import now_us
from witnessmark.adapters.descriptors import STDERR, STDIN, STDOUT, close_quietly, kind_of, replace_with_null, set_nonblocking
from witnessmark.adapters.pumps import PENDING_LIMIT_BYTES, READ_BYTES, Sink, StderrRing
from witnessmark.adapters.signals import SignalPipe
from witnessmark.errors import WorldError

Side = Literal["client", "server"]
Ender = Literal["client", "server", "tap"]

BEAT_S: Final = 10.0
"""How often an open session's sign of life is renewed: a tenth of the shortest default clock of a judgement (60 s) and a bit."""

QUIET_S: Final = 0.25
"""After the child's end its output is read until end of file, or, where a grandchild holds the pipe open, until nothing came for
this long. Output that the child itself wrote is in the pipe already, so it is read without waiting."""

STDERR_GRACE_S: Final = 0.5
"""After everything else is done, how long the last words of standard error wait for a reader who makes no progress."""

_ENDING: Final = frozenset({signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT})
_READABLE: Final = select.POLLIN | select.POLLHUP | select.POLLERR
_GONE: Final = select.POLLERR | select.POLLHUP | select.POLLNVAL


class SessionRefused(WorldError):
    """The session cannot go on without breaking its policy (evidence cannot be written and `refuse` was chosen)."""


class Session(Protocol):
    """What looks at the traffic. Every method records first and then returns what to forward, in order."""

    def receive(self, side: Side, data: bytes) -> Iterable[tuple[Side, bytes]]:
        """`data` came from `side`; returns the bytes to send, each with the side that it goes to. May raise SessionRefused."""

    def eof(self, side: Side) -> Iterable[tuple[Side, bytes]]:
        """`side` will send no more; returns what was held back of it."""

    @property
    def unsettled(self) -> bool:
        """Whether `settle` wants to be called as soon as nothing else is to be done."""

    def settle(self) -> None:
        """Do what nobody waits for. May raise SessionRefused."""

    def idle(self) -> None:
        """Nothing else to do; called every BEAT_S."""

    @property
    def due_us(self) -> int | None:
        """When `wake` wants to be called (microseconds since the epoch); None: never."""

    def wake(self) -> Iterable[tuple[Side, bytes]]:
        """Time passed; as `receive`."""

    def exited(self, code: int | None, by: Ender) -> None:
        """The session is over, ended by that side: the child's exit code (negative: by signal), None where it was left running."""


class StdioProxy:
    """Moves bytes between the client on our standard streams and `child`, through `session`, until the child has ended."""

    def __init__(self, child: Child, signals: SignalPipe, session: Session) -> None:
        self._child = child
        self._signals = signals
        self._session = session
        self._restore_stdout = set_nonblocking(STDOUT)
        self._to_client = Sink(STDOUT, nonblocking=not os.get_blocking(STDOUT) or kind_of(STDOUT) in {"file", "other"})
        self._to_server = Sink(child.stdin, nonblocking=True)
        self._sinks: Final[dict[Side, Sink]] = {"client": self._to_client, "server": self._to_server}
        self._client_in: int | None = STDIN
        self._server_out: int | None = child.stdout
        self._ring = StderrRing(child.stderr) if child.stderr is not None else None
        self._poll = select.poll()
        self._watched: Final[dict[int, int]] = {}
        self._code: int | None = None
        self._ender: Ender | None = None
        self._over = False
        self._unsettled = True
        self._abandoned = False
        self._refused: SessionRefused | None = None
        self.forwarded_from_server = False
        """Whether the server ever said anything: an end before that deserves a word of explanation."""

    def run(self) -> int:
        """The child's exit code (negative: killed by that signal), once all it wrote is delivered or nobody reads it.

        Raises SessionRefused after an orderly end where the session could not go on.
        """
        try:
            self._loop()
        finally:
            self._leave()
        if self._refused is not None:
            raise self._refused
        return self._code if self._code is not None else 0

    # --- the loop ----------------------------------------------------------------------------------------------------

    def _loop(self) -> None:
        handlers: dict[int, Callable[[int], None]] = {
            STDIN: self._on_client,
            STDOUT: self._on_client_sink,
            STDERR: self._on_stderr_sink,
            self._child.stdin: self._on_server_sink,
            self._child.stdout: self._on_server,
            self._signals.fd: self._on_signals,
        }
        if self._child.stderr is not None:
            handlers[self._child.stderr] = self._on_stderr
        self._watch(self._signals.fd, select.POLLIN)
        self._on_end_of_child()  # it may have ended before the signals were watched
        beat_at = time.monotonic() + BEAT_S
        self._settle()
        timeout_ms = self._timeout_ms(beat_at, time.monotonic())
        to_client, to_server = self._to_client, self._to_server
        poll = self._poll.poll
        while not self._finished():
            ready = poll(timeout_ms)
            for fd, event in ready:
                handlers[fd](event)
            if not ready:
                self._on_quiet()
            now = time.monotonic()
            if now >= beat_at:
                self._beat()
                beat_at = now + BEAT_S
            due_us = self._session.due_us
            if due_us is not None:
                self._wake_if_due(due_us)
            if self._unsettled or to_client.pending_bytes or to_server.pending_bytes or to_client.broken or to_server.broken:
                self._settle()
            timeout_ms = self._timeout_ms(beat_at, now)

    def _settle_session(self) -> None:
        try:
            self._session.settle()
        except SessionRefused as refusal:
            self._refuse(refusal)

    def _beat(self) -> None:
        try:
            self._session.idle()
        except SessionRefused as refusal:
            self._refuse(refusal)

    def _wake_if_due(self, due_us: int) -> None:
        if now_us() < due_us:
            return
        try:
            self._forward(self._session.wake())
        except SessionRefused as refusal:
            self._refuse(refusal)

    def _timeout_ms(self, beat_at: float, now: float) -> float:
        if self._session.unsettled:
            return 0.0
        if self._code is not None and not self._holds_traffic():
            return QUIET_S * 1000 if self._server_out is not None else STDERR_GRACE_S * 1000
        due_us = self._session.due_us
        if due_us is not None:
            # Rounded up: waking a little early would only spin.
            return max(0.0, min((beat_at - now) * 1000, (due_us - now_us()) / 1000 + 1))
        return (beat_at - now) * 1000

    def _holds_traffic(self) -> bool:
        return self._to_client.pending_bytes > 0

    def _settle(self) -> None:
        """Bring what poll watches in line with what can be done now; again as long as something is unusual."""
        to_client, to_server = self._to_client, self._to_server
        self._unsettled = bool(to_client.pending_bytes or to_server.pending_bytes)
        if to_client.broken and self._server_out is not None and not self._over:
            self._close_server_out()  # the server's next write fails, as it would without us
        if to_server.broken and self._client_in is not None:
            self._close_client_in()
        if self._client_in is not None:
            self._watch(STDIN, select.POLLIN if to_server.pending_bytes <= PENDING_LIMIT_BYTES else 0)
        if self._server_out is not None:
            self._watch(self._server_out, select.POLLIN if to_client.pending_bytes <= PENDING_LIMIT_BYTES else 0)
        self._settle_sink(to_client)
        self._settle_sink(to_server)
        if self._ring is not None:
            if self._ring.source is not None:
                self._watch(self._ring.source, select.POLLIN)
            self._watch(STDERR, select.POLLOUT if self._ring.waiting else 0)

    def _settle_sink(self, sink: Sink) -> None:
        if sink.fd < 0:
            return
        if sink.broken or (sink.finishing and not sink.pending_bytes):
            self._watch(sink.fd, 0)
            if sink.fd == STDOUT:
                if self._restore_stdout:
                    os.set_blocking(STDOUT, True)
                    self._restore_stdout = False
                replace_with_null(STDOUT)
            else:
                close_quietly(sink.fd)
            sink.fd = -1
        else:
            # POLLERR and POLLHUP are reported without being asked for: a reader who goes away is seen at once.
            self._watch(sink.fd, select.POLLOUT if sink.pending_bytes else select.POLLERR)

    def _watch(self, fd: int, mask: int) -> None:
        """Watch `fd` for `mask`; 0 takes it out, since a closed peer would be reported again and again otherwise."""
        if self._watched.get(fd, 0) == mask:
            return
        if mask:
            self._poll.register(fd, mask)
            self._watched[fd] = mask
        else:
            self._poll.unregister(fd)
            del self._watched[fd]

    def _finished(self) -> bool:
        if self._abandoned:
            return True
        if self._code is None or self._server_out is not None:
            return False
        if self._to_client.pending_bytes and not self._to_client.broken:
            return False
        return self._ring is None or (self._ring.source is None and not self._ring.waiting)

    # --- traffic -----------------------------------------------------------------------------------------------------

    def _on_client(self, event: int) -> None:
        if self._client_in is None or not event & _READABLE:
            return
        data = _read(STDIN)
        try:
            if data:
                self._forward(self._session.receive("client", data))
            elif data is not None:
                self._end_of_client()
        except SessionRefused as refusal:
            self._refuse(refusal)

    def _on_server(self, event: int) -> None:
        if self._server_out is None or not event & _READABLE:
            return
        data = _read(self._server_out)
        try:
            if data:
                self.forwarded_from_server = True
                self._forward(self._session.receive("server", data))
            elif data is not None:
                self._end_of_server()
        except SessionRefused as refusal:
            self._refuse(refusal)

    def _forward(self, effects: Iterable[tuple[Side, bytes]]) -> None:
        for side, data in effects:
            self._sinks[side].write(data)

    def _end_of_client(self) -> None:
        self._unsettled = True
        self._watch(STDIN, 0)
        self._client_in = None
        self._ended_by("client")
        self._to_server.finishing = True
        self._forward(self._session.eof("client"))

    def _end_of_server(self) -> None:
        self._unsettled = True
        self._close_server_out()
        self._ended_by("server")
        self._to_client.finishing = True
        self._forward(self._session.eof("server"))
        self._end_session_if_over()

    def _on_client_sink(self, event: int) -> None:
        self._on_sink(self._to_client, event)

    def _on_server_sink(self, event: int) -> None:
        self._on_sink(self._to_server, event)

    @staticmethod
    def _on_sink(sink: Sink, event: int) -> None:
        if event & select.POLLOUT and sink.pending_bytes:
            sink.flush()
        elif event & _GONE:
            sink.breaks()

    def _on_stderr(self, event: int) -> None:
        del event
        self._unsettled = True
        if self._ring is None or self._ring.source is None:
            return
        source = self._ring.source
        if not self._ring.read():
            self._forget(source)

    def _on_stderr_sink(self, event: int) -> None:
        del event  # an error shows when writing
        self._unsettled = True
        if self._ring is not None:
            self._ring.flush()

    def _close_server_out(self) -> None:
        if self._server_out is not None:
            self._watch(self._server_out, 0)
            close_quietly(self._server_out)
            self._server_out = None

    def _close_client_in(self) -> None:
        if self._client_in is not None:
            self._watch(STDIN, 0)
            replace_with_null(STDIN)  # the client's next write fails, as it would without us
            self._client_in = None

    def _forget(self, closed: int) -> None:
        """Stop watching a descriptor that is closed already."""
        if self._watched.pop(closed, 0):
            self._poll.unregister(closed)

    # --- signals and the end -----------------------------------------------------------------------------------------

    def _on_signals(self, event: int) -> None:
        del event
        self._unsettled = True
        for number, from_kernel in self._signals.take():
            if number == signal.SIGCHLD:
                self._on_end_of_child()
                continue
            if number in _ENDING:
                self._ended_by("client")
            if not from_kernel:
                self._child.send(number)
            if number == signal.SIGTSTP:
                self._signals.stop_here()
            elif self._code is not None and number in _ENDING:
                self._abandoned = True  # only undelivered bytes keep us here, and somebody wants us gone

    def _on_end_of_child(self) -> None:
        if self._code is None:
            self._code = self._child.reap()
            if self._code is not None:
                self._ended_by("server")
            self._end_session_if_over()

    def _on_quiet(self) -> None:
        """Nothing happened for the time that `_timeout_ms` allowed."""
        if self._session.unsettled:
            self._settle_session()
            return
        if self._code is None or self._holds_traffic():
            return
        if self._server_out is not None:
            try:
                self._end_of_server()
            except SessionRefused as refusal:
                self._refuse(refusal)
        else:
            self._abandoned = True  # only standard error is left, and nobody reads it

    def _ended_by(self, side: Ender) -> None:
        """Note who ended the session: the first one counts, the other only follows."""
        self._ender = self._ender or side

    def _end_session_if_over(self) -> None:
        if self._code is not None and self._server_out is None and not self._over:
            self._over = True
            self._session.exited(self._code, self._ender or "tap")

    def _refuse(self, refusal: SessionRefused) -> None:
        """End the session in good order: what was recorded is delivered, nothing more is read, the child is stopped."""
        self._refused = refusal
        self._ended_by("tap")
        self._close_client_in()
        self._close_server_out()
        self._deliver_pending(STOP_GRACE_S)
        self._to_server.breaks()
        self._to_server.fd = -1
        replace_with_null(STDOUT)
        self._code = stop_child(self._child, self._signals)
        self._abandoned = True

    def _deliver_pending(self, limit_s: float) -> None:
        until = time.monotonic() + limit_s
        while (left := until - time.monotonic()) > 0:
            waiting = [sink for sink in (self._to_client, self._to_server) if sink.pending_bytes]
            if not waiting:
                return
            poll = select.poll()
            for sink in waiting:
                poll.register(sink.fd, select.POLLOUT)
            room = dict(poll.poll(left * 1000))
            for sink in waiting:
                if sink.fd in room:
                    self._on_sink(sink, room[sink.fd])

    def _leave(self) -> None:
        if not self._over:
            self._over = True
            self._session.exited(self._code, self._ender or "tap")
        if self._restore_stdout:
            self._restore_stdout = False
            os.set_blocking(STDOUT, True)


def _read(fd: int) -> bytes | None:
    """The next bytes; empty at end of file and where the source failed (a terminal that hung up), which is the same end.

    None where another reader was faster, on a descriptor that somebody else made non-blocking.
    """
    try:
        return os.read(fd, READ_BYTES)
    except BlockingIOError:
        return None
    except OSError:
        return b""
