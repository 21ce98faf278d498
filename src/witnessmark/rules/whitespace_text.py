"""Only spaces and line ends of a text differ."""

from __future__ import annotations

from functools import partial

from witnessmark.rules._prose import texts_of
from witnessmark.rules._rule import Doc, Rule

RULE = Rule(
    kind="whitespace-text",
    name="Only spaces and line ends of a text differ",
    old_caller="none",
    model_told="same",
    confidence="high",
    step="nothing",
    action="nothing",
    find=partial(texts_of, kind="whitespace-text"),
    mirror=("whitespace-text",),
    doc=Doc(
        means="The words of a text are the same; runs of spaces, line ends or a trailing newline differ.",
        matters="It does not for a model or a caller. The digest differs all the same, because it is literal.",
        do="Nothing needs to be done.",
        cannot_see="Layout that carries meaning, such as the columns of a table.",
        source="contracts.md, Differences: what has neither grade is cosmetic. Texts under `pattern`, `const`, `enum` and "
        "`default` are values and never folded.",
    ),
)
