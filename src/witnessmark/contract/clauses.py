"""The statements of a text, and which of them two texts do not share: what the text rules look at.

Pure: no I/O, no clock. Left out are what promises nothing: code blocks, addresses, examples, and the order, spacing,
case and punctuation of statements. No expression here backtracks over more than one line.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

import msgspec

from witnessmark.contract.words import changed

# Characters of one text that are read. The longest description of 699 captured tools has 9,508.
MAX_READ_CHARS: Final = 20_000
# Statements of one side that are looked at for partners: their number squared is the cost.
MAX_PAIRED: Final = 60
# Two statements are one that was reworded if they share this part of their words (Dice): below it, two of four words.
_SAME_STATEMENT: Final = 0.34

_FENCE: Final = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_ADDRESS: Final = re.compile(r"https?://\S+")
_EXAMPLE: Final = re.compile(
    r"\(\s*(?:e\.?g\.?|for example|examples?|such as|like)\b[^)\n]*\)?"
    r"|\b(?:e\.g\.|for example|examples?\s*:|usage examples?|such as|prompt example)[^\n]*?(?=\.\s|;|\n|\Z)",
    re.IGNORECASE,
)
_BOUNDARY: Final = re.compile(r"\n+|(?<=[.!?;])\s+|\s+[\u2013\u2014]\s+|\s-\s(?=[A-Z])")
_SPACES: Final = re.compile(r"\s+")
_WORD: Final = re.compile(r"[^\W\d_]+(?:[-'\u2019][^\W\d_]+)*|\d+(?:[.,]\d+)*")
_CODE: Final = re.compile(r"`[^`\n]*`")
# A number that stands for an amount: no part of a name, a version, a date or a path.
_AMOUNT: Final = re.compile(r"(?<![\w.`#/:-])[~<>$]?(?P<amount>\d[\d,_]*(?:\.\d+)?)(?![\w]*[-/:]\d)(?!\.\d)(?=[a-zA-Z%]{0,7}(?:\W|\Z))")
# Headings under which generators repeat the signature: their lines document parameters, errors and results one by one.
_SIGNATURE_HEADING: Final = re.compile(r"\s*(?:args|arguments|parameters|params|raises|errors?|error responses)\s*:?\s*", re.IGNORECASE)
_HEADING: Final = re.compile(r"\s*[#*]*\s*[A-Z][\w ]{1,30}:[*\s]*")
# What tells the model how to choose or use a tool promises nothing about what an old call gives.
_ADVICE: Final = re.compile(
    r"\W*(?:you (?:can|should|may)|please|prefer|use|useful|best|perfect|great|ideal|not recommended"
    r"|recommended|strongly|consider|call|try|tips?"
    r"|note for|workflow|see|avoid|common mistakes|when (?:asked|the user)|do not use|don't use|only use|if you)\b",
    re.IGNORECASE,
)
# One more item of a list of names (`- add: ...`, `7. get_comments - ...`), one more row of a table: what is new there
# documents something that an old call does not use.
_ITEM: Final = re.compile(
    r"\s*(?:(?:[-*\u2022]|\d+[.)])\s+[`'\"*]*[\w.-]+[`'\"*]*(?:\s*\([^)\n]*\))?\s*(?::|->|\s[-\u2013\u2014]\s)|\|).*", re.DOTALL
)
_USE_INSTEAD: Final = re.compile(r"\b(?:use|prefer|call)\b.{1,80}\binstead\b", re.IGNORECASE)


class Edit(msgspec.Struct, frozen=True):
    """One statement that both texts do not share: reworded (both), taken out (`new` is "") or put in (`old` is "").
    `gone` and `come` are the words that differ, in lower case.
    """

    old: str
    new: str
    gone: str
    come: str

    @property
    def reworded(self) -> bool:
        """Whether it stands on both sides."""
        return bool(self.old and self.new)

    @property
    def advice(self) -> bool:
        """Whether it tells how to choose or use a tool, on the side that counts."""
        told = self.new or self.old
        return _ADVICE.match(told) is not None or _USE_INSTEAD.search(told) is not None


def words_of(text: str) -> tuple[str, ...]:
    """The words and numbers of a text, in lower case."""
    return tuple(word.casefold() for word in _WORD.findall(text))


def prose_of(text: str) -> str:
    """The text without code blocks, addresses and examples, cut at `MAX_READ_CHARS`."""
    return _EXAMPLE.sub(" ", _ADDRESS.sub(" ", _FENCE.sub(" ", text[:MAX_READ_CHARS])))


def amounts_of(text: str) -> Counter[str]:
    """The numbers that stand for amounts, code spans left out; digits grouped by comma or underscore are joined."""
    return Counter(amount.replace(",", "").replace("_", "").rstrip(".") for amount in _AMOUNT.findall(_CODE.sub(" ", text)))


def statements(prose: str) -> list[str]:
    """The statements of a text without examples, in order; lines under a signature heading (`Args:`) are left out."""
    found: list[str] = []
    in_signature = False
    # Runs of spaces are made one first: the expressions below look for spaces before a sign.
    for line in (_SPACES.sub(" ", each).strip() for each in prose.split("\n")):
        if _SIGNATURE_HEADING.fullmatch(line):
            in_signature = True
        elif not line or _HEADING.fullmatch(line):
            # A blank line or the next heading ends the section.
            in_signature = False
        elif not in_signature:
            parts = [line] if _ITEM.fullmatch(line) else _BOUNDARY.split(line)
            found.extend(each.strip() for each in parts if words_of(each))
    return found


def edits(before: str, after: str) -> list[Edit]:
    """The statements that two texts (as `prose_of` leaves them) do not share: reworded ones first, then gone, then new."""
    old, new = statements(before), statements(after)
    old_rest, new_rest = _rest(old, new)[:MAX_PAIRED], _rest(new, old)[:MAX_PAIRED]
    old_words, new_words = [frozenset(words_of(each)) for each in old_rest], [frozenset(words_of(each)) for each in new_rest]
    likely = sorted(
        (-likeness, at, other)
        for at, one in enumerate(old_words)
        for other, two in enumerate(new_words)
        if (likeness := 2 * len(one & two) / (len(one) + len(two))) >= _SAME_STATEMENT
    )
    partner: dict[int, int] = {}
    taken: set[int] = set()
    for _, at, other in likely:
        if at not in partner and other not in taken:
            partner[at] = other
            taken.add(other)
    return [
        *(_reworded(old_rest[at], new_rest[other]) for at, other in sorted(partner.items())),
        *(Edit(each, "", " ".join(words_of(each)), "") for at, each in enumerate(old_rest) if at not in partner),
        *(
            Edit("", each, "", " ".join(words_of(each)))
            for at, each in enumerate(new_rest)
            if at not in taken and not _ITEM.fullmatch(each)
        ),
    ]


def _rest(these: list[str], others: list[str]) -> list[str]:
    """The statements of the first list that the second does not have as often."""
    left = Counter(map(words_of, others))
    rest = []
    for each in these:
        key = words_of(each)
        if left[key] > 0:
            left[key] -= 1
        else:
            rest.append(each)
    return rest


def _reworded(old: str, new: str) -> Edit:
    """The edit of a statement that stands on both sides."""
    parts = changed(" ".join(words_of(old)), " ".join(words_of(new)))
    gone = " ".join(text.strip() for mark, text in parts if mark == "removed")
    come = " ".join(text.strip() for mark, text in parts if mark == "added")
    return Edit(old, new, gone, come)
