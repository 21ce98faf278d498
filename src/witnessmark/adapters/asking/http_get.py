"""One GET: host fixed by the template, redirects only on its origin, no encoding, time and size bounded, credentials by reference."""

from __future__ import annotations

import time
from typing import NamedTuple

from witnessmark.adapters.asking.filling import url
from witnessmark.adapters.asking.question import Limits, Question, Unanswered
from witnessmark.adapters.held_values import REFERENCE
from witnessmark.adapters.prober.connections import Connections, Response
from witnessmark.adapters.prober.ending import EndCode, ProbeEnded
from witnessmark.errors import UsageError


class Fetched(NamedTuple):
    """Status, the fields that were asked for (None where missing) and the body."""

    status: int
    fields: dict[str, str | None]
    body: bytes


def get(question: Question, limits: Limits, fields: tuple[str, ...] = ()) -> Fetched:
    """What the URL of the settings answers; Unanswered where it does not."""
    deadline = time.monotonic() + limits.seconds
    target = url(question.settings["url"], question)
    try:
        connections = Connections(target, _credentials(question), deadline)
    except UsageError:
        raise Unanswered("bad_setting") from None
    try:
        response = connections.exchange("GET", target, {"Accept-Encoding": "identity"}, None, limits.seconds)
        try:
            return Fetched(response.status, {name: response.header(name) for name in fields}, _body(response, limits, deadline))
        finally:
            response.cut()
            response.close()
    except ProbeEnded as ended:
        raise Unanswered("time_limit" if ended.code is EndCode.TIME or time.monotonic() >= deadline else "unreachable") from None
    except UsageError:
        raise Unanswered("bad_setting") from None
    finally:
        connections.close()


def _body(response: Response, limits: Limits, deadline: float) -> bytes:
    if response.encoded:  # it was asked not to; what a small body unpacks to has no limit
        raise Unanswered("not_understood")
    body = bytearray()
    try:
        while chunk := response.read(deadline - time.monotonic()):
            body += chunk
            if len(body) > limits.output_bytes:
                raise Unanswered("output_limit")
    except OSError:
        raise Unanswered("time_limit" if time.monotonic() >= deadline else "unreachable") from None
    length = response.header("content-length")
    if time.monotonic() >= deadline or (length is not None and length.isdigit() and int(length) != len(body)):
        raise Unanswered("time_limit" if time.monotonic() >= deadline else "unreachable")
    return bytes(body)


def _credentials(question: Question) -> dict[str, str]:
    if question.visibility == "public":
        return {}
    headers = {}
    for name, reference in question.settings.get("headers", {}).items():
        found = REFERENCE.fullmatch(reference) if isinstance(reference, str) else None
        if found is None:
            raise Unanswered("bad_setting")
        value = question.where.environment.get(found[2])
        if value is None:
            raise Unanswered("missing_value")
        headers[name] = f"{found[1]} {value}" if found[1] else value
    return headers
