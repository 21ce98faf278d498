"""What the client shows, compared with what it discovered: grade, or the first difference.

Grades (verdicts.md section 2): `exact`, the literal description and input schema; `core`, names mapped and the parts that a
caller depends on equal (decided where the definitions are at hand, see contract/match.py). Below `core` is a difference.
Pure: no I/O, no clock.
"""

from __future__ import annotations

import msgspec

from witnessmark.model.evidence import CatalogInstalled
from witnessmark.model.policy import Policy
from witnessmark.state.catalog import Installed, InstalledReports
from witnessmark.state.session import Mark
from witnessmark.state.walk import Walk

_PREFIX = "sha256:"


class Comparison(msgspec.Struct, frozen=True, gc=False):
    """One report against one discovery. `affected` names the tools that differ; `shown` of `tools` are shown."""

    grade: str
    affected: tuple[str, ...]
    shown: int
    partial: bool
    mark: Mark


def compare(report: Installed, discovered: Walk) -> Comparison:
    """The report against the discovered catalog: grade `exact` or `core`, or "" with the tools that differ."""
    fact = report.fact
    if fact.digest:
        grade = "exact" if fact.digest == discovered.digest else ""
        return Comparison(grade, (), len(discovered.tools), partial=False, mark=report.mark)
    grade = "exact"
    affected: list[str] = []
    shown: set[str] = set()
    unloaded = 0
    for tool in fact.tools:
        wire = discovered.tools.get(tool.wire)
        if wire is None:
            # A tool that maps to nothing may be the host's own, unless its name map is complete by construction.
            if tool.wire or fact.exact_names:
                affected.append(tool.wire or tool.shown)
            continue
        # A definition that is shown and not loaded yet proves nothing by being right, but an old one is old.
        if tool.deferred:
            unloaded += 1
        else:
            shown.add(tool.wire)
        if tool.digest == wire.shown or (tool.deferred and not tool.digest):
            continue
        if wire.shown in tool.agrees:
            grade = "core"
        else:
            affected.append(tool.wire)
    missing = [name for name in discovered.tools if name not in shown]
    partial = bool(fact.partial) or unloaded > 0
    if missing and not partial:
        affected.extend(missing)
    return Comparison("" if affected else grade, tuple(dict.fromkeys(affected)), len(shown), partial and bool(missing), report.mark)


class InstalledView(msgspec.Struct, frozen=True, gc=False):
    """What the reports together say about the newest discovery.

    `status`: unobserved | not_observed (policy wants the tap) | old | differs | disagree | partial | equal.
    """

    status: str
    grade: str
    affected: tuple[str, ...]
    shown: int | None
    marks: tuple[Mark, ...]
    newest: CatalogInstalled | None


def view(reports: InstalledReports, discovered: Walk, policy: Policy) -> InstalledView:
    """Every source's newest report against the discovery; a sampled one speaks only if it came after its end."""
    ended = discovered.ended.n if discovered.ended is not None else discovered.last.n
    standing = list(reports.by_source.values())
    if not standing:
        return InstalledView("unobserved", "", (), None, (), None)
    if policy.installed_witness == "observed":
        standing = [report for report in standing if report.fact.observed]
        if not standing:
            return InstalledView("not_observed", "", (), None, (), None)
    if len(standing) > 1:
        standing.sort(key=lambda report: report.mark.n)
    newest = standing[-1].fact
    speaking: list[Installed] = []
    compared: list[Comparison] = []
    different: list[Comparison] = []
    for report in standing:
        if report.fact.continuous or report.mark.n > ended:
            one = compare(report, discovered)
            speaking.append(report)
            compared.append(one)
            if one.grade == "":
                different.append(one)
    if not compared:
        return InstalledView("old", "", (), None, (standing[-1].mark,), newest)
    marks = tuple([one.mark for one in compared])
    shown = compared[0].shown if len(compared) == 1 else min(one.shown for one in compared)
    if different:
        affected = tuple(dict.fromkeys(name for one in different for name in one.affected))
        status = "differs" if len(different) == len(compared) or _newest_differs(speaking, compared) else "disagree"
        return InstalledView(status, "", affected, shown, marks, newest)
    status, grade = _agreed(reports, speaking, compared)
    return InstalledView(status, grade, (), shown, marks, newest)


def _agreed(reports: InstalledReports, speaking: list[Installed], compared: list[Comparison]) -> tuple[str, str]:
    """Status and grade where no report differs."""
    status, grade = "equal", "exact"
    for one in compared:
        if one.grade == "core":
            grade = "core"
        if one.partial:
            status = "partial"
    if reports.gap is not None and any(report.mark.n < reports.gap.n for report in speaking):
        status = "old"  # what was lost may have been the next report of that source
    elif reports.forgotten is not None:
        status = "disagree"
    return status, grade


def _newest_differs(speaking: list[Installed], compared: list[Comparison]) -> bool:
    """A model request outranks reports about it; among equals the newest report is asked."""
    observed = [one for report, one in zip(speaking, compared, strict=True) if report.fact.observed]
    return (observed or compared)[-1].grade == ""
