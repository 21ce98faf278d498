"""The words that make a changed text suspicious: a table for `prose`, each group with its reason.

Pure: no I/O, no clock. One group speaks of one thing that moves without a keyword. Words are matched whole, in any case.

Measured on the 27 labelled upgrades of 10 servers that are at hand (21 silent and 58 harmless texts that changed in place), and by reading
120 texts of further upgrades of these servers, chosen at random, before the table was written (6 plainly silent):

    cue        silent  harmless   what it is
    place           8         0   where a name or path is looked up (one wording in 8 tools)
    default         5         2   a default altered, no longer said, or said with what it does
    matching        3         1   how a value is compared is no longer said
    limit           2         0   an upper limit is new or lower
    less            2         1   something is left out of the result
    keeps           2         0   what happens to what is there when nothing is said
    needs           2         0   a condition on other arguments
    result          2         1   the returned thing has other words
    number, format, unit, negation, scope, promise: no text of the labels; kept because each raised texts of the further upgrades that a
    reader found changed (a page instead of all, JSON text for an object, "do not encode"), at 31 of 452 texts together

All labels: 21 of 21 silent raised, 5 of 58 harmless flagged. Each server held out, with the cues that prove themselves on the others: 16 of
21 and 5 of 58. Of the 120: 6 of 6 raised, 15 % of the others flagged. The table was corrected by what these texts
showed, so the figures of unseen servers will be worse.
"""

from __future__ import annotations

import re
from typing import Final


def _any_of(words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{words})\b", re.IGNORECASE)


DEFAULT: Final = _any_of(
    r"defaults?|defaulting|if (?:omitted|unset|none|not (?:set|provided|specified|given))"
    r"|when (?:omitted|unset|not (?:set|provided|specified|given))|unspecified|unless specified"
)
BY_DEFAULT: Final = _any_of(r"by default")
OMITTED: Final = _any_of(r"omit(?:s|ted|ting)?|by default|if unset|without (?:a|an|this)|not (?:set|provided|specified|given)")
RESULT: Final = _any_of(r"return(?:s|ed)?|includ(?:es?|ed|ing)|shown?|list(?:s|ed)?|search(?:es|ed)?|both|all|only")
LIMIT: Final = re.compile(
    r"\b(?:at most|up to|max(?:imum)?|limit(?:ed|s)?|no (?:more|longer) than|capp?(?:ed)?|bounded|between|within"
    r"|(?:longer|larger|bigger|more|greater) than|exceeds?|exceeding|expires?|timeout)\b"
    r"(?:\W+[a-z]+){0,3}?\W+(?P<number>\d[\d,_]*(?:\.\d+)?)"
    r"|(?P<before>\d[\d,_]*(?:\.\d+)?)\s*(?:[a-z]+\s+)?(?:max(?:imum)?|or (?:less|fewer|lower)|at (?:most|a time))\b",
    re.IGNORECASE,
)
# Words of an upper limit: lower ones are seldom said in prose and not told apart here.
LIMIT_WORD: Final = _any_of(r"at most|up to|max(?:imum)?|(?<!rate.)limit(?:ed|s)?|capped|bounded|no more than|within")
# A result that gets smaller, older or conditional.
LESS: Final = _any_of(
    r"suppress(?:es|ed)?|de-?duplicat(?:es?|ed|ion)|near-duplicates?|skips|skipped|exclud(?:es?|ed)|truncat(?:es?|ed)|cached|caches|stale"
    r"|drops|dropped|filters out|filtered out|hidden|hides|discards?|discarded|strips|stripped|collapsed|redacts?|redacted"
    r"|no longer|single-use|one-time|expires?|instead of|omitted from|summari[sz]ed|abbreviated|sampled|paginated"
)
# An argument that is ignored where it says nothing is explained; one that is ignored otherwise has lost its meaning.
IGNORED: Final = _any_of(r"ignored|ignores|has no effect|deprecated")
CONDITION: Final = _any_of(r"false|omitted|unset|not (?:set|provided|specified|given)")
# How much of everything is meant.
EVERYTHING: Final = _any_of(r"all|every|entire|whole|both|multiple")
PART: Final = _any_of(r"only|exclusively|excluding")
# Where a name or path is looked up.
PLACE: Final = _any_of(
    r"relative|resolved (?:against|relative|from|to)|absolute|working directory|workspace|current directory|home directory"
    r"|project root|repository root|root directory"
)
# How a value is compared with what is there.
MATCHING: Final = _any_of(
    r"case-(?:in)?sensitiv\w*|exact|exactly|partial|fuzzy|substrings?|globs?|glob-style|regex(?:es|p)?"
    r"|regular expressions?|prefix|wildcards?"
    r"|syntax|semantic|natural-language|natural language|full-text|boolean|matches|recursively|inclusive|exclusive|starts with|contains"
)
# What happens to what was there before.
KEEPING: Final = _any_of(
    r"preserv(?:es?|ed)|keeps?|kept|retain(?:s|ed)?|clears?|cleared|overwrit(?:es?|ten)|replac(?:es|ed)|appends?"
    r"|appended|merges?|merged|resets?"
)
# A condition on other arguments or a closed list of what is taken.
NEEDS: Final = _any_of(
    r"needs? to (?:also )?be|must (?:also )?be|also (?:required|needed|requires)|requires|permitted|permits"
    r"|no longer (?:accepts|supports)|must not"
    r"|only (?:accepts|supports|valid|allowed|available|works?|applies)"
)
FORMATS: Final = _any_of(
    r"base-?64|utf-?8|json|markdown|html|xml|yaml|csv|png|jpe?g|webp|gif|svg|plain text|comma-separated|newline-separated"
    r"|iso(?: ?8601)?|unix|epoch|utc|local time|dictionary|array|object|string|integer|resource|embedded|absolute"
    r"|relative|inclusive|exclusive"
    r"|ascending|descending|oldest|newest|latest|zero-based|one-based|0-based|1-based|0-indexed|1-indexed|lowercase|uppercase"
)
UNITS: Final = _any_of(
    r"nanoseconds?|microseconds?|milliseconds?|ms|seconds?|secs?|minutes?|mins?|hours?|days?|weeks?|months?|bytes?|kilobytes?|megabytes?|gigabytes?|kb|mb|gb|kib|mib|characters?"
    r"|chars?|tokens?|lines?|pixels?"
    r"|px|percent|degrees?|radians?|km|kilometers?|miles?|meters?|feet|celsius|fahrenheit|kelvin|usd|eur|cents?|dollars?"
)
ENCODED: Final = _any_of(r"base-?64(?:-?encod\w+)?|url-?encod\w*|escap(?:e|ed|ing)|encod(?:e|ed|ing)|hex(?:adecimal)?|quoted|raw")
NOT: Final = _any_of(r"not|never|cannot|can't|don't|doesn't|won't|no")
GIVES: Final = _any_of(r"returns?|returned|responds?|outputs?|yields?")
# What the text promised and does not say any more.
PROMISE: Final = _any_of(r"will|always|automatically|supports?|returns?|includes?|handles|allows?|works|sorted|ordered|applied|preserved")
TO_DO: Final = _any_of(r"do not|don't|must not|never")
