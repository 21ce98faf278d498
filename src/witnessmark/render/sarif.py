"""Differences as SARIF 2.1.0 (OASIS standard): rules with their explanation, results with stable fingerprints.

Pure: no I/O, no clock.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from witnessmark.model.change import Difference
from witnessmark.render.difference import Finding, Place, findings
from witnessmark.render.escape import line
from witnessmark.render.explanation import kinds
from witnessmark.render.jsonout import dumps

SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
FINGERPRINT: Final = "witnessmark/v1"
_VERDICTS: Final = {
    "incomplete": "The catalog was not seen whole: nothing is proved about it.",
    "unpinned": "There is no valid lock for this server and profile.",
}


def rendered(found: Iterable[Difference], place: Place) -> str:
    """The log file as JSON text with a final line end."""
    return dumps(document(found, place)) + "\n"


def document(found: Iterable[Difference], place: Place) -> dict[str, Any]:
    """The log: one run, one result for each edit."""
    differences = list(found)
    shown = [(difference, finding) for difference in differences for finding in findings(difference)]
    used = sorted({finding.kind for _, finding in shown})
    # SARIF 2.1.0, 3.20.14: a run that did not see everything says so.
    whole = all(difference.verdict != "incomplete" for difference in differences)
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": "witnessmark", "version": place.version, "rules": [_rule(kind) for kind in used]}},
                "invocations": [{"executionSuccessful": whole}],
                "results": [_result(difference, finding, used.index(finding.kind), place) for difference, finding in shown],
            }
        ],
    }


def _rule(kind: str) -> dict[str, Any]:
    rule = kinds().get(kind)
    if rule is None:
        return {"id": kind, "shortDescription": {"text": _VERDICTS[kind]}, "defaultConfiguration": {"level": "error"}}
    return {
        "id": kind,
        "shortDescription": {"text": rule.name},
        "fullDescription": {"text": rule.doc.means},
        "help": {"text": rule.doc.text},
        "defaultConfiguration": {"level": "note" if (rule.old_caller, rule.model_told) == ("none", "same") else "warning"},
    }


def _result(difference: Difference, finding: Finding, index: int, place: Place) -> dict[str, Any]:
    tools = finding.tools or ("",)
    return {
        "ruleId": finding.kind,
        "ruleIndex": index,
        "level": finding.level,
        "message": {"text": _message(f"{finding.title}. {finding.message}")},
        "locations": [_location(difference, tool, finding.pointer, place) for tool in tools],
        "partialFingerprints": {FINGERPRINT: finding.fingerprint},
    }


def _location(difference: Difference, tool: str, pointer: str, place: Place) -> dict[str, Any]:
    path = "/".join(part for part in (difference.server, difference.profile, tool) if part)
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": _uri(place.path)},
            "region": {"startLine": place.line(difference, tool)},
        },
        "logicalLocations": [{"name": line(tool or difference.server), "fullyQualifiedName": line(f"{path}{pointer}"), "kind": "member"}],
    }


def _message(text: str) -> str:
    """The text on one line, with nothing hidden in it and no link of a peer's making."""
    # SARIF 2.1.0, 3.11.6: `[text](target)` in a plain text message is a link, which viewers make live.
    return line(text).replace("](", "] (")


def _uri(path: str) -> str:
    """The path as a relative reference (RFC 3986): everything but unreserved characters and slashes as percent escapes."""
    plain = "-._~/"
    return "".join(
        chr(byte) if chr(byte) in plain or (chr(byte).isascii() and chr(byte).isalnum()) else f"%{byte:02X}"
        for byte in path.replace("\\", "/").encode("utf-8", "surrogatepass")
    )
