"""Catalog layer, the run's side: convergence of the servers it uses, approved contracts, calls by outdated contracts.

Pure: no I/O, no clock.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec

from witnessmark.judges.calls import Outcomes, Standing
from witnessmark.judges.catalog import Convergence, converge, report
from witnessmark.judges.finding import Claim, Finding
from witnessmark.judges.instant import Instant
from witnessmark.judges.session import current_sessions
from witnessmark.model.health import CATALOG_ROUTES
from witnessmark.model.policy import Policy
from witnessmark.model.verdict import CatalogReport
from witnessmark.state.catalog import Catalog
from witnessmark.state.run import RunState, Server
from witnessmark.state.session import Session

CONVERGED: Final = Claim("CatalogConverged", "catalog")
APPROVED: Final = Claim("ContractsApproved", "catalog")
CURRENT: Final = Claim("CallsByCurrentContract", "catalog")
ALLOWED: Final = Claim("CallsAllowed", "catalog")

_SEVERITY: Final = {verdict: rank for rank, verdict in enumerate(CATALOG_ROUTES)}


class Judged(msgspec.Struct, frozen=True, gc=False):
    """A server's catalog with its verdict."""

    server: Server
    catalog: Catalog
    session: Session | None
    found: Convergence

    def report(self) -> CatalogReport:
        """The verdict as it is shown."""
        return report(self.server, self.catalog, self.session, self.found)


def judge_convergence(server: Server, policy: Policy, at: Instant) -> Judged:
    """The convergence of a server: the worst of its peers that count."""
    current = current_sessions(server)
    if len(current) == 1 == len(server.catalogs) and current[0].peer in server.catalogs:  # most runs: one peer, one catalog
        session, catalog = current[0], server.catalogs[current[0].peer]
        return Judged(server, catalog, session, converge(server, catalog, session, policy, at))
    sessions = {session.peer: session for session in current}
    catalogs = [c for peer, c in server.catalogs.items() if peer in sessions or not sessions]
    if not catalogs:
        catalogs = [Catalog(server.name, next(iter(sessions), ""))]
    judged = [Judged(server, c, sessions.get(c.peer), converge(server, c, sessions.get(c.peer), policy, at)) for c in catalogs]
    # A peer that never listed anything says nothing where another one of the same server did.
    spoken = [one for one in judged if one.catalog.newest is not None or one.catalog.signal is not None] or judged
    return min(spoken, key=lambda one: _SEVERITY[one.found.verdict])


def _convergence(judged: Judged) -> Finding:
    found = judged.found
    name = judged.server.name
    reason = found.reasons[0]
    if found.verdict == "converged":
        return CONVERGED.true(reason, *found.marks, server=name, verdict=found.verdict)
    if found.in_progress:
        return CONVERGED.pending(reason, *found.marks, server=name, verdict=found.verdict)
    if found.verdict == "unverifiable":
        shown = found.view.shown if found.view is not None else None
        return CONVERGED.unknown(reason, *found.marks, server=name, verdict=found.verdict, shown=shown, since_us=found.since_us)
    affected = " ".join(found.view.affected[:8]) if found.view is not None else ""
    return CONVERGED.false(
        "stale_catalog", reason, *found.marks, server=name, verdict=found.verdict, affected=affected, since_us=found.since_us
    )


def _approved(judged: Judged) -> Finding | None:
    server, complete = judged.server, judged.catalog.complete
    if server.approved is None:
        return None
    mark = server.approved_mark
    if complete is None:
        return APPROVED.unknown("ContractUnknown", mark, server=server.name)
    drifted, unpinned = [], []
    for name, tool in complete.tools.items():
        approved = server.approved.get(name)
        if approved is None:
            if name in server.called:
                unpinned.append(name)
        elif approved.digest != tool.digest and not (approved.meaning and approved.meaning == tool.meaning):
            # A cosmetic difference is neither drifted nor stale (verdicts.md section 3): the meaning digest is equal.
            drifted.append(name)
    gone = [name for name in server.called if name in server.approved and name not in complete.tools]
    if drifted or gone:
        return APPROVED.false(
            "stale_catalog", "ContractDrifted", complete.ended, mark, server=server.name, affected=" ".join([*drifted, *gone][:8])
        )
    if unpinned:
        return APPROVED.false(
            "stale_catalog", "ContractUnpinned", complete.ended, mark, server=server.name, affected=" ".join(unpinned[:8])
        )
    return APPROVED.true("ContractApproved", complete.ended, mark, server=server.name)


def _outdated(state: RunState, standings: list[Standing], outcomes: Outcomes) -> Finding | None:
    if not state.calls.stale and not state.calls.stale_more:
        return None
    proved = outcomes in ("verified", "proves_effect")
    by_call = {s.call.started.n: s for s in standings}
    unsettled = []
    for call in state.calls.stale:
        known = by_call.get(call.started.n)
        if not (proved and known is not None and known.effect == "applied" and known.implies is None):
            unsettled.append(call)
    count = len(unsettled) + state.calls.stale_more
    if not count:
        return CURRENT.true("StaleClient", state.calls.stale[0].started, calls=len(state.calls.stale))
    first = unsettled[0] if unsettled else state.calls.stale[0]
    return CURRENT.false("stale_catalog", "StaleClient", first.started, server=first.server, call=first.id, tool=first.tool, calls=count)


def _refused(standings: list[Standing]) -> Finding | None:
    """Calls that the gate did not send on, and that no later call of the tool made up for."""
    refused = [one for one in standings if one.call.kept_back and one.implies == "stale_catalog"]
    if not refused:
        return None
    call = refused[0].call
    return ALLOWED.false(
        "stale_catalog", "RefusedByGate", *refused[0].marks, server=call.server, call=call.id, tool=call.tool, gate=call.kept_back,
        calls=len(refused), since_us=refused[0].since_us,
    )  # fmt: skip


def judge_catalog(state: RunState, judged: list[Judged], standings: list[Standing], outcomes: Outcomes) -> Iterator[Finding]:
    """The catalog layer's findings for the servers that the run uses."""
    if not judged:
        yield CONVERGED.unknown("NeverTraversed")
    for one in judged:
        yield _convergence(one)
        approved = _approved(one)
        if approved is not None:
            yield approved
    outdated = _outdated(state, standings, outcomes)
    if outdated is not None:
        yield outdated
    refused = _refused(standings)
    if refused is not None:
        yield refused
