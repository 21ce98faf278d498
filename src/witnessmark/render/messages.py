"""A condition's reason and facts as one plain sentence: what the closed list says it means, about whom, with its numbers.

Pure: no I/O, no clock.
"""

from __future__ import annotations

from typing import Final

from witnessmark.model.reasons import REASONS
from witnessmark.model.verdict import Condition
from witnessmark.render.escape import name
from witnessmark.render.times import instant, span

NOTHING: Final = "nothing"
"""The action of a reason that asks for none; what follows a semicolon still tells why."""

_FACT_CHARS: Final = 120


def sentence(condition: Condition) -> str:
    """The condition in one sentence: `tickets, call 3: the destination shows ... (count 2)`.

    A reason that this version does not know (a later one wrote it) is shown by its word.
    """
    known = REASONS.get(condition.reason)
    text = known.meaning if known is not None else f"{name(condition.reason)} (this version does not know the reason)"
    place = ", ".join(part for part in (name(condition.server), f"call {name(condition.call)}" if condition.call else "") if part)
    facts = ", ".join(part for part in (_fact(key, value) for key, value in condition.facts) if part)
    return (f"{place}: " if place else "") + text + (f" ({facts})" if facts else "")


def _fact(key: str, value: str | float | None) -> str:
    """`tool publish_report`, `waited 30 s`; times and lengths of time by the unit in the fact's name."""
    if value is None or value == "":
        return ""
    label = key.replace("_", " ")
    if not isinstance(value, str):
        if key.endswith("_at_us") or key == "at_us":
            return f"{label.removesuffix(' us')} {instant(int(value))}"
        if key.endswith("_us"):
            return f"{label.removesuffix(' us')} {span(int(value))}"
        if key.endswith("_s"):
            return f"{label.removesuffix(' s')} {value:g} s"
        return f"{label} {value}"
    return f"{label} {name(str(value), _FACT_CHARS)}"


def todo(condition: Condition) -> str:
    """What a person does about the condition, "" where nothing is asked for."""
    known = REASONS.get(condition.reason)
    if known is None or known.action.split(";")[0] == NOTHING:
        return ""
    return known.action
