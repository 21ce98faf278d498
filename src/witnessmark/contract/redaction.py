"""Redaction before collection: no secret, private address or user's name gets into a lockfile (contracts.md, "Contract and digest").

Values are replaced in every text of a tool but its name and its members' names: descriptions, titles, defaults, examples,
enums, patterns. A placeholder carries its detector and a keyed hash under the lockfile's salt, so that a change behind it is
still drift; of a home path only the user's name is replaced. The salt lies beside the hashes: it keeps equal secrets of two
lockfiles apart, it does not keep a short secret from being guessed.
Pure: no I/O, no clock.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from witnessmark.contract.digest import digest_of
from witnessmark.errors import UsageError

REDACTION_VERSION: Final = 1
MAX_PATTERNS: Final = 64
"""Patterns of a user's own: a team has a handful; each is run over every text."""
MAX_PATTERN_CHARS: Final = 512
_HASH_HEX_CHARS: Final = 12
_PLACEHOLDER: Final = re.compile(r"(<redacted:[a-z0-9-]{1,32}(?::[0-9a-f]{12})?>)")


class Detector(NamedTuple):
    """What is replaced: the pattern's group `v` if it has one, else all that matches. `needs`: in lower case, one of these stands
    in every text that matches; most texts hold none, and looking for them costs a tenth of the pattern. Empty: always looked at.
    """

    name: str
    pattern: re.Pattern[str]
    needs: tuple[str, ...] = ()


_NEEDS: Final[dict[str, tuple[str, ...]]] = {
    "private-key": ("private key",),
    "jwt": ("eyj",),
    "aws-key": ("akia", "asia"),
    "github-token": ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
    "slack-token": ("xox",),
    "model-api-key": ("sk-",),
    "google-key": ("aiza",),
    "bearer": ("bearer",),
    "url-credentials": ("://",),
    "assigned-secret": (":", "="),
    "private-url": ("://",),
    "home-path": ("/home/", "/users/", ":\\"),
}


def _detector(name: str, pattern: str, flags: int = 0) -> Detector:
    return Detector(name, re.compile(pattern, flags), _NEEDS.get(name, ()))


DETECTORS: Final[tuple[Detector, ...]] = (
    _detector("private-key", r"-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----[A-Za-z0-9+/=\s]{0,8000}(?:-----END [A-Z ]{0,20}PRIVATE KEY-----)?"),
    _detector("jwt", r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"),
    _detector("aws-key", r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    _detector("github-token", r"\b(?:gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{20,255})"),
    _detector("slack-token", r"\bxox[abeprs]-[A-Za-z0-9-]{10,255}"),
    _detector("model-api-key", r"\bsk-[A-Za-z0-9_-]{20,255}"),
    _detector("google-key", r"\bAIza[A-Za-z0-9_-]{35}"),
    _detector("bearer", r"\bbearer\s+(?P<v>[A-Za-z0-9._~+/-]{16,4096}=*)", re.IGNORECASE),
    _detector("url-credentials", r"\b[a-z][a-z0-9+.-]{1,20}://(?P<v>[^\s/@:]{1,256}:[^\s/@]{1,256})@", re.IGNORECASE),
    _detector(
        "assigned-secret",
        r"\b(?:api[_-]?key|access[_-]?token|auth[_-]?token|secret|password|passwd|token)\b[\"']?\s{0,3}[:=]\s{0,3}[\"']?"
        r"(?P<v>[A-Za-z0-9_./+~-]{12,4096}=*)",
        re.IGNORECASE,
    ),
    _detector(
        "private-url",
        r"\bhttps?://(?P<v>(?:10(?:\.\d{1,3}){3}|192\.168(?:\.\d{1,3}){2}|172\.(?:1[6-9]|2\d|3[01])(?:\.\d{1,3}){2}"
        r"|[A-Za-z0-9.-]{1,253}\.(?:internal|intranet|corp|lan|local))(?::\d{1,5})?(?:/[^\s\"'<>)\]]{0,2048})?)",
    ),
    _detector("home-path", r"(?:/home/|/Users/|[A-Za-z]:\\{1,2}Users\\{1,2})(?P<v>[^/\\\s\"'<>:]{1,64})"),
)
"""In the order in which they look. The rule set's digest stands in the lockfile: another set gives other contracts."""


class RuleSet(NamedTuple):
    """Detectors in force and the digest that names them."""

    detectors: tuple[Detector, ...]
    digest: str


def rule_set(patterns: Sequence[str] = ()) -> RuleSet:
    """The built-in detectors and a user's own patterns.

    Raises UsageError for a pattern that is none, or too long.
    """
    own: list[Detector] = []
    if len(patterns) > MAX_PATTERNS:
        raise UsageError(f"{len(patterns)} redaction patterns", where="redact", hint=f"at most {MAX_PATTERNS} are run over every text")
    for number, pattern in enumerate(patterns):
        where = f"redact[{number}]"
        if len(pattern) > MAX_PATTERN_CHARS:
            raise UsageError(f"a pattern of {len(pattern)} characters", where=where, hint=f"at most {MAX_PATTERN_CHARS}")
        try:
            own.append(_detector(f"own-{number}", pattern))
        except re.error as error:
            raise UsageError(f"no regular expression: {error}", where=where, hint="mend the pattern in witnessmark.toml") from None
    detectors = (*DETECTORS, *own)
    named = [[d.name, d.pattern.pattern, d.pattern.flags] for d in detectors]
    return RuleSet(detectors, digest_of([REDACTION_VERSION, *named]))


class Redacted(NamedTuple):
    """A value without what was detected, and how often each detector found something."""

    value: Any
    found: dict[str, int]


class Redaction:
    """A rule set under a lockfile's salt."""

    def __init__(self, rules: RuleSet, salt: str) -> None:
        self.rules = rules
        self._salt = salt.encode()

    def _placeholder(self, detector: str, value: str) -> str:
        digest = hmac.new(self._salt, value.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()
        return f"<redacted:{detector}:{digest[:_HASH_HEX_CHARS]}>"

    def text(self, text: str, found: dict[str, int] | None = None) -> str:
        """The text with placeholders; what each detector found is counted in `found`. A placeholder is looked at by none."""
        lowered = text.lower()
        for detector in self.rules.detectors:
            if detector.needs and not any(word in lowered for word in detector.needs):
                continue
            if detector.pattern.search(text) is None:
                continue
            if "<redacted:" not in text:
                text = self._with(detector, text, found)
                continue
            # Between placeholders only: `github-token:` in one would be taken for the name of a secret.
            pieces = _PLACEHOLDER.split(text)
            pieces[::2] = [self._with(detector, piece, found) for piece in pieces[::2]]
            text = "".join(pieces)
        return text

    def _with(self, detector: Detector, text: str, found: dict[str, int] | None) -> str:
        group = "v" if "v" in detector.pattern.groupindex else 0

        def replaced(match: re.Match[str]) -> str:
            start, end = match.span(group)
            if start == end:
                return match[0]
            if found is not None:
                found[detector.name] = found.get(detector.name, 0) + 1
            before, after = match[0][: start - match.start()], match[0][end - match.start() :]
            return f"{before}{self._placeholder(detector.name, match[group])}{after}"

        return detector.pattern.sub(replaced, text)

    def tool(self, tool: dict[str, Any]) -> Redacted:
        """A tool with every text redacted but its name and the names of members."""
        found: dict[str, int] = {}
        value = {name: member if name == "name" else self._walk(member, found) for name, member in tool.items()}
        return Redacted(value, found)

    def value(self, value: Any) -> Redacted:
        """Any JSON value with its texts redacted."""
        found: dict[str, int] = {}
        return Redacted(self._walk(value, found), found)

    def _walk(self, value: Any, found: dict[str, int]) -> Any:
        if isinstance(value, str):
            return self.text(value, found)
        if isinstance(value, list):
            return [self._walk(member, found) for member in value]
        if isinstance(value, dict):
            return {name: self._walk(member, found) for name, member in value.items()}
        return value
