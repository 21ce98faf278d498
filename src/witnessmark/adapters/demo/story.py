"""What a person reads: scene by scene, then the table; plain text of at most 100 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from witnessmark.adapters.demo.scenes import Played
from witnessmark.adapters.demo.stage import Judged
from witnessmark.model.health import LAYERS, LIMITS, Layer
from witnessmark.model.reasons import REASONS, reason_code
from witnessmark.model.verdict import Verdict
from witnessmark.render.messages import sentence
from witnessmark.render.terminal import MARKS, MEANINGS

COLUMNS: Final = 100
_INDENT: Final = "   "
_LABEL: Final = 18
"""Columns of the words in front of what is said: the longest is "a plain log says"."""
_HEADER: Final = ("scenario", "a plain log says", "witnessmark says", "owner", "next safe step")
_WIDTHS: Final = (17, 19, 23, 12, 21)
_GAP: Final = "  "


def opening(versions: Mapping[str, str]) -> list[str]:
    """What is going to happen, and with what."""
    text = (
        f"The client is the official MCP SDK's (mcp {versions['mcp']}). First it works on two real servers, mcp-server-git "
        f"{versions['mcp-server-git']} and mcp-server-time {versions['mcp-server-time']}, then on small ones of ours that are made to "
        "show what goes wrong in the field. Every server runs behind `witnessmark proxy`, which sees what passes and writes down facts, "
        "never contents. Nothing leaves this machine."
    )
    return ["An AI agent's tool call came back green. Is it true?", "", *_wrapped(text), ""]


def told(number: int, played: Played) -> list[str]:
    """One scene: what happened, what each side says, and by which evidence."""
    scene = played.scene
    lines = [f"{number}. {scene.title}", *_wrapped(scene.explanation, _INDENT)]
    for text in played.told:
        lines += _wrapped(text, _INDENT + "- ", _INDENT + "  ")
    several = len(scene.expected) > 1
    for place, (expected, judged) in enumerate(zip(scene.expected, played.judged, strict=False)):
        lines += [f"{_INDENT}{expected.moment}:"] if several else []
        # All five layers are shown once, where everything is proved from the start; later what the scene is about is enough.
        lines += _said(judged, LAYERS if place == 0 else LAYERS[-2:])
    lines += [line for text in complaints(played) for line in _wrapped(text, _INDENT)]
    return [*lines, ""]


def complaints(played: Played) -> list[str]:
    """What is not as it must be, one line each; empty where all is."""
    lines = [f"NOT AS EXPECTED: this scenario {played.failure}"] if played.failure else []
    for place, expected in enumerate(played.scene.expected):
        wanted = f"{expected.state} ({expected.reason})" if expected.reason else expected.state
        if place >= len(played.judged):
            lines.append(f"NOT AS EXPECTED: there is no verdict where {wanted} should have come")
            continue
        verdict = played.judged[place].verdict
        if not expected.is_met_by(verdict):
            codes = ", ".join(reason_code(condition.reason) for condition in verdict.deciding)
            lines.append(f"NOT AS EXPECTED: {wanted} should have come here, and it is {verdict.state} ({codes})")
    return lines


def _said(judged: Judged, layers: Sequence[Layer]) -> Iterator[str]:
    verdict = judged.verdict
    yield from _labelled("a plain log says", judged.plain_log)
    yield from _labelled("we say", f"{verdict.state}. {MEANINGS[verdict.state]}")
    if not verdict.deciding:
        for layer in layers:
            yield from _proof(verdict, layer)
    for condition in verdict.deciding:
        yield from _labelled("because", sentence(condition))
        yield from _labelled("evidence", ", ".join(condition.evidence))


def _proof(verdict: Verdict, layer: Layer) -> Iterator[str]:
    """One layer with what proves it; conditions that say the same share a line."""
    evidence: dict[str, dict[str, None]] = {}
    for condition in verdict.conditions:
        if condition.layer == layer:
            evidence.setdefault(sentence(condition), {}).update(dict.fromkeys(condition.evidence))
    label = f"[{MARKS[verdict.layer_status(layer)]}] {layer}"
    for text, ids in evidence.items():
        yield from _labelled(label, text)
        yield from _labelled("", "evidence " + ", ".join(ids))
        label = ""


def _labelled(label: str, text: str) -> list[str]:
    start = _INDENT + label.ljust(_LABEL)
    return _wrapped(text, start, " " * len(start))


def _wrapped(text: str, first: str = "", rest: str | None = None) -> list[str]:
    following = first if rest is None else rest
    return textwrap.wrap(text, COLUMNS, initial_indent=first, subsequent_indent=following, break_on_hyphens=False)


# --- the table --------------------------------------------------------------------------------------------------------


def table(played: Sequence[Played]) -> list[str]:
    """One row a verdict, cells wrapped in their columns, a line between the rows."""
    rule = _GAP.join("-" * width for width in _WIDTHS)
    lines = [*_row(_HEADER), rule.replace("-", "=")]
    for scene in played:
        several = len(scene.scene.expected) > 1
        for expected, judged in zip(scene.scene.expected, scene.judged, strict=False):
            verdict = judged.verdict
            title = f"{scene.scene.title}: {expected.moment}" if several else scene.scene.title
            lines += [*_row((title, judged.plain_log, f"{verdict.state}\n{_meaning(verdict)}", verdict.owner, verdict.next)), rule]
    return lines


def _meaning(verdict: Verdict) -> str:
    """What decided the verdict, without names and numbers; where nothing did, what its reader must see, or what the state means."""
    if verdict.deciding:
        return REASONS[verdict.deciding[0].reason].meaning
    noted = (
        condition.reason
        for condition in verdict.conditions
        if condition.layer == "effect" and reason_code(condition.reason) in verdict.notes
    )
    reason = next(noted, None)
    return MEANINGS[verdict.state] if reason is None else REASONS[reason].meaning


def _row(cells: Sequence[str]) -> list[str]:
    columns = [_cell(cell, width) for cell, width in zip(cells, _WIDTHS, strict=True)]
    height = max(len(column) for column in columns)
    padded = [[*column, *[""] * (height - len(column))] for column in columns]
    return [_GAP.join(cell.ljust(width) for cell, width in zip(line, _WIDTHS, strict=True)).rstrip() for line in zip(*padded, strict=True)]


def _cell(text: str, width: int) -> list[str]:
    return [line for part in text.split("\n") for line in textwrap.wrap(part, width, break_on_hyphens=False)]


def ending(played: Sequence[Played], elapsed_s: float) -> list[str]:
    """Whether the demo passed its own test, and what no verdict establishes."""
    verdicts = sum(len(scene.judged) for scene in played)
    bad = [scene for scene in played if not scene.as_expected]
    said = f"{verdicts} verdicts about {len(played)} scenarios, each the expected one"
    if bad:
        said = f"{len(bad)} of {len(played)} scenarios did NOT end as they must: " + ", ".join(scene.scene.name for scene in bad)
    lines = [f"{said} ({elapsed_s:.1f} s).", "", "What no verdict establishes:"]
    for limit in LIMITS:
        lines += _wrapped(limit, _INDENT + "- ", _INDENT + "  ")
    return lines
