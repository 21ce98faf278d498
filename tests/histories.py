"""Histories of a run in one line of words, told at the level of facts and recorded with a real hash chain.

    history("session list page installed declare expect call answer applied passed end close")

Words stand a second apart; `+30` waits. `@notes` goes on with another server, `#2` with another pipe of it. A word may carry
arguments: `call:publish,key=k1`, `page:next=c1,tools=publish`. What a proxy sees goes into a session for each pipe; what
others report goes into sessions of their own (operator, host, tap, agent, destination, verifier). Words that name no event
(`change:publish`, `cosmetic:publish`, `remove:publish`, `add:search`) change what the server has from there on.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import Any, Final, Literal, NamedTuple

from witnessmark.model import evidence as e
from witnessmark.model.chain import GENESIS, Recorder
from witnessmark.model.evidence import Event, Fact

SECOND_US: Final = 1_000_000
START_US: Final = 1_790_000_000 * SECOND_US
"""2026-09-21T14:13:20Z: in the past of every machine that runs this suite."""
RUN: Final = "run-1"
LEGACY: Final = "2025-11-25"
MODERN: Final = "2026-07-28"

HEALTHY: Final = "declare expect session list page installed call answer applied passed end close"
"""Every layer proved: the history that the others are variations of."""
WORKING: Final = "declare expect session list page installed call:token=t progress:1"


class Tool(NamedTuple):
    """A contract by its name and version; `polish` counts cosmetic changes."""

    name: str
    version: int = 1
    polish: int = 0

    def ref(self, *, hint: bool = False) -> e.ToolRef:
        return e.ToolRef(
            self.name, _hex(self.name, self.version, self.polish), self.shown, _hex("meaning", self.name, self.version)[:32], hint
        )

    @property
    def shown(self) -> str:
        return _hex("shown", self.name, self.version)[:32]


def _hex(*parts: object) -> str:
    return sha256(repr(parts).encode()).hexdigest()


class Pipe:
    """One pipe (or peer) of a server: the ids in use, and what its client was last served."""

    def __init__(self, channel: str) -> None:
        self.channel = channel
        self.era: Literal["legacy", "modern"] = "legacy"
        self.transport = "stdio"
        self.listing = ""
        self.call = ""
        self.tool = ""
        self.token = ""
        self.state = ""
        self.served: dict[str, Tool] = {}
        self.before: dict[str, Tool] = {}
        self.method = "initialize"


class Told(NamedTuple):
    """A fact with its place: which session it is recorded in, and when."""

    source: str
    session: str
    time_us: int
    fact: Fact


class Teller:
    """Turns words into facts. One method for each word that needs more than a line."""

    def __init__(self) -> None:
        self.time_us = START_US
        self.told: list[Told] = []
        self.server = "tickets"
        self.pipes: dict[tuple[str, str], Pipe] = {}
        self.catalogs: dict[str, dict[str, Tool]] = {}
        self.ids = 0
        self.pipe_name = "0"

    # --- places ------------------------------------------------------------------------------------------------------

    @property
    def pipe(self) -> Pipe:
        return self.pipes.setdefault((self.server, self.pipe_name), Pipe(self.pipe_name))

    @property
    def tools(self) -> dict[str, Tool]:
        return self.catalogs.setdefault(self.server, {name: Tool(name) for name in ("publish", "read")})

    def next_id(self) -> str:
        self.ids += 1
        return str(self.ids)

    def seen(self, fact_type: type[Fact], **members: Any) -> None:
        """A fact that the proxy of the current pipe observes."""
        pipe = self.pipe
        peer = "" if pipe.era == "modern" else pipe.channel
        members.setdefault("channel", pipe.channel)
        if "transport" in fact_type.__struct_fields__:
            members.setdefault("transport", pipe.transport)
        fact = fact_type(server=self.server, peer=peer, **members)
        self.told.append(Told("proxy", f"{self.server}-{pipe.channel}", self.time_us, fact))

    def brought(self, by: str, fact_type: type[Fact], **members: Any) -> None:
        """A fact that somebody other than the wire brings."""
        self.told.append(Told(by, by, self.time_us, fact_type(server=self.server, **members)))

    # --- the teller's own words --------------------------------------------------------------------------------------

    def tell(self, line: str) -> None:
        for word in line.split():
            if word[0] == "+":
                self.time_us += round(float(word[1:]) * SECOND_US)
            elif word[0] == "@":
                self.server, self.pipe_name = word[1:], "0"
            elif word[0] == "#":
                self.pipe_name = word[1:]
            else:
                self._word(word)

    def _word(self, word: str) -> None:
        name, _, rest = word.partition(":")
        if name in MACROS:
            self.tell(MACROS[name])
            return
        plain: list[str] = []
        named: dict[str, str] = {}
        for part in rest.split(",") if rest else ():
            key, equals, value = part.partition("=")
            if equals:
                named[key] = value
            else:
                plain.append(part)
        before = len(self.told)
        WORDS[name](self, *plain, **named)
        if len(self.told) > before:
            self.time_us += SECOND_US

    # --- session -----------------------------------------------------------------------------------------------------

    def open(self, transport: str = "stdio", channel: str | None = None, listening: str = "") -> None:
        self.pipe.transport = transport
        members: dict[str, Any] = {"listening": transport == "stdio" or bool(listening)}
        if channel is not None:
            members["channel"] = channel
        self.seen(e.SessionOpened, client="agent", **members)

    def modern(self) -> None:
        self.pipe.era = "modern"
        self.pipe.method = "server/discover"

    def offer(self, version: str = "") -> None:
        pipe = self.pipe
        pipe.listing = self.next_id()
        self.seen(
            e.SessionOffered,
            id=pipe.listing,
            method=pipe.method,
            era=pipe.era,
            version=version or (MODERN if pipe.era == "modern" else LEGACY),
        )

    def negotiated(self, how: str = "", version: str = "") -> None:
        pipe = self.pipe
        capabilities = {"quiet": ("tools",), "unseen": ()}.get(how, ("tools", "tools.listChanged"))
        self.seen(
            e.SessionNegotiated,
            id=pipe.listing,
            method=pipe.method,
            era=pipe.era,
            version=version or (MODERN if pipe.era == "modern" else LEGACY),
            list_changed=None if how == "unseen" else how != "quiet",
            capabilities=capabilities,
        )

    def refused(self, reason: str = "version", method: str = "", supported: str = "", code: str = "-32022") -> None:
        method = method or self.pipe.method
        self.seen(
            e.SessionRefused, method=method, reason=reason, code=int(code), supported=tuple(supported.split("/")) if supported else ()
        )

    def challenged(self, what: str = "401", method: str = "tools/call", tool: str = "publish") -> None:
        if what == "url":
            self.seen(e.SessionChallenged, id=self.pipe.call, method=method, tool=tool, kind="url")
        else:
            error = "insufficient_scope" if what == "403" else ""
            self.seen(
                e.SessionChallenged,
                id=self.pipe.call,
                method=method,
                tool=tool,
                status=int(what),
                scheme="Bearer",
                error=error,
                scopes=("w",),
            )

    # --- catalog -----------------------------------------------------------------------------------------------------

    def listed(self, cursor: str | None = None, version: str = "", origin: str = "client") -> None:
        self.pipe.listing = self.next_id()
        if cursor is None:
            self.pipe.before, self.pipe.served = self.pipe.served or self.pipe.before, {}
        self.seen(e.ListStarted, id=self.pipe.listing, cursor=cursor, version=version or LEGACY, origin=origin)

    def page(self, *, next: str | None = None, tools: str = "", ttl: str = "", ambiguous: str = "", id: str = "", hint: str = "") -> None:  # noqa: A002
        names = tools.split("/") if tools else list(self.tools)
        shown = [self.tools[name] for name in names if name in self.tools and name != ambiguous]
        self.pipe.served.update((tool.name, tool) for tool in shown)
        self.seen(
            e.ListPage,
            id=id or self.pipe.listing,
            next=next,
            tools=tuple(tool.ref(hint=tool.name == hint) for tool in shown),
            ambiguous=(ambiguous,) if ambiguous else (),
            ttl_ms=round(float(ttl) * 1000) if ttl else None,
        )

    def clash(self) -> None:
        """A page that gives one tool two contracts."""
        tool = next(iter(self.tools.values()))
        self.seen(e.ListPage, id=self.pipe.listing, tools=(tool.ref(), tool._replace(version=99).ref()))

    def installed(self, how: str = "", source: str = "host", view: str = "") -> None:
        """What the client shows: what it was served; `view` old: served before, part: a stated one, hidden: not stated."""
        pipe = self.pipe
        served = pipe.served
        if view.startswith("old"):
            served = pipe.before or {name: tool._replace(version=tool.version - 1) for name, tool in pipe.served.items()}
        tools = list(served.values())
        if view in ("part", "oldpart", "hidden"):
            tools = tools[:1]
        shown = [
            e.ShownTool(t.name, t.name, "0" * 32 if how == "core" else t.shown, (t.shown,) if how == "core" else (), deferred=False)
            for t in tools
        ]
        self.brought(
            source,
            e.CatalogInstalled,
            source=source,
            tools=tuple(shown),
            exact_names=True,
            continuous=how not in ("sampled", "tap"),
            observed=how == "tap",
            partial="host/tool_search" if view in ("part", "oldpart") else "",
        )

    def change(self, name: str) -> None:
        self.tools[name] = self.tools[name]._replace(version=self.tools[name].version + 1)

    def cosmetic(self, name: str) -> None:
        self.tools[name] = self.tools[name]._replace(polish=self.tools[name].polish + 1)

    # --- calls -------------------------------------------------------------------------------------------------------

    def call(self, tool: str = "publish", *, key: str | None = None, token: str | None = None, id: str = "", older: str = "") -> None:  # noqa: A002
        pipe = self.pipe
        pipe.call, pipe.tool, pipe.token = id or self.next_id(), tool, token or ""
        self.seen(e.CallStarted, id=pipe.call, tool=tool, arguments=f"k:{tool}", key=key, token=token, fits_older=bool(older))

    def retry(self, token: str | None = None) -> None:
        """The next round of a call that was asked for input."""
        pipe = self.pipe
        pipe.call, pipe.token = self.next_id(), token or ""
        self.seen(e.CallStarted, id=pipe.call, tool=pipe.tool, arguments=f"k:{pipe.tool}", token=token, echo=pipe.state, answers_input=True)

    def answered(self, outcome: str, *, id: str = "", code: str = "", status: str = "", violation: str = "", task: str = "") -> None:  # noqa: A002
        self.seen(
            e.CallAnswered,
            id=id or self.pipe.call,
            outcome=outcome,
            code=int(code) if code else None,
            status=int(status) if status else None,
            violation=violation,
            task=task,
            task_status="working" if task else "",
        )

    def ask(self, state: str = "s1") -> None:
        self.pipe.state = state
        self.seen(e.CallAnswered, id=self.pipe.call, outcome="input_required", state=state, asks=("elicitation",))

    # --- receipts ----------------------------------------------------------------------------------------------------

    def declare(
        self,
        tool: str = "publish",
        effect: Literal["read", "write", "destructive"] = "write",
        *,
        inactivity: str = "",
        absolute: str = "",
        key: str = "",
    ) -> None:
        self.brought(
            "operator",
            e.EffectDeclared,
            tool=tool,
            effect=effect,
            has_key=bool(key),
            inactivity_s=float(inactivity) if inactivity else None,
            absolute_s=float(absolute) if absolute else None,
        )

    def expect(self, *how: str, name: str = "report") -> None:
        self.brought(
            "operator",
            e.OutcomeDeclared,
            outcome=name,
            verifier="file",
            digest="sha256:" + _hex(name, *how),
            accept_judged="judged" in how,
            proves_effect="proves" in how,
        )

    def effect(
        self, status: Literal["applied", "absent", "unknown"], *how: str, call: str = "", key: str | None = None, count: str = ""
    ) -> None:
        by_self = "self" in how
        self.brought(
            "agent" if by_self else "destination",
            e.EffectReported,
            call=None if key is not None else call or self.pipe.call,
            key=key,
            status=status,
            method="query" if "query" in how or key is not None else "receipt",
            count=int(count) if count else None,
            self_reported=by_self,
        )

    def outcome(self, status: Literal["passed", "failed", "error"], *how: str, name: str = "report") -> None:
        by_self = "self" in how
        self.brought(
            "agent" if by_self else "verifier",
            e.OutcomeReported,
            outcome=name,
            status=status,
            strength="judged" if "judged" in how else "deterministic",
            self_reported=by_self,
        )

    def run(self, *, versions: str = "", capabilities: str = "") -> None:
        self.brought(
            "operator",
            e.RunOpened,
            requires_versions=tuple(versions.split("/")) if versions else (),
            requires_capabilities=tuple(capabilities.split("/")) if capabilities else (),
        )


MACROS: Final = {
    "session": "open offer negotiated confirmed",
    "quiet": "open offer negotiated:quiet confirmed",
    "stateless": "modern open:http offer negotiated",
}

WORDS: Final[dict[str, Callable[..., None]]] = {
    "open": Teller.open,
    "stream": lambda t, channel="s1": t.open("http", channel, "yes"),
    "modern": Teller.modern,
    "offer": Teller.offer,
    "negotiated": Teller.negotiated,
    "confirmed": lambda t: t.seen(e.SessionConfirmed),
    "refused": Teller.refused,
    "challenged": Teller.challenged,
    "expired": lambda t, clock="inactivity": t.seen(e.CallExpired, id=t.pipe.call, tool=t.pipe.tool, clock=clock),
    "jumped": lambda t, by="3600": t.seen(e.ClockJumped, by_s=float(by)),
    "end": lambda t, channel=None: t.seen(e.SessionClosed, by="client", exit=0, channel=channel or t.pipe.channel),
    "died": lambda t, channel=None: t.seen(e.SessionClosed, by="server", exit=-9, channel=channel or t.pipe.channel),
    "signal": lambda t: t.seen(e.CatalogChanged),
    "list": Teller.listed,
    "page": Teller.page,
    "clash": Teller.clash,
    "list_failed": lambda t, reason="error": t.seen(e.ListFailed, id=t.pipe.listing, reason=reason, code=-32603),
    "listen": lambda t, id="sub": t.seen(e.SubscriptionAsked, id=id, tools_list_changed=True),  # noqa: A006
    "acknowledged": lambda t, id="sub": t.seen(e.SubscriptionAcknowledged, id=id, tools_list_changed=True),  # noqa: A006
    "declined": lambda t, id="sub": t.seen(e.SubscriptionAcknowledged, id=id, tools_list_changed=False),  # noqa: A006
    "unsubscribed": lambda t, id="sub", how="dropped": t.seen(e.SubscriptionEnded, id=id, how=how),  # noqa: A006
    "installed": Teller.installed,
    "approve": lambda t: t.brought("operator", e.ContractApproved, tools=tuple(tool.ref() for tool in t.tools.values())),
    "change": Teller.change,
    "cosmetic": Teller.cosmetic,
    "add": lambda t, name: t.tools.__setitem__(name, Tool(name)),
    "remove": lambda t, name: t.tools.pop(name) and None,
    "call": Teller.call,
    "retry": Teller.retry,
    "answer": lambda t, **more: t.answered("result", **more),
    "tool_error": lambda t, **more: t.answered("tool_error", **more),
    "error": lambda t, code="-32603", **more: t.answered("error", code=code, **more),
    "invalid": lambda t, **more: t.answered("invalid", violation="no_content", **more),
    "lost": lambda t, **more: t.answered("lost", **more),
    "task": lambda t, task="t1": t.answered("task", task=task),
    "task_is": lambda t, status, outcome="", task="t1": t.seen(e.TaskReported, task=task, status=status, outcome=outcome),
    "task_gone": lambda t, task="t1": t.seen(e.TaskReported, task=task, gone=True),
    "ask": Teller.ask,
    "cancel": lambda t, id="": t.seen(e.CallCancelled, id=id or t.pipe.call),  # noqa: A006
    "progress": lambda t, value="1", token="": t.seen(e.CallProgress, token=token or t.pipe.token, progress=float(value)),
    "person_asked": lambda t, id="p1": t.seen(e.PersonAsked, id=id),  # noqa: A006
    "person_answered": lambda t, id="p1": t.seen(e.PersonAnswered, id=id),  # noqa: A006
    "pinged": lambda t, code="": t.seen(e.RequestAnswered, method="ping", code=int(code) if code else None),
    "unpaired": lambda t, reason="nobody": t.seen(e.ResponseUnpaired, id="99", reason=reason),
    "junk": lambda t: t.seen(e.WireMalformed, finding="JunkLine"),
    "malformed": lambda t: t.seen(e.WireMalformed, finding="InvalidJson", fatal=True),
    "beat": lambda t: t.seen(e.EvidenceBeat),
    "gap": lambda t: t.seen(e.EvidenceGap, reason="store_full", count=1),
    "declare": Teller.declare,
    "expect": Teller.expect,
    "applied": lambda t, *how, **more: t.effect("applied", *how, **more),
    "absent": lambda t, *how, **more: t.effect("absent", *how, **more),
    "undecided": lambda t, *how, **more: t.effect("unknown", *how, **more),
    "accept": lambda t: t.brought("operator", e.EffectAccepted, call=t.pipe.call, who="op"),
    "passed": lambda t, *how, **more: t.outcome("passed", *how, **more),
    "broken": lambda t, *how, **more: t.outcome("failed", *how, **more),
    "crashed": lambda t, *how, **more: t.outcome("error", *how, **more),
    "run": Teller.run,
    "close": lambda t: t.brought("operator", e.RunClosed),
}
"""Every word. `broken` and `crashed` are answers of a verifier; `answer`, `tool_error`, `error`, `invalid` of a server."""


class History(NamedTuple):
    """The events of a history in canonical order, and an instant after all of them."""

    events: tuple[Event, ...]
    end_us: int


def history(line: str, *, closed: bool = True, attested: bool = False, wait_s: float = 0) -> History:
    """The history that `line` tells. `closed` ends each session with its closing event; `attested` adds a session that states
    count and head of every other one at the end, which is `wait_s` after the last word."""
    teller = Teller()
    teller.tell(line)
    end_us = teller.time_us + round(wait_s * SECOND_US)
    recorders: dict[tuple[str, str], Recorder] = {}
    events: list[Event] = []

    def record(source: str, session: str, fact: Fact | None, time_us: int) -> None:
        recorder = recorders.get((source, session))
        if recorder is None:
            recorder = recorders[source, session] = Recorder(source, session, RUN)
        prev = recorder.head if recorder.sequence else GENESIS
        if fact is None:
            fact = e.EvidenceClosed(count=recorder.sequence, head=recorder.head.hex())
        entry = recorder.record(fact, time_us)
        events.append(Event(source, session, entry.sequence, RUN, entry.time_us, fact, prev, entry.hash))

    for told in teller.told:
        record(told.source, told.session, told.fact, told.time_us)
    if closed:
        for place, (source, session) in enumerate(list(recorders)):
            record(source, session, None, end_us + place)
        end_us += len(recorders)
    if attested:
        known = list(recorders.values())
        for recorder in known:
            record("store", "attest", e.EvidenceCheckpoint(of=recorder.session, count=recorder.sequence, head=recorder.head.hex()), end_us)
        record("store", "attest", None, end_us)
    return History(tuple(events), end_us)
