"""A proxy's session with evidence: what the relay tells is kept by the store before the bytes go on.

Where the store fails, the policy decides: `refuse` ends the session, `forward_and_mark_gap` lets the bytes pass, counts what
was not written, and writes a gap with the count as soon as the store takes it. Where our own observer fails, the bytes pass
unseen from there on, and a gap says so. In no case is a byte changed, added or lost.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Final, Literal

from witnessmark.adapters.clock import now_us
from witnessmark.adapters.diagnostics import say
from witnessmark.adapters.live_clocks import LiveClocks
from witnessmark.adapters.stdio_proxy import SessionRefused
from witnessmark.adapters.store.protocol import Cursor, EvidenceStore, SessionKey
from witnessmark.errors import (
    OurError,
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreLocked,
    StoreReadOnly,
    StoreTooNew,
    WitnessmarkError,
    WorldError,
)
from witnessmark.model.chain import GENESIS, Entry, Recorder
from witnessmark.model.evidence import Side
from witnessmark.model.policy import Policy
from witnessmark.observe.declarations import take_up
from witnessmark.observe.observer import Observer
from witnessmark.observe.relay import Effects, Record, Relay
from witnessmark.render.alerts import alert
from witnessmark.state.clock_watch import Expiry

if TYPE_CHECKING:
    from witnessmark.adapters.transcript_file import TranscriptFile  # it imports what a session without a transcript need not load

OnStoreFailure = Literal["refuse", "forward_and_mark_gap"]

CALL: Final = b"tools/call"
"""Seen in the client's bytes, it makes us look for declarations before the call is observed."""

LOOK_EVERY_US: Final = 1_000
"""At most so often: the look costs 5 us, and between two calls that a declaration stands between there are milliseconds."""

PRESENT_S: Final = 1.0
"""How often it is looked whether the store's file still stands where it was opened: what is written to a removed one is lost."""
RETRY_S: Final = 1.0
"""How long a failed store is left alone: a try may wait for a lock, and the client waits with it."""

_REASONS: Final[dict[type[WitnessmarkError], str]] = {
    StoreLocked: "store_locked",
    StoreFull: "store_full",
    StoreReadOnly: "store_read_only",
    StoreCorrupt: "store_corrupt",
    StoreTooNew: "store_too_new",
}
_OTHER: Final[dict[Side, Side]] = {"client": "server", "server": "client"}

Pieces = Iterable[tuple[Side, bytes]]


class RecordedSession:
    """One session of one server: relay, store and transcript behind the loop's four calls.

    `open_store` is called until it succeeds; it gives the store (made ready for appending) and the session's key there.
    """

    def __init__(
        self,
        observer: Observer,
        recorder: Recorder,
        open_store: Callable[[], tuple[EvidenceStore, SessionKey]],
        *,
        on_store_failure: OnStoreFailure = "forward_and_mark_gap",
        transcript: TranscriptFile | None = None,
        relay: Relay | None = None,
        policy: Policy | None = None,
    ) -> None:
        self._recorder = recorder
        self._relay = relay if relay is not None else Relay(observer, recorder)
        self._open_store = open_store
        self._on_store_failure = on_store_failure
        self._transcript = transcript
        self._store: EvidenceStore | None = None
        self._key = SessionKey(0)
        self._committed: tuple[int, bytes] = (0, GENESIS)
        self._lost = 0
        self._lost_reason = ""
        self._retry_at = 0.0
        self._waits = False
        # What the relay holds back is known here too, so that a failure of it loses no byte.
        self._held: Final[dict[Side, deque[bytes]]] = {"client": deque(), "server": deque()}
        self._blind = False
        self._ending = False
        self._large_frames = False
        self._observer = observer
        self._declared = Cursor()
        self._changes = -1
        self._looked_us = 0
        self._present_until = 0.0
        self._clocks = LiveClocks(policy if policy is not None else Policy())
        self._to_cancel: list[Expiry] = []

    def begin(self) -> None:
        """Open the store and record that the session begins. Raises SessionRefused under `refuse`."""
        self._carry_out(self._relay.opened(now_us()))
        self._take_up_declarations()

    # --- traffic -----------------------------------------------------------------------------------------------------

    def receive(self, side: Side, data: bytes) -> Pieces:
        """Record what `data` tells, then give what may go on. Raises SessionRefused under `refuse`."""
        now = now_us()
        if self._transcript is not None:
            self._transcribe(lambda transcript: transcript.receive(side, data, now))
        if self._blind:
            return [(_OTHER[side], data)]
        if self._lost:
            self._write_gap(now)
        if side == "client" and not 0 <= now - self._looked_us < LOOK_EVERY_US and CALL in data:
            self._looked_us = now
            self._take_up_declarations()
        try:
            effects = self._relay.receive(side, data, now)
        except Exception as defect:  # noqa: BLE001 - whatever is wrong with us, the bytes pass
            return self._pass_unseen(side, data, defect)
        pieces = self._carry_out(effects)
        held = self._held[side]
        if held or len(pieces) != 1 or len(pieces[0][1]) != len(data):
            if not self._large_frames:
                self._expect_large_frames()
            held.append(data)
            _drop(held, sum(len(piece) for _, piece in pieces))
        return pieces

    def eof(self, side: Side) -> Pieces:
        """Record the end of a side and give what was held back of an unfinished line."""
        now = now_us()
        if self._transcript is not None:
            self._transcribe(lambda transcript: transcript.eof(side, now))
        if self._blind:
            return []
        try:
            effects = self._relay.eof(side, now)
        except Exception as defect:  # noqa: BLE001 - as in receive
            return self._pass_unseen(side, b"", defect)
        self._held[side].clear()
        return self._carry_out(effects)

    @property
    def due_us(self) -> int | None:
        """When `wake` wants to be called (evidence time, microseconds); None: never."""
        return self._clocks.due_us

    def wake(self) -> Pieces:
        """Record the clocks that ran out and say so; cancel those calls where the policy asks for it. Raises SessionRefused."""
        expired = self._clocks.expired()
        if self._blind:
            return []
        now = now_us()
        pieces: list[tuple[Side, bytes]] = []
        if expired:
            pieces += self._carry_out(self._relay.note([one.fact for one in expired], now))
            for one in expired:
                say(alert(one.fact))
            if self._clocks.cancels:
                self._to_cancel += [one for one in expired if one.cancellable]
        return pieces + self._cancel(now) if self._to_cancel else pieces

    def _cancel(self, now: int) -> list[tuple[Side, bytes]]:
        """Cancel what is to be cancelled; what cannot be now, because a large request is passing, waits for the next wake."""
        pieces: list[tuple[Side, bytes]] = []
        waiting: list[Expiry] = []
        for one in self._to_cancel:
            effects = self._relay.cancel(one.fact.id, now) if one.call.open else []
            if effects is None:
                waiting.append(one)
                continue
            pieces += self._carry_out(effects)
        self._to_cancel = waiting
        if waiting:
            self._clocks.again()
        return pieces

    @property
    def unsettled(self) -> bool:
        """Whether `settle` has something to do."""
        return self._store is not None and self._store.unsettled

    def settle(self) -> None:
        """Bring recorded entries to where readers see them, while nobody waits. Raises SessionRefused under `refuse`."""
        if self._store is None:
            return
        try:
            self._store.settle()
        except Exception as error:  # noqa: BLE001 - as in _append
            if self._on_store_failure == "refuse":
                self._fails(error, 0)
            elif not self._waits:
                self._waits = True
                say(f"the store cannot be written now; evidence waits beside it, up to a limit: {error}")

    def idle(self) -> None:
        """Renew the session's sign of life, or try to write an open gap."""
        now = now_us()
        if self._lost:
            self._write_gap(now)
        jumped = self._clocks.jumped()
        if jumped is not None and not self._blind:
            say(f"the wall clock was set by {jumped.by_s:+.0f} s; deadlines are measured on")
            self._carry_out(self._relay.note([jumped], now))
        if self._store is None or self._lost:
            return
        try:
            self._store.beat(self._key, now)
        except Exception:  # noqa: BLE001
            return  # a sign of life that is missing says what is to be said

    def exited(self, code: int | None, by: str) -> None:
        """Record the end of the channel and the last word of the evidence. Raises nothing: there is nothing to refuse any more."""
        now = now_us()
        self._ending = True
        if self._transcript is not None:
            self._transcribe(lambda transcript: transcript.closed(by, code, now))
        self._retry_at = 0.0
        if self._blind:
            self._count_lost(1)
        self._write_gap(now)
        try:
            effects = self._relay.exited(code, by, now)
        except Exception as defect:  # noqa: BLE001 - as in receive
            self._pass_unseen("server", b"", defect)
            effects = []
        self._finish(_entries(effects), now)

    # --- the store ---------------------------------------------------------------------------------------------------

    def _carry_out(self, effects: Effects) -> list[tuple[Side, bytes]]:
        pieces: list[tuple[Side, bytes]] = []
        for effect in effects:
            if isinstance(effect, Record):
                self._append(effect.entries)
            else:
                pieces.append(effect)
        return pieces

    def _append(self, entries: tuple[Entry, ...]) -> None:
        self._clocks.note(entries)
        if self._lost:
            self._count_lost(len(entries))
            return
        try:
            self._connected().append(self._key, entries)
        except Exception as error:  # noqa: BLE001 - also a defect of the store is no reason to lose a byte
            self._fails(error, len(entries))
        else:
            last = entries[-1]
            self._committed = (last.sequence + 1, last.hash)

    def _connected(self) -> EvidenceStore:
        if self._store is None:
            self._store, self._key = self._open_store()
        elif time.monotonic() >= self._present_until:
            self._present_until = time.monotonic() + PRESENT_S
            if self._store.gone():
                lost, self._store = self._store, None
                where = getattr(lost, "name", "")
                raise StoreError("the store's file was removed or replaced", where=where, hint="a new one is begun, with a gap")
        return self._store

    def _take_up_declarations(self) -> None:
        """Learn from the store what was declared of tools meanwhile: an operation key can only be hashed before its call."""
        if self._store is None or self._lost:
            return
        try:
            changes = self._store.changes()
            if changes == self._changes:
                return
            self._declared, facts = self._store.declarations(self._recorder.run, self._declared)
        except Exception:  # noqa: BLE001 - as in _append
            return  # the call gets no operation key, which the verdict shows as an effect that nobody can ask for
        self._changes = changes
        for fact in facts:
            take_up(self._observer, fact)
            self._clocks.declare(fact)

    def _write_gap(self, now: int) -> None:
        """State what was lost, if there is something and the store takes it now."""
        if not self._lost or time.monotonic() < self._retry_at:
            return
        # How much passes after our observer failed is not known.
        gap = _entries(self._relay.gap(self._lost_reason, None if self._blind else self._lost, now))
        try:
            self._connected().append(self._key, gap)
        except Exception as error:  # noqa: BLE001 - as in _append
            self._fails(error, 0)
        else:
            self._committed = (self._recorder.sequence, self._recorder.head)
            self._lost = 0
            if not self._blind:
                say("evidence is written again; the gap is marked in it")

    def _fails(self, error: Exception, count: int) -> None:
        """Take the recorder back to what is written; end the session or go on, as the policy says."""
        if not isinstance(error, WitnessmarkError):
            error = OurError(f"a defect of the store ({type(error).__name__})")
        refuses = self._on_store_failure == "refuse"
        if not self._lost:
            self._lost_reason = _REASONS.get(type(error), "store_failed")
            if not refuses:
                say(f"evidence cannot be written, the traffic goes on without: {error}")
        self._count_lost(count)
        self._retry_at = time.monotonic() + RETRY_S
        if refuses and not self._ending:
            raise SessionRefused(f"evidence cannot be written: {error.message}", where=error.where, hint=error.hint) from error

    def _count_lost(self, count: int) -> None:
        self._recorder.sequence, self._recorder.head = self._committed
        self._lost += count

    def _finish(self, entries: list[Entry], now: int) -> None:
        if not self._lost:
            entries += _entries(self._relay.close(now))
            try:
                self._connected().close_session(self._key, now, entries)
            except Exception as error:  # noqa: BLE001 - as in _append
                self._fails(error, len(entries))
        # With a gap that could not be stated, no end is written: it would say that the log is whole.
        if self._store is not None:
            try:
                self._store.close()
            except WitnessmarkError as error:
                say(str(error))

    # --- what is not the store ---------------------------------------------------------------------------------------

    def _expect_large_frames(self) -> None:
        """A frame came in more than one read, and more like it will come."""
        from witnessmark.adapters.allocator import keep_freed_memory  # noqa: PLC0415 - ctypes costs 4 ms, and most sessions need none

        self._large_frames = True
        with suppress(Exception):  # it only saves time
            keep_freed_memory()

    def _transcribe(self, write: Callable[[TranscriptFile], None]) -> None:
        assert self._transcript is not None
        try:
            write(self._transcript)
        except WorldError as error:
            self._transcript = None
            say(str(error))

    def _pass_unseen(self, side: Side, data: bytes, defect: Exception) -> Pieces:
        """Our observer broke: from here on bytes pass without being looked at, and the evidence says so."""
        if not self._blind:
            self._blind = True
            say(f"a defect of ours ({type(defect).__name__}): the traffic goes on, unobserved from here")
        self._count_lost(1)
        self._lost_reason = "observer_failed"
        self._retry_at = 0.0
        self._write_gap(now_us())
        pieces: list[tuple[Side, bytes]] = []
        sides: tuple[Side, Side] = ("client", "server")
        for other in sides:
            if other == side:
                self._held[other].append(data)
            pieces += [(_OTHER[other], piece) for piece in self._held[other]]
            self._held[other].clear()
        return pieces


def _drop(held: deque[bytes], size: int) -> None:
    """Take the first `size` bytes out of the held pieces."""
    while size > 0:
        piece = held.popleft()
        if len(piece) > size:
            held.appendleft(piece[size:])
        size -= len(piece)


def _entries(effects: Effects) -> list[Entry]:
    return [entry for effect in effects if isinstance(effect, Record) for entry in effect.entries]
