"""When a verdict can next change though nothing happens: when a driver has to judge again.

A verdict depends on time only through the limits that are collected here. An instant may be named at which nothing changes
after all; none is missed. Pure: no I/O, no clock.
"""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.judges.catalog import SECOND_US, age_limit_us
from witnessmark.judges.session import current_sessions
from witnessmark.model.policy import Policy
from witnessmark.state.run import RunState, Server


def next_deadline(state: RunState, policy: Policy, as_of_us: int) -> int | None:
    """The earliest instant after `as_of_us` (microseconds, the clock of the evidence) at which the verdict can change by time
    alone; None where it never does.
    """
    closed_us = state.closed.time_us if state.closed is not None else None
    # A closed run is judged as of its close, whatever is asked: no limit of the run itself can pass after it.
    limits = (limit for limit in _of_the_run(state, policy) if closed_us is None or limit <= closed_us)
    return min((limit for limit in (*limits, *_of_the_log(state, policy, closed_us)) if limit > as_of_us), default=None)


def _of_the_log(state: RunState, policy: Policy, closed_us: int | None) -> Iterator[int]:
    """From when on an open log no longer speaks for the instant."""
    silence_us = round(policy.observer_silence_s * SECOND_US)
    for log in state.open_logs:
        ends_us = log.covered_us if log.attests else log.covered_us + silence_us + 1
        if log.attests or log.brings or closed_us is None or ends_us <= closed_us:
            yield ends_us


def _of_the_run(state: RunState, policy: Policy) -> Iterator[int]:
    for call in state.calls.held.values():
        if call.open:
            yield from (limit for limit in call.deadlines_us(policy) if limit is not None)
    for server in state.servers.values():
        yield from _of_the_server(server, policy)


def _of_the_server(server: Server, policy: Policy) -> Iterator[int]:
    """A failed probe's wait for a fallback; how long a traversal may be under way, and how long a complete one speaks."""
    for session in server.sessions.values():
        if session.refusal is not None:
            yield session.refusal.mark.time_us + round(policy.negotiation_s * SECOND_US)
    current = {session.peer: session for session in current_sessions(server)}
    for peer, catalog in server.catalogs.items():
        if catalog.newest is not None and catalog.newest.open:
            yield catalog.newest.last.time_us + round(policy.discovery_s * SECOND_US)
        limit_us = age_limit_us(catalog, current.get(peer), policy)
        if limit_us is not None:
            yield limit_us
