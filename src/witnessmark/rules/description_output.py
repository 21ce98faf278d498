"""The description of a result changed."""

from __future__ import annotations

from functools import partial

from witnessmark.rules._prose import texts_of
from witnessmark.rules._rule import Doc, Rule

RULE = Rule(
    kind="description-output",
    name="The description of a result changed",
    old_caller="none",
    model_told="changed",
    confidence="medium",
    step="note",
    action="take note",
    find=partial(texts_of, kind="description-output"),
    mirror=("description-output",),
    doc=Doc(
        means="A text inside the output schema is another one, stands where there was none, or is gone.",
        matters="Clients seldom show it to the model, so it rarely changes a call. A program that reads results may rely on it, "
        "for instance on a unit.",
        do="Take note; read it if you process results by program.",
        cannot_see="Whether your client shows output schemas to the model.",
        source="Specification, Tool.outputSchema: an optional JSON Schema of structured results.",
    ),
)
