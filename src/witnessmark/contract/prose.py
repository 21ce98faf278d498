"""Whether a changed text may mean something else for who still acts on the old one: a suspicion, never a proof.

Pure: no I/O, no clock. Most silent breaks of real servers move no keyword: a default, a bound, a unit, a base folder or a
whole result moves in a description. A rule cannot read; it can say which texts a person should read first and what made
them suspicious. What does not count: examples, code blocks, punctuation, spacing, typing errors, advice on choosing a tool,
statements that only add an explanation, lines that document one new argument.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final, Literal

import msgspec

from witnessmark.contract import cue_words
from witnessmark.contract.clauses import MAX_READ_CHARS, Edit, amounts_of, edits, prose_of, words_of
from witnessmark.contract.invisible import shown
from witnessmark.contract.orders import new_orders

Sort = Literal["wording", "meaning", "default", "bound"]
"""What the change looks like: `wording` raises nothing; the others are suspicions, `default` and `bound` kinds of their own."""

# Characters of a peer's words that an explanation repeats.
_EVIDENCE_CHARS: Final = 60
# Digits of an amount that is compared by value.
_AMOUNT_DIGITS: Final = 15
# Words that differ in a statement that is otherwise the same.
_FEW_WORDS: Final = 4
# More edited statements than these: the text was rewritten, and that single words are gone from it says nothing.
_REWRITTEN_EDITS: Final = 8
# Up to so many edited statements what is new belongs to one thought, and a single word weighs more.
_FEW_EDITS: Final = 3


class Cue(msgspec.Struct, frozen=True):
    """One thing that makes a changed text suspicious: its name, the evidence in words, and whether it is strong."""

    name: str
    shown: str
    strong: bool = False


class Reading(msgspec.Struct, frozen=True):
    """What a rule can tell of a changed text. `orders`: order words to the model that are new."""

    sort: Sort
    cues: tuple[Cue, ...] = ()
    orders: tuple[str, ...] = ()

    @property
    def suspicion(self) -> str:
        """The suspicion in one sentence; "" where nothing is suspicious."""
        if not self.cues:
            return ""
        return "the meaning may have changed while no keyword did: " + "; ".join(cue.shown for cue in self.cues[:3])


def reading(before: str, after: str, said_before: str = "", said_after: str = "") -> Reading:
    """What a rule can tell of a text that changed from `before` to `after`. Cost is bounded by `MAX_READ_CHARS`; a longer
    text that changed is a suspicion, because it was not read to its end.

    `said_before` and `said_after`: all that the tool's texts said, as `said` joins it. A statement that only moved to
    another place of the same tool, from the tool to a parameter, is no change.
    """
    orders = new_orders(before, after)
    old, new = prose_of(before), prose_of(after)
    changes = [edit for edit in edits(old, new) if not _moved(edit, said_before, said_after)]
    two = _Two(
        old_words=frozenset(words_of(old)),
        new_words=frozenset(words_of(new)),
        amounts_gone=amounts_of(old) - amounts_of(new),
        amounts_come=amounts_of(new) - amounts_of(old),
        rewritten=len(changes) > _REWRITTEN_EDITS,
        few=len(changes) <= _FEW_EDITS,
    )
    found: dict[str, Cue] = {}
    for edit in changes:
        for cue in _cues(edit, two):
            found.setdefault(cue.name, cue)
    if max(len(before), len(after)) > MAX_READ_CHARS:
        found["length"] = Cue("length", f"it has more than {MAX_READ_CHARS:,} characters and was not read to its end")
    cues = tuple(found.values())
    return Reading(_sort(found), cues, orders)


def said(texts: Iterable[str]) -> str:
    """The words of several texts in one line, each text between bars, cut at `MAX_READ_CHARS` of each."""
    return " | ".join(["", *(" ".join(words_of(text[:MAX_READ_CHARS])) for text in texts), ""])


def _moved(edit: Edit, said_before: str, said_after: str) -> bool:
    """Whether a statement that is new here was said before, or one that is gone here is still said, by the same tool."""
    if edit.reworded:
        return False
    return f" {edit.come} " in said_before if edit.new else f" {edit.gone} " in said_after


class _Two(msgspec.Struct, frozen=True, kw_only=True):
    """What both texts have as wholes: what merely moved inside a text is no change."""

    old_words: frozenset[str]
    new_words: frozenset[str]
    amounts_gone: Counter[str]
    amounts_come: Counter[str]
    rewritten: bool
    few: bool


def _sort(found: dict[str, Cue]) -> Sort:
    """The kind of suspicion that the cues found together make."""
    if "default" in found:
        return "default"
    if "limit" in found:
        return "bound"
    return "meaning" if found else "wording"


def _cues(edit: Edit, two: _Two) -> Iterator[Cue]:
    """What makes one edited statement suspicious."""
    yield from _of_numbers(edit, two)
    if edit.advice:
        return
    yield from _of_defaults(edit, two)
    yield from _of_words(edit, two)
    yield from _of_results(edit, two)


def _of_numbers(edit: Edit, two: _Two) -> Iterator[Cue]:
    old, new = amounts_of(edit.old), amounts_of(edit.new)
    gone = [amount for amount in old if amount in two.amounts_gone]
    come = [amount for amount in new if amount in two.amounts_come]
    if edit.reworded and gone and come:
        near = _near(edit)
        if near and near != "default" and _loosened(gone[0], come[0]):
            return
        yield Cue(
            "default" if near == "default" else "limit" if near else "number",
            f"{gone[0]} became {come[0]}" + (f" near `{near}`" if near else ""),
            strong=True,
        )
    elif come and not edit.advice and (limit := _limit_on(edit.new, come)):
        yield Cue("limit", f"a limit is new: {_quoted(limit)}", strong=True)
    elif gone and (edit.reworded or not two.rewritten) and cue_words.DEFAULT.search(edit.old):
        yield Cue("default", f"no longer says {gone[0]} as default: {_quoted(edit.old)}")


def _near(edit: Edit) -> str:
    """The word beside a changed number that says what it is, or ""."""
    for pattern in (cue_words.DEFAULT, cue_words.LIMIT_WORD):
        found = pattern.search(edit.new) or pattern.search(edit.old)
        if found is not None:
            return "default" if pattern is cue_words.DEFAULT else found.group().casefold()
    return ""


def _loosened(gone: str, come: str) -> bool:
    """Whether an upper limit was raised: more than before is allowed, and what was sent still is."""
    return len(come) <= _AMOUNT_DIGITS and len(gone) <= _AMOUNT_DIGITS and float(come) > float(gone)


def _limit_on(statement: str, amounts: list[str]) -> str:
    """The words that make one of the amounts a limit, or ""."""
    for found in cue_words.LIMIT.finditer(statement):
        number = (found["number"] or found["before"]).replace(",", "").replace("_", "").rstrip(".")
        if number in amounts:
            return found.group()
    return ""


def _of_defaults(edit: Edit, two: _Two) -> Iterator[Cue]:
    old, new = cue_words.DEFAULT.search(edit.old), cue_words.DEFAULT.search(edit.new)
    if old and new:
        if _said_after(edit.old, old) != _said_after(edit.new, new):
            yield Cue("default", f"what is said of the default differs: {_quoted(edit.old)} became {_quoted(edit.new)}")
    elif old and (edit.reworded or not two.rewritten):
        yield Cue("default", f"a default is no longer said: {_quoted(edit.old)}")
    elif cue_words.BY_DEFAULT.search(edit.come) and cue_words.RESULT.search(edit.come):
        yield Cue("default", f"what happens by default is said anew: {_quoted(edit.new)}")


def _said_after(statement: str, found: re.Match[str]) -> tuple[str, ...]:
    """The words that follow a default word, up to the next sign that ends a phrase."""
    return words_of(re.split(r"[,;)\n]|\.\s|\.$", statement[found.end() :], maxsplit=1)[0])[:6]


def _of_words(edit: Edit, two: _Two) -> Iterator[Cue]:
    for name, pattern, told in (
        ("less", cue_words.LESS, "words that take something from the result are new"),
        ("place", cue_words.PLACE, "where names and paths are looked up is said anew"),
        ("needs", cue_words.NEEDS, "a condition is new"),
    ):
        if (name == "place" or not two.rewritten) and (found := _first(pattern, edit.come, two.old_words)):
            yield Cue(name, f"{told}: {_quoted(found)}", strong=name == "place")
    if (found := _first(cue_words.IGNORED, edit.come, two.old_words)) and not cue_words.CONDITION.search(edit.new):
        yield Cue("less", f"it is said to be ignored: {_quoted(found)}")
    if cue_words.OMITTED.search(edit.new) and (found := _first(cue_words.KEEPING, edit.come, two.old_words)):
        yield Cue("keeps", f"what happens to what is there is said anew: {_quoted(found)}", strong=True)
    if cue_words.TO_DO.search(edit.come) and (found := _first(cue_words.ENCODED, edit.come, two.old_words)):
        yield Cue("format", f"what must not be done to the value is new: {_quoted(found)}", strong=True)
    yield from _of_swaps(edit, two)
    if not two.rewritten:
        yield from _of_scope(edit, two)


def _of_swaps(edit: Edit, two: _Two) -> Iterator[Cue]:
    """One word for another of its kind, and a negation that came or went."""
    for name, pattern in (("format", cue_words.FORMATS), ("unit", cue_words.UNITS)):
        gone, come = _first(pattern, edit.gone, two.new_words), _first(pattern, edit.come, two.old_words)
        if gone and come:
            yield Cue(name, f"the {name} differs: {_quoted(gone)} became {_quoted(come)}", strong=True)
    few = edit.reworded and len(words_of(edit.gone)) + len(words_of(edit.come)) <= _FEW_WORDS
    if few and bool(cue_words.NOT.search(edit.gone)) != bool(cue_words.NOT.search(edit.come)):
        yield Cue("negation", f"a negation came or went: {_quoted(edit.new)}", strong=True)


def _of_scope(edit: Edit, two: _Two) -> Iterator[Cue]:
    """How much is meant, and what counts as a match."""
    if edit.reworded and (found := _first(cue_words.EVERYTHING, edit.gone, two.new_words)):
        yield Cue("scope", f"no longer says {_quoted(found)}")
    if (edit.reworded or two.few) and (found := _first(cue_words.PART, edit.come, two.old_words)):
        yield Cue("scope", f"says {_quoted(found)} now: {_quoted(edit.new)}")
    if found := _first(cue_words.MATCHING, edit.gone, two.new_words):
        yield Cue("matching", f"how values are matched is no longer said: {_quoted(found)}")


def _of_results(edit: Edit, two: _Two) -> Iterator[Cue]:
    if two.few and not edit.new and (found := cue_words.PROMISE.search(edit.gone)):
        yield Cue("promise", f"a promise is gone ({_quoted(found.group())}): {_quoted(edit.old)}")
    if two.rewritten or not edit.reworded:
        return
    if cue_words.GIVES.search(edit.new) and len(words_of(edit.gone)) > 1 and len(words_of(edit.come)) > 1:
        yield Cue("result", f"what is returned is said anew: {_quoted(edit.new)}")


def _first(pattern: re.Pattern[str], where: str, unless: frozenset[str]) -> str:
    """The first match whose words the other text does not all have, or ""."""
    for found in pattern.finditer(where):
        if not unless.issuperset(words_of(found.group())):
            return found.group()
    return ""


def _quoted(text: str) -> str:
    """A peer's words, escaped and cut, in typewriter quotes."""
    return f"`{shown(text, _EVIDENCE_CHARS)}`"
