"""Catalog layer: has the client's catalog converged with the server's? (verdicts.md section 2)

The verdicts are tried top down: stale (positive proof), incomplete, unverifiable, converged. Missing evidence ends in one of
the first three, never in the last. Pure: no I/O, no clock.
"""

from __future__ import annotations

from typing import Final

import msgspec

from witnessmark.judges.installed import InstalledView, view
from witnessmark.judges.instant import Instant
from witnessmark.model.health import CatalogVerdict
from witnessmark.model.policy import Policy
from witnessmark.model.reasons import reason_code
from witnessmark.model.verdict import CatalogReport
from witnessmark.state.catalog import Catalog, same_contract
from witnessmark.state.run import Server
from witnessmark.state.session import Mark, Session
from witnessmark.state.walk import Walk, WalkPhase

SECOND_US = 1_000_000


class Convergence(msgspec.Struct, frozen=True, gc=False):
    """The verdict with its deciding reason first, the evidence, and when time alone will change it."""

    verdict: CatalogVerdict
    reasons: tuple[str, ...]
    marks: tuple[Mark | None, ...]
    view: InstalledView | None
    expires_us: int | None = None
    in_progress: bool = False
    since_us: int | None = None


def has_channel(catalog: Catalog, session: Session | None) -> bool:
    """True where a signal could have reached the client: an open pipe or stream, or an acknowledged subscription."""
    if session is None or (session.closed is not None and session.closed.by != "client"):
        return False
    if session.era == "modern":
        return catalog.subscribed
    return session.transport == "stdio" or bool(session.streams)


def advertised(session: Session | None) -> bool:
    """True where the server was seen to advertise `tools.listChanged`; unknown is not true."""
    return session is not None and "tools.listChanged" in session.capabilities


def _instant_us(session: Session | None, at: Instant) -> int:
    """When the client closed its channel, the catalog is judged as of that instant."""
    closed = session.closed_mark if session is not None and session.closed is not None and session.closed.by == "client" else None
    return min(at.us, closed.time_us) if closed is not None else at.us


def _proofs_of_staleness(server: Server, catalog: Catalog, seen: InstalledView | None) -> Convergence | None:
    complete, signal = catalog.complete, catalog.signal
    if complete is None or seen is None:
        return None
    if signal is not None and signal.n > complete.started.n and not _newer_walk(catalog, signal):
        torn = complete.ended is not None and signal.n < complete.ended.n
        return Convergence("stale", ("Torn" if torn else "SignalUnread",), (signal, complete.started), None)
    wrong = catalog.wrong
    if wrong is not None:
        last = max((report.mark.n for report in server.installed.by_source.values()), default=-1)
        if last < wrong.mark.n:
            return Convergence("stale", ("WrongCall",), (wrong.mark, complete.ended), None)
    outdated = catalog.outdated
    if outdated is not None and outdated.mark.n > complete.started.n:
        return Convergence("stale", ("WitnessDiffers",), (outdated.mark, complete.ended), None)
    if seen.status == "differs" and (signal is None or signal.n < complete.started.n):
        return Convergence("stale", ("InstalledDiffers",), (*seen.marks, complete.ended), seen)
    return None


def _newer_walk(catalog: Catalog, signal: Mark) -> bool:
    return catalog.newest is not None and catalog.newest.started.n > signal.n


def _unfinished(catalog: Catalog, session: Session | None, policy: Policy, at: Instant, now_us: int) -> Convergence | None:
    """A needed traversal that did not complete: the first one, one after a signal, or a lone page that shows a change."""
    complete, newest, signal = catalog.complete, catalog.newest, catalog.signal
    if newest is None:
        return None
    needed = complete is None or (signal is not None and signal.n > complete.started.n)
    if not needed and complete is not None and newest is not complete and newest.started.n > complete.started.n:
        if not all(same_contract(complete.tools.get(name), tool) for name, tool in newest.tools.items()):
            return Convergence("incomplete", ("PageDiffers",), (newest.last, complete.ended), None)
        return None
    if not needed:
        return None
    if signal is not None and newest.started.n < signal.n:
        return Convergence("incomplete", ("NeverCompleted",), (signal, newest.last), None)
    if not newest.open:
        return Convergence("incomplete", (newest.reason or "NeverCompleted",), (newest.ended, newest.started, signal), None)
    deadline = newest.last.time_us + round(policy.discovery_s * SECOND_US)
    closed = session is not None and session.closed is not None
    if not closed and not at.closed and now_us < deadline and at.trusted:
        return Convergence("incomplete", ("InProgress",), (newest.last,), None, deadline, in_progress=True)
    reason = "PageUnanswered" if newest.phase is WalkPhase.AWAITING else "PageMissing"
    since = deadline if now_us >= deadline else None
    return Convergence("incomplete", (reason,), (newest.last, newest.started, signal), None, since_us=since)


def _heard_throughout(session: Session | None, complete: Walk) -> bool:
    """True where no stream had to be opened for signals, or one was open before the traversal began: what happened between
    a traversal and the opening of a stream was announced to nobody.
    """
    if session is None or session.era == "modern" or session.transport == "stdio":
        return True
    return session.streams_since is not None and session.streams_since.n < complete.started.n


def _age_limit(catalog: Catalog, session: Session | None, complete: Walk, policy: Policy) -> tuple[int | None, str, str]:
    """Until when the traversal speaks (None: no limit), the reason while it does, and the reason afterwards."""
    ended = complete.ended or complete.last
    by_age = ended.time_us + round(policy.max_age_s * SECOND_US)
    if not advertised(session):
        return by_age, "WithinMaxAge", "MaxAgeExceeded"
    if has_channel(catalog, session) and _heard_throughout(session, complete):
        return None, "SilenceTrusted", ""
    if complete.ttl_until_us is not None and complete.ttl_until_us >= 0:
        return complete.ttl_until_us, "WithinTtl", "TtlExpired"
    return by_age, "WithinMaxAge", "TtlExpired"


def age_limit_us(catalog: Catalog, session: Session | None, policy: Policy) -> int | None:
    """Until when the newest complete traversal speaks; None where there is none, or no limit."""
    return _age_limit(catalog, session, catalog.complete, policy)[0] if catalog.complete is not None else None


_WAITING: Final = {
    "unobserved": "InstallUnobserved",
    "not_observed": "InstallNotObserved",
    "old": "InstallNotSeenSinceDiscovery",
    "partial": "InstallPartial",
    "disagree": "WitnessesDisagree",
}


def _unverifiable(
    catalog: Catalog, seen: InstalledView | None, policy: Policy, at: Instant, now_us: int, session: Session | None
) -> Convergence:
    complete = catalog.complete
    if complete is None or complete.ended is None or seen is None:
        return Convergence("unverifiable", ("NeverTraversed",), (session.negotiated if session is not None else None,), None)
    reasons: list[str] = []
    marks: list[Mark | None] = []
    limit_us, fresh, aged = _age_limit(catalog, session, complete, policy)
    if complete.ambiguous:
        reasons.append("AmbiguousContract")
    if catalog.blind is not None and catalog.blind.n > complete.started.n:
        reasons.append("BlindInterval")
        marks.append(catalog.blind)
    if limit_us is not None and now_us >= limit_us:
        reasons.append(aged)
    waiting = _WAITING.get(seen.status)
    if waiting is not None:
        reasons.append(waiting)
    if not at.covered:
        reasons.append("LogNotClosed")
    if at.damaged:
        reasons.append("EvidenceGap")
    marks += [complete.ended, *seen.marks]
    if reasons:
        since = limit_us if reasons[0] == aged else None
        return Convergence("unverifiable", tuple(reasons), tuple(marks), seen, since_us=since)
    green = [fresh] if seen.grade == "exact" else [fresh, "InstallProjectionCore"]
    return Convergence("converged", tuple(green), (complete.started, complete.ended, *seen.marks), seen, limit_us)


def converge(server: Server, catalog: Catalog, session: Session | None, policy: Policy, at: Instant) -> Convergence:
    """The convergence verdict of one peer's catalog, first that holds, top down."""
    now_us = _instant_us(session, at)
    seen = view(server.installed, catalog.complete, policy) if catalog.complete is not None else None
    return (
        _proofs_of_staleness(server, catalog, seen)
        or _unfinished(catalog, session, policy, at, now_us)
        or _unverifiable(catalog, seen, policy, at, now_us, session)
    )


def report(server: Server, catalog: Catalog, session: Session | None, found: Convergence) -> CatalogReport:
    """The convergence verdict as it is shown: how far the proof reaches, generations, digests and counts."""
    complete = catalog.complete
    seen = found.view
    # Delivered: every page that the newest signal asks for went through to the client.
    delivered = complete is not None and (catalog.signal is None or catalog.signal.n < complete.started.n)
    equal = seen is not None and seen.status == "equal"
    installed = ""
    if seen is not None and seen.newest is not None and complete is not None:
        installed = seen.newest.digest or (complete.digest if equal else "")
    return CatalogReport(
        server=server.name,
        verdict=found.verdict,
        reasons=tuple(reason_code(reason) for reason in found.reasons),
        delivered=delivered,
        generation=catalog.generation,
        observed_generation=catalog.newest_generation,
        installed_generation=catalog.newest_generation if equal else None,
        discovered=complete.digest if complete is not None else "",
        installed=installed,
        grade=seen.grade if seen is not None else "",
        pages=complete.pages if complete is not None else 0,
        tools=len(complete.tools) if complete is not None else 0,
        evidence=tuple(dict.fromkeys(mark.ref for mark in found.marks if mark is not None)),
        affected=seen.affected if seen is not None else (),
        in_progress=found.in_progress,
        shown=seen.shown if seen is not None else None,
        listing_channel=has_channel(catalog, session),
    )
