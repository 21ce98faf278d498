"""One read-only tool call of a configured server, by our own prober's wire. Only a tool that the operator declared a read is called."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from witnessmark.adapters.asking.filling import tree
from witnessmark.adapters.asking.question import Limits, Question, Unanswered
from witnessmark.adapters.prober.connections import Connections
from witnessmark.adapters.prober.conversation import NotModern, Session, discover, initialize, modern_params
from witnessmark.adapters.prober.ending import EndCode, ProbeEnded
from witnessmark.adapters.prober.limits import ProbeLimits
from witnessmark.adapters.prober.link import Link
from witnessmark.adapters.prober.process import ServerProcess
from witnessmark.adapters.prober.reaching import session_over_http
from witnessmark.adapters.prober.stdio import StdioLink
from witnessmark.adapters.server_entry import ServerEntry, startable
from witnessmark.errors import WitnessmarkError


def call(question: Question, limits: Limits) -> Any:
    """The tool's result; Unanswered where the server, the call or the tool itself says that it did not work."""
    settings, where = question.settings, question.where
    entry = where.servers.get(settings["server"])
    if entry is None:
        raise Unanswered("bad_setting")
    if f"{settings['server']}/{settings['tool']}" not in where.read_tools:
        raise Unanswered("not_declared_read")
    params = {"name": settings["tool"], "arguments": tree(settings.get("arguments", {}), question)}
    probe = ProbeLimits(
        overall_s=limits.seconds, answer_s=limits.seconds, start_s=limits.seconds, discover_s=limits.seconds,
        max_answer_bytes=limits.output_bytes, max_bytes=4 * limits.output_bytes,
    )  # fmt: skip
    try:
        with _session(startable(entry), probe) as (link, session):
            wire = modern_params(params, "bare") if session.revision.per_request_meta else params
            answer = link.ask("tools/call", wire, limits.seconds)
    except ProbeEnded as ended:
        raise Unanswered({EndCode.TIME: "time_limit", EndCode.BYTES: "output_limit"}.get(ended.code, "unreachable")) from None  # type: ignore[arg-type]
    except WitnessmarkError:
        raise Unanswered("unreachable") from None
    result = answer.result
    if answer.code is not None or answer.unreadable or answer.repeated_names is not None or not isinstance(result, dict):
        raise Unanswered("not_understood")
    if result.get("isError") is True or result.get("resultType", "complete") != "complete":
        raise Unanswered("crashed")
    return result


def text_in(result: Any) -> str:
    """The texts of a result, one after another."""
    content = result.get("content")
    parts = [part.get("text") for part in content if isinstance(part, dict)] if isinstance(content, list) else []
    return "\n".join(text for text in parts if isinstance(text, str))


@contextmanager
def _session(entry: ServerEntry, limits: ProbeLimits) -> Iterator[tuple[Link, Session]]:
    launch, deadline = entry.launch, time.monotonic() + limits.overall_s
    if launch.url:
        headers = entry.held.resolve(launch.headers, entry.name)
        connections = Connections(entry.held.filled(launch.url, entry.name), headers, deadline, entry.name)
        try:
            yield session_over_http(connections, "bare", limits, "")
        finally:
            connections.close()
        return
    values = entry.held.resolve(launch.environment, entry.name)
    command = tuple(entry.held.filled(word, entry.name) for word in launch.command)
    for begin in (initialize, discover):
        process = ServerProcess(command, {**os.environ, **values}, entry.directory, values.values())
        try:
            link = StdioLink(process, "bare", limits, deadline)
            try:
                session = begin(link, "bare", limits.start_s)
            except (NotModern, ProbeEnded) as ended:
                # A server of 2026-07-28 alone refuses the handshake; anything else is the end.
                if begin is initialize and isinstance(ended, ProbeEnded) and ended.code is EndCode.VERSION:
                    continue
                raise ended if isinstance(ended, ProbeEnded) else Unanswered("unreachable") from None
            yield link, session
            return
        finally:
            process.kill()
