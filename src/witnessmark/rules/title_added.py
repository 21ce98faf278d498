"""A display name was added."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.rules._rule import Doc, Found, Rule
from witnessmark.rules._titles import titles


def find(pair: Pair) -> Iterator[Found]:
    """The titles of the tool that came."""
    yield from titles(pair, "title-added")


RULE = Rule(
    kind="title-added",
    name="A display name was added",
    old_caller="none",
    model_told="changed",
    confidence="proven",
    step="note",
    action="take note",
    find=find,
    mirror=("title-removed",),
    doc=Doc(
        means="The tool, or its annotations, have a `title` now.",
        matters="Calls are made by name, so no call breaks. People click on the title when they allow a call: it should name "
        "what they allow.",
        do="Compare the title with what the tool does.",
        cannot_see="Which of the two titles a client shows, and whether it shows one at all.",
        source="Specification, Tool.title and ToolAnnotations.title: for display; order of precedence since 2025-06-18.",
    ),
)
