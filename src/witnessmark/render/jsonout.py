"""A verdict as the JSON document `verdict/1` that other programs read (formats.md).

Members beyond the normative ones are additive: `exit`, `run`, `run_closed`, `log_closed`, `counts`, `policy`, `notes`,
`vantage`, `source`, and `as_of_seconds` where the evidence counts from a transcript's first frame. Times are RFC 3339 with
microseconds, or null where unknown. Pure: no I/O, no clock.
"""

from __future__ import annotations

import json
from typing import Any, Final

from witnessmark.model.health import CATALOG_ROUTES, LAYERS, LIMITS
from witnessmark.model.reasons import reason_code
from witnessmark.model.verdict import CallReport, CatalogReport, Condition, Verdict
from witnessmark.render.messages import sentence
from witnessmark.render.times import is_relative, rfc3339, seconds

FORMAT: Final = "verdict/1"


def _time(time_us: int | None) -> str | None:
    return None if time_us is None else rfc3339(time_us)


def _condition(condition: Condition) -> dict[str, Any]:
    document: dict[str, Any] = {
        "type": condition.type,
        "status": condition.status,
        "reason": condition.reason,
        "message": sentence(condition),
        "last_transition": _time(condition.last_transition_us),
        "observed_generation": condition.observed_generation,
        "evidence": list(condition.evidence),
    }
    if condition.server:
        document["server"] = condition.server
    if condition.call:
        document["call"] = condition.call
    if condition.facts:
        document["facts"] = dict(condition.facts)
    return document


def _reason(condition: Condition) -> dict[str, Any]:
    return {
        "code": reason_code(condition.reason),
        "layer": condition.layer,
        "message": sentence(condition),
        "evidence": list(condition.evidence),
    }


def catalog_document(report: CatalogReport) -> dict[str, Any]:
    """The convergence verdict of one server as a member of `catalogs`."""
    document: dict[str, Any] = {
        "verdict": report.verdict,
        "reasons": [reason_code(reason) for reason in report.reasons],
        "delivered": report.delivered,
        "generation": report.generation,
        "observed_generation": report.observed_generation,
        "installed_generation": report.installed_generation,
        "discovered": report.discovered or None,
        "installed": report.installed or None,
        "projection": report.projection,
        "grade": report.grade or None,
        "pages": report.pages,
        "tools": report.tools,
        "shown": report.shown,
        "in_progress": report.in_progress,
        "listing_channel": report.listing_channel,
        "affected": list(report.affected),
        "evidence": list(report.evidence),
    }
    route = CATALOG_ROUTES[report.verdict]
    document["next"] = route.next
    document["forbidden"] = list(route.forbidden)
    return document


def call_document(report: CallReport) -> dict[str, Any]:
    """One logical call as a member of `calls`."""
    return {
        "id": report.id,
        "channel": report.channel,
        "tool": report.tool,
        "server": report.server,
        "state": report.state,
        "settled": report.settled,
        "effect": report.effect,
        "answer": report.answer,
        "reasons": [reason_code(reason) for reason in report.reasons],
        "started": rfc3339(report.started_us),
        "ended": _time(report.ended_us),
        "rounds": report.rounds,
        "progress": report.progress,
        "invalid_progress": dict(report.invalid_progress),
        "operation_key": report.key or None,
        "evidence": list(report.evidence),
    }


def verdict_document(verdict: Verdict, *, source: str = "") -> dict[str, Any]:
    """The verdict as the members of `verdict/1`; `source` names the file or store that was judged, where there is one."""
    document: dict[str, Any] = {
        "witnessmark": FORMAT,
        "as_of": rfc3339(verdict.as_of_us),
        "state": verdict.state,
        "since": _time(verdict.since_us),
        "owner": verdict.owner,
        "next": verdict.next,
        "forbidden": list(verdict.forbidden),
        "reasons": [_reason(condition) for condition in verdict.deciding],
        "layers": {
            layer: {
                "status": verdict.layer_status(layer),
                "conditions": [_condition(condition) for condition in verdict.conditions if condition.layer == layer],
            }
            for layer in LAYERS
        },
        "catalogs": {report.server: catalog_document(report) for report in verdict.catalogs},
        "calls": [call_document(report) for report in verdict.calls],
        "limits": list(LIMITS),
        "exit": verdict.exit_code,
        "run": verdict.run or None,
        "run_closed": verdict.run_closed,
        "log_closed": verdict.log_closed,
        "counts": {member: getattr(verdict.counts, member) for member in verdict.counts.__struct_fields__},
        "policy": dict(verdict.policy),
        "notes": list(verdict.notes),
        "vantage": list(verdict.vantage),
    }
    if is_relative(verdict.as_of_us):
        document["as_of_seconds"] = seconds(verdict.as_of_us)
    if source:
        document["source"] = source
    return document


def dumps(document: object) -> str:
    """JSON text in ASCII without a final line end: what a peer chose can neither steer a terminal nor hide in it."""
    return json.dumps(document, ensure_ascii=True, indent=2, allow_nan=False).replace("\x7f", "\\u007f")
