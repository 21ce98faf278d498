"""The server's instructions changed."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import CatalogPair
from witnessmark.contract.prose import reading
from witnessmark.rules._rule import Doc, Found, Rule


def find(catalogs: CatalogPair) -> Iterator[Found]:
    """Instructions that are another text, `escalated` if they grew or give new orders, cosmetic if only spaces differ."""
    before, after = catalogs.old.instructions, catalogs.new.instructions
    if not before or not after or before == after:
        return
    old_words, new_words = before.split(), after.split()
    if old_words == new_words:
        yield Found(pointer="/instructions", why="only spaces and line ends differ", before=before, after=after, model_told="same")
        return
    read = reading(before, after)
    grew = len(new_words) > len(old_words)
    said = [f"{len(new_words) - len(old_words)} more words to the model"] if grew else []
    said += [f"it orders the model: `{order}`" for order in read.orders[:1]] + ([read.suspicion] if read.suspicion else [])
    why = "; ".join(said) or "the wording changed, and no cue says that the meaning did"
    yield Found(pointer="/instructions", why=why, before=before, after=after, model_told="escalated" if grew or read.orders else "changed")


RULE = Rule(
    kind="instructions-changed",
    name="The server's instructions changed",
    old_caller="none",
    model_told="changed",
    confidence="medium",
    step="read",
    action="read both texts",
    find_in_catalog=find,
    mirror=("instructions-changed",),
    doc=Doc(
        means="The text that the server gives to the model for all its tools is another one.",
        matters="It steers which tool is called and how. It is graded as escalated where it grew, or where order words are new.",
        do="Read both texts; the changed words are marked.",
        cannot_see="Whether your client shows instructions to the model; what the text makes a model do.",
        source="Specification, InitializeResult.instructions: a hint to the model, which clients may add to the system prompt.",
    ),
)
