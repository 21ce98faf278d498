"""The evidence sessions of one server behind HTTP: one for each client session, over one store.

Each is a run of its own unless a run was named, as over stdio. One that was idle for IDLE_S is closed; a later request of the same
subject begins another, which has seen no handshake and says so in its verdict. Memory is bounded by what is open.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, cast

from witnessmark.adapters.clock import now_us
from witnessmark.adapters.diagnostics import say
from witnessmark.adapters.http.subjects import Key, Subject
from witnessmark.adapters.identity import new_id, observer_source
from witnessmark.adapters.recorded_session import OnStoreFailure, RecordedSession
from witnessmark.adapters.store.protocol import EvidenceStore, SessionKey
from witnessmark.model.chain import Recorder
from witnessmark.observe.http_relay import HttpRelay
from witnessmark.observe.observer import Observer
from witnessmark.observe.relay import Effects, Relay

if TYPE_CHECKING:
    from witnessmark.adapters.http.gate import SessionGate
    from witnessmark.adapters.http.route import Route
    from witnessmark.contract.lockfile import LockedServer
    from witnessmark.contract.redaction import Redaction
    from witnessmark.gate.session import GateSession
    from witnessmark.model.capture import Profile
    from witnessmark.model.evidence import Fact
    from witnessmark.observe.redact import Redactor

IDLE_S: Final = 1_800.0
"""How long a session without an open exchange stays open: clients ask again within minutes, and servers forget after half an hour."""
MAX_SESSIONS: Final = 10_000
"""Sessions that are held at once; beyond it the one that was idle longest is closed. About 10 kB each."""


class _Shared:
    """The store of all sessions: letting go of one session does not close it."""

    def __init__(self, store: EvidenceStore) -> None:
        self._store = store

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def close(self) -> None:
        """Nothing: the server's sessions close it together."""


class HttpSession(RecordedSession):
    """One client session with a server: what its exchanges tell is in the store before their bytes go on."""

    def __init__(
        self,
        observer: Observer,
        recorder: Recorder,
        open_store: Callable[[], tuple[EvidenceStore, SessionKey]],
        on_store_failure: OnStoreFailure,
        saw: Callable[[list[Fact], int], None] | None = None,
    ) -> None:
        self.relay = HttpRelay(observer, recorder, saw)
        self.gate: SessionGate | None = None
        super().__init__(observer, recorder, open_store, on_store_failure=on_store_failure, relay=cast("Relay", self.relay))
        self.open_exchanges = 0
        self.used_us = now_us()
        self.keys: set[Key] = set()
        self._number = 0

    def channel(self) -> str:
        """A name for the next exchange."""
        self._number += 1
        self.open_exchanges += 1
        return str(self._number)

    def released(self) -> None:
        """An exchange is over."""
        self.open_exchanges -= 1
        self.used_us = now_us()

    def note(self, effects: Callable[[int], Effects]) -> None:
        """Record what `effects` tells, before anything goes on. Raises SessionRefused under `refuse`.

        Where our own observer fails, this session is blind from there on, and the evidence says so; the bytes pass.
        """
        if self._blind:
            return
        now = now_us()
        if self._lost:
            self._write_gap(now)
        try:
            found = effects(now)
        except Exception as defect:  # noqa: BLE001 - whatever is wrong with us, the bytes pass
            self._blind = True
            say(f"a defect of ours ({type(defect).__name__}): a session goes on, unobserved from here")
            self._count_lost(1)
            self._lost_reason = "observer_failed"
            self._retry_at = 0.0
            self._write_gap(now)
            return
        self._carry_out(found)

    def holds(self, channel: str) -> bool:
        """Whether the bytes of this response wait until it is whole."""
        return not self._blind and self.relay.holds(channel)

    def end(self) -> None:
        """The session is over."""
        if self.gate is not None:
            self.gate.end()
        now = now_us()
        self._ending = True
        self._retry_at = 0.0
        if self._blind:
            self._count_lost(1)
        self._write_gap(now)
        self._finish([], now)


class ServerSessions:
    """All sessions of one server."""

    def __init__(
        self,
        server: str,
        redactor: Redactor,
        open_store: Callable[[], EvidenceStore],
        *,
        run: str | None,
        on_store_failure: OnStoreFailure,
        gate: Callable[[Observer], GateSession] | None = None,
    ) -> None:
        self.server = server
        self.route: Route | None = None
        self._gate = gate
        self._redactor = redactor
        self._open_store = open_store
        self._run = run
        self._on_store_failure = on_store_failure
        self._store: EvidenceStore | None = None
        self._by_key: dict[Key, HttpSession] = {}
        self._all: dict[int, HttpSession] = {}

    def of(self, subject: Subject) -> HttpSession:
        """The session of a subject, begun where there is none, or where its handshake begins another."""
        found = self._by_key.get(subject.key)
        if found is not None and not (subject.begins and subject.key[0] == "stateless"):
            return found
        session = self._begin()
        self.know(session, subject.key)
        return session

    def know(self, session: HttpSession, key: Key) -> None:
        """The session goes by this key from now on."""
        before = self._by_key.get(key)
        if before is not None and before is not session:
            before.keys.discard(key)
        self._by_key[key] = session
        session.keys.add(key)

    def _begin(self) -> HttpSession:
        started_us = now_us()
        recorder = Recorder(observer_source(), new_id(started_us), self._run or new_id(started_us))
        observer = Observer(self.server, self._redactor, transport="http")

        def open_session() -> tuple[EvidenceStore, SessionKey]:
            if self._store is None or self._store.gone():
                self._store = self._open_store()
            key = self._store.open_session(
                source=recorder.source, session=recorder.session, run=recorder.run, server=observer.server, opened_us=started_us
            )
            return cast("EvidenceStore", _Shared(self._store)), key

        gate = self._gate(observer) if self._gate is not None else None
        session = HttpSession(observer, recorder, open_session, self._on_store_failure, gate.saw if gate is not None else None)
        if gate is not None:
            session.gate = self._gated(gate, session)
        session.begin()
        self._all[id(session)] = session
        if len(self._all) > MAX_SESSIONS:
            idle = min((each for each in self._all.values() if not each.open_exchanges), key=lambda each: each.used_us, default=None)
            if idle is not None:
                self._end(idle)
        return session

    def _gated(self, gate: GateSession, session: HttpSession) -> SessionGate:
        from witnessmark.adapters.http.gate import SessionGate  # noqa: PLC0415 - only in `enforce`

        def where() -> Route:
            assert self.route is not None
            return self.route

        return SessionGate(gate, where, lambda facts: session.note(lambda now: session.relay.told(facts, now)))

    def locks(self, entries: Mapping[Profile, LockedServer], redaction: Redaction) -> None:
        """The lockfile was read anew: every session is held to it from here on."""
        for session in list(self._all.values()):
            if session.gate is not None:
                session.gate.locks_changed(session.gate.gate.locks(entries, redaction, now_us()))

    def _end(self, session: HttpSession) -> None:
        for key in session.keys:
            if self._by_key.get(key) is session:
                del self._by_key[key]
        self._all.pop(id(session), None)
        session.end()

    def ended(self, key: Key) -> None:
        """The client ended its session, or the server does not know it any more."""
        session = self._by_key.get(key)
        if session is not None and session.open_exchanges <= 1:
            self._end(session)

    def beat(self) -> None:
        """Renew each session's sign of life; close those that were idle for too long."""
        limit_us = now_us() - round(IDLE_S * 1_000_000)
        for session in list(self._all.values()):
            if not session.open_exchanges and session.used_us < limit_us:
                self._end(session)
            else:
                session.idle()

    def close(self) -> None:
        """Close every session and the store."""
        for session in list(self._all.values()):
            self._end(session)
        if self._store is not None:
            self._store.close()

    @property
    def count(self) -> int:
        """Sessions that are open."""
        return len(self._all)
