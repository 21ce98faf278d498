"""Session layer: is the client authorized, and was a session negotiated that the run can use?

Pure: no I/O, no clock.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from witnessmark.judges.finding import Claim, Finding, Value
from witnessmark.judges.instant import Instant
from witnessmark.model.policy import Policy
from witnessmark.state.run import RunState, Server
from witnessmark.state.session import Phase, Session
from witnessmark.wire.revisions import lookup

AUTHORIZED: Final = Claim("Authorized", "session")
NEGOTIATED: Final = Claim("Negotiated", "session")
FEATURES: Final = Claim("FeaturesNegotiated", "session")

_REFUSALS: Final = {
    "version": "VersionUnsupported",
    "header": "HeaderMismatch",
    "capability": "CapabilityMissing",
    "error": "NegotiationRefused",
    "http": "NegotiationRefused",
    "not_mcp": "NotMcp",
    "lost": "SessionLost",
}


def current_sessions(server: Server) -> list[Session]:
    """The sessions that count: those which no later negotiation of the same server has taken the place of."""
    sessions = list(server.sessions.values())
    if len(sessions) <= 1:
        return sessions
    negotiated = [s for s in sessions if s.negotiated is not None]
    if not negotiated:
        return sessions
    newest = max(s.negotiated.n for s in negotiated if s.negotiated is not None)
    current = []
    for session in sessions:
        if session.negotiated is not None and session.negotiated.n == newest:
            current.append(session)
            continue
        begun = session.opened or session.offered or session.negotiated
        older = begun is None or begun.n < newest
        unused = session.phase in (Phase.NONE, Phase.OFFERED, Phase.REFUSED) and session.negotiated is None
        if not (older and (unused or session.closed is not None or _lost_before(session, newest))):
            current.append(session)
    return current


def _lost_before(session: Session, n: int) -> bool:
    """True where the server no longer knew the session before the place `n`: it was told to begin anew (404), and did."""
    return session.refusal is not None and session.refusal.fact.reason == "lost" and session.refusal.mark.n < n


def _authorized(server: Server) -> Finding:
    authorization = server.authorization
    if authorization.challenges:
        standing = max(authorization.challenges.values(), key=lambda c: c.mark.n)
        fact = standing.fact
        return AUTHORIZED.false(
            "needs_auth",
            "ChallengeOutstanding",
            standing.mark,
            server=server.name,
            kind=fact.kind,
            status=fact.status,
            scheme=fact.scheme,
            error=fact.error,
            scopes=" ".join(fact.scopes),
            resource=fact.resource,
            method=fact.method,
            tool=fact.tool,
        )
    if authorization.accepted is None:
        return AUTHORIZED.unknown("NoAcceptedRequest", server=server.name)
    return AUTHORIZED.true("Accepted", authorization.accepted, server=server.name)


def _refused(session: Session, policy: Policy, at: Instant) -> Finding:
    refusal = session.refusal
    if refusal is None:
        return NEGOTIATED.unknown("NotNegotiated", session.offered, server=session.server)
    fact = refusal.fact
    facts: dict[str, Value] = {
        "server": session.server,
        "method": fact.method,
        "code": fact.code,
        "status": fact.status,
        "requested": fact.requested or session.offered_version,
        "supported": " ".join(fact.supported),
    }
    shared = fact.reason == "version" and any(lookup(version) is not None for version in fact.supported)
    probe = fact.method == "server/discover" and fact.reason in ("error", "http")
    pending = at.us < refusal.mark.time_us + round(policy.negotiation_s * 1_000_000) and session.closed is None
    if (shared or probe) and pending:
        # 2026-07-28, basic/versioning: any error that is not a modern one means a legacy server; a fallback follows.
        return NEGOTIATED.unknown("ProbeFailed", refusal.mark, **facts)
    return NEGOTIATED.false("incompatible_session", _REFUSALS.get(fact.reason, "NegotiationRefused"), refusal.mark, **facts)


def _negotiated(session: Session, policy: Policy, at: Instant) -> Finding:
    if session.phase is Phase.REFUSED:
        return _refused(session, policy, at)
    name = session.server
    if session.negotiated is None:
        return NEGOTIATED.unknown("NotNegotiated", session.offered or session.opened, server=name)
    versions: dict[str, Value] = {"offered": session.offered_version, "negotiated": session.version}
    if lookup(session.version) is None:
        return NEGOTIATED.false("incompatible_session", "VersionUnsupported", session.negotiated, server=name, **versions)
    if session.phase is Phase.NEGOTIATED:
        gone = session.closed is not None and session.closed.by == "client"
        if gone and session.version != session.offered_version:
            return NEGOTIATED.false(
                "incompatible_session", "VersionRejected", session.negotiated, session.closed_mark, server=name, **versions
            )
        return NEGOTIATED.unknown("NotConfirmed", session.negotiated, server=name, **versions)
    return NEGOTIATED.true("Negotiated", session.negotiated, session.accepted, server=name, **versions)


def _features(state: RunState, session: Session, policy: Policy) -> Finding | None:
    versions = policy.requires_versions
    capabilities = policy.requires_capabilities
    if state.opened is not None:
        versions += state.opened.requires_versions
        capabilities += state.opened.requires_capabilities
    if not versions and not capabilities:
        return None
    if session.negotiated is None:
        return FEATURES.unknown("NotNegotiated", session.offered, server=session.server)
    missing = [name for name in capabilities if name not in session.capabilities]
    if versions and session.version not in versions:
        return FEATURES.false(
            "incompatible_session", "VersionUnsupported", session.negotiated,
            server=session.server, requested=" ".join(versions), negotiated=session.version,
        )  # fmt: skip
    if missing and session.era == "modern" and not session.capabilities:
        return FEATURES.unknown("CapabilityMissing", session.negotiated, server=session.server, missing=" ".join(missing))
    if missing:
        return FEATURES.false(
            "incompatible_session", "CapabilityMissing", session.negotiated, server=session.server, missing=" ".join(missing)
        )
    return FEATURES.true("Negotiated", session.negotiated, server=session.server)


def _elsewhere(server: Server, policy: Policy, at: Instant) -> Iterator[Finding]:
    yield _authorized(server)
    for session in current_sessions(server):
        yield _negotiated(session, policy, at)


def judge_session(state: RunState, policy: Policy, at: Instant, servers: list[Server]) -> Iterator[Finding]:
    """The session layer's findings for the servers that the run uses."""
    if not any(server.sessions for server in servers):
        yield NEGOTIATED.unknown("NotNegotiated")
    gap = state.last_gap
    for server in state.servers.values():
        # A challenge or a refusal may be why a server was never called: it decides whether or not the run came to use it.
        if server not in servers:
            yield from (finding for finding in _elsewhere(server, policy, at) if finding.status == "false")
    for server in servers:
        if server.sessions or server.authorization.challenges:
            yield _authorized(server)
        for session in current_sessions(server):
            finding = _negotiated(session, policy, at)
            if finding.implies is None and gap is not None and (session.accepted is None or session.accepted.n < gap.n):
                finding = NEGOTIATED.unknown("EvidenceGap", gap, server=server.name)
            yield finding
            features = _features(state, session, policy)
            if features is not None:
                yield features
