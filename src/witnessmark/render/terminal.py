"""A verdict as text that a person reads in ten seconds: state and owner first, then what is not proved and why.

Every mark is a character with a word in the legend; colour only repeats it. Names that a peer chose are escaped.
Pure: no I/O, no clock.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from witnessmark.model.health import CATALOG_ROUTES, LAYERS, LIMITS, PRECEDENCE, Status
from witnessmark.model.reasons import REASONS, reason_code
from witnessmark.model.verdict import CatalogReport, Condition, Counts, Verdict
from witnessmark.render.escape import name
from witnessmark.render.messages import sentence, todo
from witnessmark.render.table import table
from witnessmark.render.times import instant, span

MARKS: Final[dict[Status, str]] = {"true": "+", "false": "x", "unknown": "?"}
_COLOURS: Final[dict[str, str]] = {"true": "32", "false": "31", "unknown": "33", "good": "1;32", "bad": "1;31", "open": "1;33"}
_RANK: Final[dict[Status, int]] = {"false": 0, "unknown": 1, "true": 2}
_STATE_RANK: Final[dict[str, int]] = {state: rank for rank, state in enumerate(PRECEDENCE)}
_EXIT_LOOK: Final[dict[int, str]] = {0: "good", 1: "bad", 3: "open", 4: "open"}

CALL_ROWS: Final = 20
"""Calls shown, those that decide first: what fits a screen together with the verdict. JSON lists all that the verdict has."""
EVIDENCE_IDS: Final = 6
"""Evidence ids shown per condition unless all are asked for: one line of text."""

MEANINGS: Final[dict[str, str]] = {
    "needs_auth": "An authorization challenge has not been answered.",
    "incompatible_session": "Client and server did not agree on how to speak.",
    "stale_catalog": "The client works with tool definitions that are not the current ones, or has not read all of them.",
    "effect_unknown": "Something may have been changed, and nobody knows whether it was.",
    "protocol_error": "A message broke the protocol or was answered with an error.",
    "tool_failed": "A tool said that it failed.",
    "false_success": "It was said to be done, and the evidence says otherwise.",
    "working": "A call is under way, inside its clocks.",
    "unproven": "Nothing is known to be wrong, and not everything is proved.",
    "healthy": "Session, catalog, request, effect and outcome are proved by evidence.",
}
"""What a state says, in one sentence (verdicts.md section 3)."""


class _Paint:
    """Colour, where it is wanted; the text itself otherwise."""

    def __init__(self, *, colour: bool) -> None:
        self.colour = colour

    def __call__(self, text: str, look: str) -> str:
        return f"\x1b[{_COLOURS[look]}m{text}\x1b[0m" if self.colour else text


def verdict_text(verdict: Verdict, *, source: str = "", colour: bool = False, full: bool = False) -> str:
    """The verdict as lines of text with a final line end. `full` shows every condition and evidence id, and the policy.

    `source` names what was judged. `colour` puts ANSI colours around marks that are there without them too.
    """
    paint = _Paint(colour=colour)
    lines = _headline(verdict, source, paint)
    lines += ["", _chain(verdict, paint), "  + proved   x proved false   ? not known", ""]
    lines += _conditions(verdict, paint, full=full)
    lines += _missing(verdict)
    lines += _catalogs(verdict.catalogs, full=full)
    lines += _calls(verdict)
    lines += _section("Counted", _counted(verdict.counts))
    lines += _section("Notes", [*_log_notes(verdict), *map(_note, verdict.notes)])
    if full and verdict.policy:
        lines += _section("Policy", [f"{member} = {_plain(value)}" for member, value in verdict.policy])
    lines += _section("Seen from", [", ".join(name(source, 200) for source in verdict.vantage)] if verdict.vantage else [])
    lines += _section("What this does not establish", LIMITS)
    return "\n".join(lines).rstrip("\n") + "\n"


def _headline(verdict: Verdict, source: str, paint: _Paint) -> list[str]:
    subject = name(source, 200) or (f"run {name(verdict.run)}" if verdict.run else "")
    since = f", since {instant(verdict.since_us)}" if verdict.since_us is not None else ""
    lines = [f"{paint(verdict.state, _EXIT_LOOK[verdict.exit_code])}{'  ' + subject if subject else ''}"]
    lines.append(f"  {MEANINGS[verdict.state]}")
    lines.append(f"  as of {instant(verdict.as_of_us)}{since}")
    lines.append(f"  owner: {verdict.owner}")
    lines.append(f"  next:  {verdict.next}")
    if verdict.forbidden:
        lines.append(f"  never automatically: {'; '.join(verdict.forbidden)}")
    return lines


def _chain(verdict: Verdict, paint: _Paint) -> str:
    parts = []
    for layer in LAYERS:
        status = verdict.layer_status(layer)
        parts.append(paint(f"[{MARKS[status]}] {layer}", status))
    return "  " + " -> ".join(parts)


def _plain(value: object) -> str:
    return name(value, 200) or "(none)" if isinstance(value, str) else str(value)


def _ids(evidence: Sequence[str], *, full: bool) -> str:
    shown = evidence if full else evidence[:EVIDENCE_IDS]
    more = f" and {len(evidence) - len(shown)} more" if len(shown) < len(evidence) else ""
    return ", ".join(name(one, 80) for one in shown) + more


def _condition(condition: Condition, paint: _Paint, *, full: bool) -> list[str]:
    mark = paint(f"[{MARKS[condition.status]}]", condition.status)
    lines = [f"  {mark} {condition.layer}: {sentence(condition)}"]
    about = f"{condition.type}, {reason_code(condition.reason)}"
    if condition.evidence:
        about += f"; evidence {_ids(condition.evidence, full=full)}"
    lines.append(f"      {about}")
    return lines


def _conditions(verdict: Verdict, paint: _Paint, *, full: bool) -> list[str]:
    """What decided, then what is False, Unknown, True; in the short form the True ones are left to the chain."""
    lines: list[str] = []
    decided = list(verdict.deciding)
    for condition in decided:
        lines += _condition(condition, paint, full=full)
    if lines:
        lines = ["Decided by", *lines, ""]
    rest = [condition for condition in verdict.conditions if condition not in decided]
    rest.sort(key=lambda condition: _RANK[condition.status])
    others = [condition for condition in rest if condition.status != "true"]
    proved = [condition for condition in rest if condition.status == "true"]
    for title, members in (("Also", others), ("Proved", proved if full or not others else [])):
        block: list[str] = []
        for condition in members:
            block += _condition(condition, paint, full=full)
        if block:
            lines += [title, *block, ""]
    return lines


def _missing(verdict: Verdict) -> list[str]:
    """What would have to be known or done, from the reasons of the conditions that are Unknown."""
    wanted = dict.fromkeys(todo(condition) for condition in (*verdict.deciding, *verdict.conditions) if condition.status == "unknown")
    wanted.pop("", None)
    return _section("Missing", list(wanted))


def _section(title: str, texts: Iterable[str]) -> list[str]:
    lines = [f"  {text}" for text in texts]
    return [title, *lines, ""] if lines else []


def _short(digest: str) -> str:
    return digest.removeprefix("sha256:")[:12]


def _catalogs(reports: Sequence[CatalogReport], *, full: bool) -> list[str]:
    rows = [
        (
            name(report.server),
            report.verdict + (" (under way)" if report.in_progress else ""),
            ", ".join(reason_code(reason) for reason in report.reasons),
            str(report.tools),
            _short(report.discovered),
            _short(report.installed),
            report.grade,
            ", ".join(name(tool) for tool in (report.affected if full else report.affected[:3])),
        )
        for report in reports
    ]
    lines = table(
        ("server", "verdict", "reasons", "tools", "discovered", "installed", "grade", "affected"), rows, right=frozenset((3,)), indent="  "
    )
    steps = dict.fromkeys(f"{report.verdict}: {CATALOG_ROUTES[report.verdict].next}" for report in reports if report.verdict != "converged")
    return ["Catalogs", *lines, *(f"  {step}" for step in steps), ""] if lines else []


def _calls(verdict: Verdict) -> list[str]:
    calls = verdict.calls
    if len(calls) > CALL_ROWS:
        calls = tuple(sorted(calls, key=lambda call: _STATE_RANK.get(call.state, len(_STATE_RANK))))
    shown = calls[:CALL_ROWS]
    rows = [
        (
            name(call.id),
            name(call.tool),
            name(call.server),
            call.state,
            call.answer,
            call.effect,
            span(call.ended_us - call.started_us) if call.ended_us is not None else "open",
            ", ".join(reason_code(reason) for reason in call.reasons),
        )
        for call in shown
    ]
    header = ("call", "tool", "server", "state", "answer", "effect", "took", "reasons")
    lines = table(header, rows, right=frozenset((6,)), indent="  ")
    more = max(verdict.counts.calls, len(verdict.calls)) - len(shown)
    if more:
        listed = f"`--format json` lists {len(verdict.calls)}" if len(verdict.calls) > len(shown) else "no longer kept one by one"
        lines.append(f"  and {more} more {'call' if more == 1 else 'calls'}: those that decide stand first; {listed}")
    return ["Calls", *lines, ""] if lines else []


_COUNTED: Final[tuple[tuple[str, str, str], ...]] = (
    ("events", "event", "events"),
    ("sessions", "negotiation", "negotiations"),
    ("calls", "call", "calls"),
    ("open", "call open", "calls open"),
    ("succeeded", "call answered with a result", "calls answered with a result"),
    ("failed", "call failed", "calls failed"),
    ("recovered", "failure settled by a later call", "failures settled by later calls"),
    ("signals", "change signal", "change signals"),
    ("gaps", "gap in the evidence", "gaps in the evidence"),
    ("invalid_progress", "invalid heartbeat", "invalid heartbeats"),
    ("implicit_lists", "implicit list, ignored", "implicit lists, ignored"),
    ("other_requests", "other request, decides nothing", "other requests, decide nothing"),
    ("other_errors", "error of another request, decides nothing", "errors of other requests, decide nothing"),
    ("junk_lines", "line that is no message", "lines that are no messages"),
    ("advisories", "oddity that loses nothing", "oddities that lose nothing"),
)


def _counted(counts: Counts) -> list[str]:
    parts = []
    for member, one, many in _COUNTED:
        count: int = getattr(counts, member)
        if count:
            parts.append(f"{count} {one if count == 1 else many}")
    return ["; ".join(parts)] if parts else []


_BY_CODE: Final = {reason_code(word): reason for word, reason in REASONS.items()}


def _note(note: str) -> str:
    """A note is a reason's code that a reader of a green verdict must see, or text."""
    known = _BY_CODE.get(note)
    return f"{note}: {known.meaning}" if known is not None else name(note, 200)


def _log_notes(verdict: Verdict) -> list[str]:
    notes = []
    if not verdict.run_closed:
        notes.append("nobody has closed the run: later evidence may change this verdict")
    return notes
