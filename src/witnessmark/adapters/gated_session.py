"""A session in `enforce`: as RecordedSession, but nothing passes that was not looked at.

Where our own observer fails, the session ends: in `observe` bytes pass unseen then, here that would be a call without a
contract. The lockfile is read anew when it changes, so that an approval lets the next call through.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from witnessmark.adapters.clock import now_us
from witnessmark.adapters.diagnostics import say
from witnessmark.adapters.recorded_session import LOOK_EVERY_US, OnStoreFailure, Pieces, RecordedSession
from witnessmark.adapters.stdio_proxy import SessionRefused
from witnessmark.adapters.store.protocol import EvidenceStore, SessionKey
from witnessmark.contract.lockfile import LockedServer
from witnessmark.contract.redaction import Redaction
from witnessmark.errors import PeerError, WitnessmarkError
from witnessmark.gate.relay import GatedRelay
from witnessmark.gate.session import GateSession
from witnessmark.model.capture import Profile
from witnessmark.model.chain import Recorder
from witnessmark.model.evidence import Side
from witnessmark.model.policy import Policy
from witnessmark.observe.observer import Observer
from witnessmark.observe.relay import Effects, Relay

if TYPE_CHECKING:
    from witnessmark.adapters.gate_setup import GateSetup
    from witnessmark.adapters.transcript_file import TranscriptFile

_SECOND_US: Final = 1_000_000

Locks = tuple[Mapping[Profile, LockedServer], Redaction]


class WatchedLock:
    """A lockfile that may change while a session runs. `read` gives what it approves; it may raise what reading a lock raises."""

    def __init__(self, path: str, read: Callable[[], Locks]) -> None:
        self._path = path
        self._read = read
        self._mark = self._look()
        self.current = read()

    def _look(self) -> tuple[int, int, int] | None:
        try:
            found = os.stat(self._path)
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino

    def changed(self) -> Locks | None:
        """What the file approves now, if it is another file than before; nothing where it cannot be read: nothing is approved then."""
        mark = self._look()
        if mark == self._mark:
            return None
        self._mark = mark
        try:
            self.current = self._read()
        except WitnessmarkError as error:
            say(f"no tool is approved until the lockfile can be read again: {error}")
            self.current = {}, self._read_rules()
        return self.current

    def _read_rules(self) -> Redaction:
        from witnessmark.adapters.lock_sources import redaction_rules  # noqa: PLC0415 - only where the lockfile broke

        return Redaction(redaction_rules(None), "")


class GatedSession(RecordedSession):
    """One session of one server behind the gate."""

    def __init__(
        self,
        observer: Observer,
        recorder: Recorder,
        open_store: Callable[[], tuple[EvidenceStore, SessionKey]],
        gate: GateSession,
        setup: GateSetup,
        *,
        on_store_failure: OnStoreFailure = "forward_and_mark_gap",
        transcript: TranscriptFile | None = None,
        policy: Policy | None = None,
    ) -> None:
        self._gated = GatedRelay(observer, recorder, gate)
        self._gate = gate
        self._policy = setup.policy
        self._lock = setup.lock
        relay: Relay = self._gated  # type: ignore[assignment]  # the same calls, with a gate in them
        super().__init__(
            observer, recorder, open_store, on_store_failure=on_store_failure, transcript=transcript, relay=relay, policy=policy
        )
        self._plan_interval(now_us())

    def _plan_interval(self, now: int) -> None:
        """The next list at an interval, varied so that a fleet does not list at once."""
        if self._policy.interval_s:
            vary = 1 + self._policy.jitter * (2 * random.random() - 1)  # noqa: S311 - nothing is kept secret by it
            self._gate.every(now + round(self._policy.interval_s * vary * _SECOND_US))

    @property
    def due_us(self) -> int | None:
        """When `wake` wants to be called."""
        clocks, gate = super().due_us, self._gated.due_us
        return gate if clocks is None else clocks if gate is None else min(clocks, gate)

    def wake(self) -> Pieces:
        """Clocks that ran out, deadlines of held calls, lists that were put off."""
        pieces = [*super().wake()]
        now = now_us()
        pieces += self._guarded(lambda: self._gated.wake(now))
        if self._policy.interval_s and not self._gate.planned("interval"):
            self._plan_interval(now)
        return pieces

    def receive(self, side: Side, data: bytes) -> Pieces:
        """Record what `data` tells, then give what may go on. Raises SessionRefused where nobody can tell any more what may."""
        now = now_us()
        if self._transcript is not None:
            self._transcribe(lambda transcript: transcript.receive(side, data, now))
        if self._lost:
            self._write_gap(now)
        pieces: list[tuple[Side, bytes]] = []
        if side == "client":
            if not 0 <= now - self._looked_us < LOOK_EVERY_US:
                self._looked_us = now
                self._take_up_declarations()
            # With no interval: what stood in the lockfile a millisecond ago approves no call.
            pieces += self._read_lock(now)
        pieces += self._guarded(lambda: self._gated.receive(side, data, now))
        return pieces

    def eof(self, side: Side) -> Pieces:
        """Record the end of a side; what was held of the client's never leaves."""
        now = now_us()
        if self._transcript is not None:
            self._transcribe(lambda transcript: transcript.eof(side, now))
        return self._guarded(lambda: self._gated.eof(side, now))

    def _read_lock(self, now: int) -> Pieces:
        found = self._lock.changed()
        if found is None:
            return []
        entries, redaction = found
        return self._guarded(lambda: self._gated.step(self._gate.locks(entries, redaction, now), now))

    def _guarded(self, effects: Callable[[], Effects]) -> list[tuple[Side, bytes]]:
        try:
            found = effects()
        except PeerError as error:
            raise SessionRefused(f"the session cannot be watched any more: {error.message}", where=error.where, hint=error.hint) from error
        except Exception as defect:
            text = f"a defect of ours ({type(defect).__name__}): in enforce nothing passes unseen, so the session ends"
            raise SessionRefused(text, hint="report it; `--mode observe` lets traffic pass meanwhile") from defect
        return self._carry_out(found)
