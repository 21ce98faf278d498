"""Characters that a reader does not see or that turn the reading direction, and names made of look-alike letters.

Pure: no I/O, no clock. Unicode Standard 15, section 23 (special areas and format characters); UTR 36 and UTS 39 for mixed
scripts. None of 699 captured tools holds a format character, so one that comes is news.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from typing import Final

# Line break, tab: seen as space. Carriage return: the other half of a line end.
_PLAIN_CONTROLS: Final = frozenset("\n\r\t")
# Categories without a picture: control, format, private use, surrogate, unassigned, line and paragraph separators.
_UNSEEN_CATEGORIES: Final = frozenset(("Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"))
# Letters and marks that are drawn as nothing: joiner, fillers, Mongolian selectors, blank Braille.
_UNSEEN: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0\u2800")
# Tags: an unseen copy of printable ASCII, U+E0020 for a space.
_TAG_START: Final = 0xE0000
_TAGS: Final = range(0xE0020, 0xE007F)
_SELECTORS: Final = (range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0))
# Selectors that choose between picture and text form, common after signs ("warning" in its coloured form).
_PICTURE_OR_TEXT: Final = frozenset("\ufe0e\ufe0f")
_JOINER: Final = "\u200d"
_JOINERS: Final = frozenset("\u200c\u200d")
_PICTURES: Final = frozenset(("So", "Sk", "Sm", "Po", "Nd", "Mn"))
# Scripts in which joiners are part of ordinary spelling.
_JOINING_SCRIPTS: Final = frozenset(
    (
        "ARABIC",
        "DEVANAGARI",
        "BENGALI",
        "GUJARATI",
        "GURMUKHI",
        "KANNADA",
        "MALAYALAM",
        "ORIYA",
        "TAMIL",
        "TELUGU",
        "SINHALA",
        "KHMER",
        "MYANMAR",
    )
)

# Scripts whose letters are mistaken for each other's in one word.
_LOOKING_ALIKE: Final = frozenset(("LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC", "LISU", "FULLWIDTH", "MATHEMATICAL"))
# Letters drawn like an ASCII letter: those of UTS 39's table that common fonts do not tell apart.
_LOOKS_LIKE: Final = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u0501\u051b\u051d\u04bb\u04cf\u0261\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425\u0406\u0408\u0405"
    "\u03bf\u03bd\u03b1\u03c1\u03b9\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u0585\u057d\u0578\u0131",
    "aeopcyxijsdqwhlgABEKMHOPCTXIJSovapiABEZHIKMNOPTYXouni",
)


def hidden(text: str) -> Counter[str]:
    """The unseen and direction-changing characters of a text with how often each stands there.

    Not counted: what belongs to ordinary writing, that is a picture's selector and joiner, and joiners between letters of
    scripts that need them.
    """
    if text.isascii() and text.isprintable():
        return Counter()
    return Counter(char for at, char in enumerate(text) if _is_hidden(text, at, char))


def new_hidden(before: str, after: str) -> tuple[str, ...]:
    """The hidden characters that stand more often in `after`, in code point order."""
    return tuple(sorted(hidden(after) - hidden(before)))


def visible(text: str) -> str:
    """The text without its hidden characters."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(char for at, char in enumerate(text) if not _is_hidden(text, at, char))


def escape(char: str) -> str:
    r"""A character as `\u{200B}`."""
    return f"\\u{{{ord(char):04X}}}"


def shown(text: str, limit: int) -> str:
    r"""The text on one line with hidden characters and line ends as `\u{...}`, cut to `limit` characters of it."""
    cut = text[:limit]
    kept = "".join(escape(char) if char in _PLAIN_CONTROLS or _is_hidden(cut, at, char) else char for at, char in enumerate(cut))
    return kept if len(text) <= limit else kept + "..."


def name_of(char: str) -> str:
    r"""A character for a message: `\u{200B} ZERO WIDTH SPACE`."""
    return f"{escape(char)} {unicodedata.name(char, 'without a name')}"


def spelled(text: str) -> str:
    """What the tag characters of a text spell in ASCII, "" where it has none."""
    return "".join(chr(ord(char) - _TAG_START) for char in text if ord(char) in _TAGS)


def scripts(word: str) -> frozenset[str]:
    """The scripts of a word's letters, by the first word of their Unicode names, of those that look alike."""
    if word.isascii():
        return frozenset(("LATIN",)) if any(map(str.isalpha, word)) else frozenset()
    return frozenset(
        script for char in word if char.isalpha() for script in [unicodedata.name(char, "").split(" ", 1)[0]] if script in _LOOKING_ALIKE
    )


def mixed(name: str) -> bool:
    """Whether a name mixes letters of scripts that look alike."""
    return len(scripts(name)) > 1


def skeleton(name: str) -> str:
    """What a name looks like: compatibility forms resolved, look-alike letters as the ASCII letter, hidden ones gone."""
    if name.isascii():
        return name
    return unicodedata.normalize("NFKC", visible(name)).translate(_LOOKS_LIKE)


def _is_hidden(text: str, at: int, char: str) -> bool:
    """Whether the character at a place is one that a reader does not see there."""
    if char.isascii():
        return not char.isprintable() and char not in _PLAIN_CONTROLS
    if char in _PICTURE_OR_TEXT:
        return at == 0 or unicodedata.category(text[at - 1]) not in _PICTURES - {"Mn"}
    if char in _JOINERS and _is_spelling(text, at, char):
        return False
    return char in _UNSEEN or unicodedata.category(char) in _UNSEEN_CATEGORIES or any(ord(char) in selectors for selectors in _SELECTORS)


def _is_spelling(text: str, at: int, char: str) -> bool:
    """Whether a joiner stands where ordinary writing has one."""
    if not 0 < at < len(text) - 1:
        return False
    left, right = text[at - 1], text[at + 1]
    if char == _JOINER and unicodedata.category(left) in _PICTURES and unicodedata.category(right) == "So":
        return not left.isascii()
    return all(unicodedata.name(each, "").split(" ", 1)[0] in _JOINING_SCRIPTS for each in (left, right))
