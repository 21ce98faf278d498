"""Whether a changed text may mean something else for who still acts on the old one: a suspicion, never a proof.

Pure: no I/O, no clock. Most silent breaks of real servers move no keyword: a default, a bound, a unit, a base folder or a
whole result moves in a description. A rule cannot read; it can say which texts a person should read first and what made
them suspicious. What does not count: examples, code blocks, punctuation, spacing, typing errors, advice on choosing a tool,
statements that only add an explanation, lines that document one new argument.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final, Literal

import msgspec

from witnessmark.contract.clauses import MAX_READ_CHARS, Edit, amounts_of, edits, prose_of, words_of
from witnessmark.contract.invisible import shown

Sort = Literal["wording", "meaning", "default", "bound"]
"""What the change looks like: `wording` raises nothing; the others are suspicions, `default` and `bound` kinds of their own."""

# Characters of a peer's words that an explanation repeats.
_EVIDENCE_CHARS: Final = 60
# Words that differ in a statement that is otherwise the same.
_FEW_WORDS: Final = 3
# More edited statements than these: the text was rewritten, and that single words are gone from it says nothing.
_REWRITTEN_EDITS: Final = 8


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


def _any_of(words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{words})\b", re.IGNORECASE)


_DEFAULT: Final = _any_of(
    r"defaults?|defaulting|if (?:omitted|unset|none|not (?:set|provided|specified|given))"
    r"|when (?:omitted|unset|not (?:set|provided|specified|given))|unspecified|unless specified"
)
_BY_DEFAULT: Final = _any_of(r"by default")
_OMITTED: Final = _any_of(r"omit(?:s|ted|ting)?|by default|if unset|without (?:a|an|this)|not (?:set|provided|specified|given)")
_RESULT: Final = _any_of(r"return(?:s|ed)?|includ(?:es?|ed|ing)|shown?|list(?:s|ed)?|search(?:es|ed)?|both|all|only")
_LIMIT: Final = re.compile(
    r"\b(?:at most|up to|max(?:imum)?|limit(?:ed|s)?|no (?:more|longer) than|capp?(?:ed)?|bounded|between|within"
    r"|(?:longer|larger|bigger|more|greater) than|exceeds?|exceeding|expires?|timeout)\b"
    r"(?:\W+[a-z]+){0,3}?\W+(?P<number>\d[\d,_]*(?:\.\d+)?)"
    r"|(?P<before>\d[\d,_]*(?:\.\d+)?)\s*(?:[a-z]+\s+)?(?:max(?:imum)?|or (?:less|fewer|lower)|at (?:most|a time))\b",
    re.IGNORECASE,
)
_LIMIT_WORD: Final = _any_of(r"at most|up to|max(?:imum)?|min(?:imum)?|(?<!rate.)limit(?:ed|s)?|capped|bounded|between|range|no more than")
# A result that gets smaller, older or conditional.
_LESS: Final = _any_of(
    r"suppress(?:es|ed)?|de-?duplicat(?:es?|ed|ion)|near-duplicates?|skips|skipped|exclud(?:es?|ed)|truncat(?:es?|ed)|cached|caches|stale"
    r"|drops|dropped|filters out|filtered out|hidden|hides|discards?|discarded|strips|stripped|collapsed|redacts?|redacted"
    r"|no longer|single-use|one-time|expires?|instead of|omitted from|summari[sz]ed|abbreviated|sampled|paginated"
)
# An argument that is ignored under a condition is explained; one that is ignored has lost its meaning.
_IGNORED: Final = _any_of(r"ignored|ignores|has no effect|deprecated and")
_CONDITION: Final = _any_of(r"if|when|unless|with|false")
# How much of everything is meant.
_EVERYTHING: Final = _any_of(r"all|every|entire|whole|both|multiple")
_PART: Final = _any_of(r"only|exclusively|excluding")
# Where a name or path is looked up.
_PLACE: Final = _any_of(
    r"relative|resolved (?:against|relative|from|to)|absolute|working directory|workspace|current directory|home directory|project root|repository root|root directory"
)
# How a value is compared with what is there.
_MATCHING: Final = _any_of(
    r"case-(?:in)?sensitiv\w*|exact|exactly|partial|fuzzy|substrings?|globs?|glob-style|regex(?:es|p)?|regular expressions?|prefix|wildcards?"
    r"|syntax|semantic|natural-language|natural language|full-text|boolean|matches|recursively|inclusive|exclusive|starts with|contains"
)
# What happens to what was there before.
_KEEPING: Final = _any_of(r"preserv(?:es?|ed)|keeps?|kept|retain(?:s|ed)?|clears?|cleared|overwrit(?:es?|ten)|replac(?:es|ed)|appends?|appended|merges?|merged|resets?")
# A condition on other arguments or a closed list of what is taken.
_NEEDS: Final = _any_of(
    r"needs? to (?:also )?be|must (?:also )?be|also (?:required|needed|requires)|requires|permitted|permits|no longer (?:accepts|supports)|must not"
    r"|only (?:accepts|supports|valid|allowed|available|works?|applies)"
)
_FORMATS: Final = _any_of(
    r"base-?64|utf-?8|json|markdown|html|xml|yaml|csv|png|jpe?g|webp|gif|svg|plain text|comma-separated|newline-separated"
    r"|iso(?: ?8601)?|unix|epoch|utc|local time|dictionary|array|object|string|integer|resource|embedded|absolute|relative|inclusive|exclusive"
    r"|ascending|descending|oldest|newest|latest|zero-based|one-based|0-based|1-based|0-indexed|1-indexed|lowercase|uppercase"
)
_UNITS: Final = _any_of(
    r"milliseconds?|ms|seconds?|secs?|minutes?|mins?|hours?|days?|weeks?|months?|bytes?|kb|mb|gb|kib|mib|characters?|chars?|tokens?|lines?|pixels?"
    r"|px|percent|degrees?|radians?|km|kilometers?|miles?|meters?|feet|celsius|fahrenheit|kelvin|usd|eur|cents?|dollars?"
)
_ENCODED: Final = _any_of(r"base-?64(?:-?encod\w+)?|url-?encod\w*|escap(?:e|ed|ing)|encod(?:e|ed|ing)|hex(?:adecimal)?|quoted|raw")
_NOT: Final = _any_of(r"not|never|cannot|can't|don't|doesn't|won't|no")
_GIVES: Final = _any_of(r"returns?|returned|responds?|outputs?|yields?")
_TO_DO: Final = _any_of(r"do not|don't|must not|never")

# Order words to the model. In capitals they are shouted; in a sentence they need their verb: plain "always" is prose.
_SHOUTED: Final = re.compile(r"\b(?:IMPORTANT|CRITICAL|MANDATORY|MUST|ALWAYS|NEVER|DO NOT|DON'T|PREREQUISITE|URGENT)\b")
_ORDERING: Final = re.compile(
    r"\b(?:(?:should |must )?always (?:use|call|prefer|default|provide|include|pass|run|invoke|send|ask|check)|you must|must (?:always|first|never)"
    r"|never (?:use|call|mention|tell|reveal|ask|skip|assume)|(?:do not|don't) (?:tell|mention|reveal|ask|inform|notify|use any other)"
    r"|before (?:using|calling|invoking) (?:any|this|other|all)|(?:best|perfect|ideal) for|most powerful"
    r"|ignore (?:all |any |the )?(?:previous|prior|above|other|earlier)|without (?:asking|telling|informing|confirmation|confirming)"
    r"|system prompt|(?:use|prefer|call) this tool (?:first|instead|whenever|for (?:any|all|every))|instead of any other|(?:send|forward|copy|bcc) (?:it|this|all|everything) to)\b"
    r"|<(?:important|system|instructions?)>",
    re.IGNORECASE,
)


def reading(before: str, after: str) -> Reading:
    """What a rule can tell of a text that changed from `before` to `after`. Cost is bounded by `MAX_READ_CHARS`; a longer
    text that changed is a suspicion, because it was not read to its end.
    """
    orders = new_orders(before, after)
    old, new = prose_of(before), prose_of(after)
    changes = edits(old, new)
    amounts_gone, amounts_come = amounts_of(old) - amounts_of(new), amounts_of(new) - amounts_of(old)
    two = _Two(frozenset(words_of(old)), frozenset(words_of(new)), amounts_gone, amounts_come, len(changes) > _REWRITTEN_EDITS)
    found: dict[str, Cue] = {}
    for edit in changes:
        for cue in _cues(edit, two):
            found.setdefault(cue.name, cue)
    if max(len(before), len(after)) > MAX_READ_CHARS:
        found["length"] = Cue("length", f"it has more than {MAX_READ_CHARS:,} characters and was not read to its end")
    cues = tuple(found.values())
    return Reading(_sort(found), cues, orders)


def new_orders(before: str, after: str) -> tuple[str, ...]:
    """The order words to the model that stand more often in `after`, as written there, each once, in order."""
    found: list[str] = []
    for pattern in (_SHOUTED, _ORDERING):
        had = Counter(match.group().casefold() for match in pattern.finditer(before[:MAX_READ_CHARS]))
        for match in pattern.finditer(after[:MAX_READ_CHARS]):
            word = match.group().casefold()
            had[word] -= 1
            if had[word] < 0 and match.group() not in found:
                found.append(match.group())
    return tuple(found)


class _Two(msgspec.Struct, frozen=True):
    """What both texts have as wholes: what merely moved inside a text is no change."""

    old_words: frozenset[str]
    new_words: frozenset[str]
    amounts_gone: Counter[str]
    amounts_come: Counter[str]
    rewritten: bool


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
        yield Cue(
            "default" if near == "default" else "limit" if near else "number",
            f"{gone[0]} became {come[0]}" + (f" near `{near}`" if near else ""),
            strong=True,
        )
    elif come and not edit.advice and (limit := _limit_on(edit.new, come)):
        yield Cue("limit", f"a limit is new: {_quoted(limit)}", strong=True)
    elif gone and (edit.reworded or not two.rewritten) and (_DEFAULT.search(edit.old) or _LIMIT_WORD.search(edit.old)):
        name = "default" if _DEFAULT.search(edit.old) else "limit"
        yield Cue(name, f"no longer says {gone[0]} as {name}: {_quoted(edit.old)}")


def _near(edit: Edit) -> str:
    """The word beside a changed number that says what it is, or ""."""
    for pattern in (_DEFAULT, _LIMIT_WORD):
        found = pattern.search(edit.new) or pattern.search(edit.old)
        if found is not None:
            return "default" if pattern is _DEFAULT else found.group().casefold()
    return ""


def _limit_on(statement: str, amounts: list[str]) -> str:
    """The words that make one of the amounts a limit, or ""."""
    for found in _LIMIT.finditer(statement):
        number = (found["number"] or found["before"]).replace(",", "").replace("_", "").rstrip(".")
        if number in amounts:
            return found.group()
    return ""


def _of_defaults(edit: Edit, two: _Two) -> Iterator[Cue]:
    old, new = _DEFAULT.search(edit.old), _DEFAULT.search(edit.new)
    if old and new:
        if _said_after(edit.old, old) != _said_after(edit.new, new):
            yield Cue("default", f"what is said of the default differs: {_quoted(edit.old)} became {_quoted(edit.new)}")
    elif old and (edit.reworded or not two.rewritten):
        yield Cue("default", f"a default is no longer said: {_quoted(edit.old)}")
    elif _BY_DEFAULT.search(edit.come) and _RESULT.search(edit.come):
        yield Cue("default", f"what happens by default is said anew: {_quoted(edit.new)}")


def _said_after(statement: str, found: re.Match[str]) -> tuple[str, ...]:
    """The words that follow a default word, up to the next sign that ends a phrase."""
    return words_of(re.split(r"[,;)\n]|\.\s|\.$", statement[found.end() :], maxsplit=1)[0])[:6]


def _of_words(edit: Edit, two: _Two) -> Iterator[Cue]:
    for name, pattern, told in (
        ("less", _LESS, "words that take something from the result are new"),
        ("place", _PLACE, "where names and paths are looked up is said anew"),
        ("needs", _NEEDS, "a condition is new"),
    ):
        if found := _first(pattern, edit.come, two.old_words):
            yield Cue(name, f"{told}: {_quoted(found)}", strong=name == "place")
    if (found := _first(_IGNORED, edit.come, two.old_words)) and not _CONDITION.search(edit.new):
        yield Cue("less", f"it is said to be ignored: {_quoted(found)}")
    if not two.rewritten and edit.reworded:
        if found := _first(_EVERYTHING, edit.gone, two.new_words):
            yield Cue("scope", f"no longer says {_quoted(found)}")
    if not two.rewritten and (found := _first(_PART, edit.come, two.old_words)):
        yield Cue("scope", f"says {_quoted(found)} now: {_quoted(edit.new)}")
    if _OMITTED.search(edit.new) and (found := _first(_KEEPING, edit.come, two.old_words)):
        yield Cue("keeps", f"what happens to what is there is said anew: {_quoted(found)}", strong=True)
    if not two.rewritten and (found := _first(_MATCHING, edit.gone, two.new_words)):
        yield Cue("matching", f"how values are matched is no longer said: {_quoted(found)}")
    for name, pattern in (("format", _FORMATS), ("unit", _UNITS)):
        gone, come = _first(pattern, edit.gone, two.new_words), _first(pattern, edit.come, two.old_words)
        if gone and come:
            yield Cue(name, f"the {name} differs: {_quoted(gone)} became {_quoted(come)}", strong=True)
    if _TO_DO.search(edit.come) and (found := _first(_ENCODED, edit.come, two.old_words)):
        yield Cue("format", f"what must not be done to the value is new: {_quoted(found)}", strong=True)
    if edit.reworded and len(words_of(edit.gone + " " + edit.come)) <= _FEW_WORDS and bool(_NOT.search(edit.gone)) != bool(_NOT.search(edit.come)):
        yield Cue("negation", f"a negation came or went: {_quoted(edit.new)}", strong=True)


def _of_results(edit: Edit, two: _Two) -> Iterator[Cue]:
    if two.rewritten or not edit.reworded:
        return
    if _GIVES.search(edit.come) and not _GIVES.search(edit.old) and len(words_of(edit.gone)) > 1:
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
