"""A capture over HTTP: which of the three transports a URL speaks, and the walk over it.

Order (2026-07-28 basic/versioning and basic/transports, backward compatibility): `server/discover` by POST; where that is not
understood, `initialize` by POST; where that is refused with a client error, the events of 2024-11-05 by GET. Over HTTP a
server keeps no era, so all of it goes to the same URL.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from witnessmark.adapters.prober.connections import Connections
from witnessmark.adapters.prober.conversation import NotModern, Session, Walker, discover, initialize
from witnessmark.adapters.prober.ending import EndCode, NoAnswer, ProbeEnded, ServerGone
from witnessmark.adapters.prober.legacy_sse import LegacySseLink
from witnessmark.adapters.prober.limits import ProbeLimits
from witnessmark.adapters.prober.record import Record
from witnessmark.adapters.prober.streamable import HttpRefused, StreamableLink
from witnessmark.model.capture import Capture, Launch, Profile
from witnessmark.wire.revisions import Era, lookup

_CLIENT_ERRORS = range(400, 500)


def capture_over_http(
    launch: Launch,
    server: str,
    profile: Profile,
    limits: ProbeLimits,
    headers: Mapping[str, str],
    last_version: str,
    known: Mapping[str, dict[str, Any]],
) -> Capture:
    """The catalog behind `launch.url`; incomplete, with the reason, wherever anything ended it early. UsageError for a URL that is none."""
    connections = Connections(launch.url, headers, time.monotonic() + limits.overall_s, server)
    record = Record(Capture(server=server, profile=profile, launch=launch))
    walker: Walker | None = None
    link: StreamableLink | LegacySseLink | None = None
    try:
        link, record.session = session_over_http(connections, profile, limits, last_version)
        walker = Walker(link, record.session, profile, limits, known)
        return record.complete(walker.walk())
    except ProbeEnded as ended:
        record.pages = walker.pages if walker is not None else 0
        return record.incomplete(ended.reason)
    finally:
        if link is not None:
            link.close()
        connections.close()


def session_over_http(
    connections: Connections, profile: Profile, limits: ProbeLimits, last_version: str
) -> tuple[StreamableLink | LegacySseLink, Session]:
    """The link that the URL speaks, and the session on it; ProbeEnded or HttpRefused where there is none."""
    last = lookup(last_version)
    link = StreamableLink(connections, profile, limits)
    if last is None or last.era is Era.MODERN:
        try:
            return link, discover(link, profile, limits.discover_s)
        except (NotModern, HttpRefused, NoAnswer, ServerGone):
            pass
        except ProbeEnded as ended:
            if ended.code is not EndCode.NOT_MCP:
                raise
    link = StreamableLink(connections, profile, limits)
    try:
        return link, initialize(link, profile, limits.start_s)
    except HttpRefused as refused:
        if refused.status not in _CLIENT_ERRORS:
            raise
    old = LegacySseLink(connections, profile, limits)
    return old, initialize(old, profile, limits.start_s)
