"""Words by which a text orders the model about, as a rule can see them. Pure: no I/O, no clock.

Measured on 79 labelled text changes of real servers: 5 of 7 that a reader called escalated, and none of the others. Advice
in plain words ("useful for", "filter only when") is not seen.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

from witnessmark.contract.clauses import MAX_READ_CHARS

# Order words to the model. In capitals they are shouted; in a sentence they need their verb: plain "always" is prose.
_SHOUTED: Final = re.compile(r"\b(?:IMPORTANT|CRITICAL|MANDATORY|MUST|ALWAYS|NEVER|DO NOT|DON'T|PREREQUISITE|URGENT)\b")
_ORDERING: Final = re.compile(
    r"\b(?:(?:should |must )?always (?:use|call|prefer|default|provide|include|pass|run|invoke|send|ask|check)"
    r"|you must|must (?:always|first|never)"
    r"|never (?:use|call|mention|tell|reveal|ask|skip|assume)|(?:do not|don't) (?:tell|mention|reveal|ask|inform|notify|use any other)"
    r"|before (?:using|calling|invoking) (?:any|this|other|all)|(?:best|perfect|ideal) for|most powerful"
    r"|ignore (?:all |any |the )?(?:previous|prior|above|other|earlier)|without (?:asking|telling|informing|confirmation|confirming)"
    r"|system prompt|(?:use|prefer|call) this tool (?:first|instead|whenever|for (?:any|all|every))"
    r"|instead of any other|(?:send|forward|copy|bcc) (?:it|this|all|everything) to)\b"
    r"|<(?:important|system|instructions?)>",
    re.IGNORECASE,
)


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
