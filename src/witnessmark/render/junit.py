"""Differences as JUnit XML: one suite for each server and profile, one case for each edit that stops.

Pure: no I/O, no clock.
"""

from __future__ import annotations

from collections.abc import Iterable

from witnessmark.model.change import Difference
from witnessmark.render.difference import Finding, Place, findings
from witnessmark.render.escape import line


def rendered(found: Iterable[Difference], place: Place) -> str:
    """The report with a final line end."""
    suites = [_suite(difference, place) for difference in found]
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', '<testsuites name="witnessmark">', *suites, "</testsuites>"]) + "\n"


def _suite(difference: Difference, place: Place) -> str:
    shown = [finding for finding in findings(difference) if finding.stops]
    server = f"{difference.server} ({difference.profile})"
    errors = sum(finding.kind in ("incomplete", "unpinned") for finding in shown)
    cases = [_case(difference, server, finding, place) for finding in shown]
    if not cases:
        cases = [f"    <testcase classname={_quoted(server)} name={_quoted('the contract is what was approved')}/>"]
    counts = f'tests="{len(cases)}" failures="{len(shown) - errors}" errors="{errors}" skipped="0"'
    return "\n".join([f"  <testsuite name={_quoted(server)} {counts}>", *cases, "  </testsuite>"])


def _case(difference: Difference, server: str, finding: Finding, place: Place) -> str:
    element = "error" if finding.kind in ("incomplete", "unpinned") else "failure"
    tool = next(iter(finding.tools), "")
    where = f"{place.path}:{place.line(difference, tool)}"
    name = f"{finding.title}{'  ' + finding.pointer if finding.pointer else ''}"
    return (
        f"    <testcase classname={_quoted(server)} name={_quoted(name)}>\n"
        f"      <{element} type={_quoted(finding.kind)} message={_quoted(finding.title)}>"
        f"{_escaped(f'{where}: {finding.message} [{finding.fingerprint}]')}</{element}>\n"
        "    </testcase>"
    )


def _escaped(text: str) -> str:
    """The text as XML 1.0 can hold it: characters that it cannot are shown as escapes."""
    return line(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _quoted(text: str) -> str:
    return f'"{_escaped(text).replace(chr(34), "&quot;")}"'
