"""What a WWW-Authenticate field asks for: scheme, error code, scope names, the origin of the resource metadata.

A parser for challenges (RFC 9110, 11.6.1) that reads several of them, in one field or in many, with commas and escapes
inside quoted strings, and goes on over what servers get wrong (no comma between parameters). What it returns is safe to
keep: schemes and error codes come from closed lists, scope names have the shape of RFC 6749, of a URL only the origin
is left. Realms, descriptions and token68 values are dropped.

Pure: no I/O, no clock.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec

MAX_FIELD_CHARS: Final = 8192
"""Characters that are parsed: what common HTTP servers allow for all headers together."""
MAX_CHALLENGES: Final = 8
MAX_SCOPES: Final = 64
"""Scope names kept of one challenge; catalogs of large providers ask for fewer than 30 at once."""
MAX_SCOPE_CHARS: Final = 256

OTHER: Final = "_OTHER"
"""Stands for a scheme or an error code that is in no list."""

# IANA "HTTP Authentication Schemes".
_SCHEMES: Final = {
    name.lower(): name
    for name in (
        "Basic",
        "Bearer",
        "Concealed",
        "Digest",
        "DPoP",
        "GNAP",
        "HOBA",
        "Mutual",
        "Negotiate",
        "OAuth",
        "PrivateToken",
        "SCRAM-SHA-1",
        "SCRAM-SHA-256",
        "vapid",
    )
}
# RFC 6750 3.1, RFC 9470 3, RFC 9449 7.1 and 9.
_ERRORS: Final = frozenset(
    {
        "invalid_request",
        "invalid_token",
        "insufficient_scope",
        "insufficient_user_authentication",
        "invalid_dpop_proof",
        "use_dpop_nonce",
    }
)

_TOKEN: Final = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]++")
_TOKEN68: Final = re.compile(r"[A-Za-z0-9\-._~+/]++=*+(?=[ \t]*(?:,|$))")
_QUOTED: Final = re.compile(r'"((?:[^"\\]|\\.)*+)"', re.DOTALL)
_ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)
_EQUALS: Final = re.compile(r"[ \t]*+=[ \t]*+")
_SEPARATOR: Final = re.compile(r"[ \t,]*+")
_SPACES: Final = re.compile(r"[ \t]++")
_SCOPE: Final = re.compile(r"[\x21\x23-\x5b\x5d-\x7e]+")
_ORIGIN: Final = re.compile(
    r"(https?)://(?:[^/?#@\\\s]*@)?([a-z0-9](?:[a-z0-9.\-]{0,252})|\[[0-9a-f:.]{2,45}\])(:[0-9]{1,5})?(?=[/?#]|$)", re.IGNORECASE
)


class Challenge(msgspec.Struct, frozen=True):
    """One challenge. `error` is None where none was given; `malformed` says that part of the field could not be read."""

    scheme: str
    error: str | None = None
    scopes: tuple[str, ...] = ()
    resource_metadata_origin: str | None = None
    malformed: bool = False


class _Open:
    """A challenge that is being read."""

    __slots__ = ("malformed", "parameters", "scheme")

    def __init__(self, scheme: str) -> None:
        self.scheme = _SCHEMES.get(scheme.lower(), OTHER)
        self.parameters: dict[str, str] = {}
        self.malformed = False


def parse_challenges(field: str) -> tuple[Challenge, ...]:
    """The challenges of a field's value (several fields: joined by commas), at most MAX_CHALLENGES; raises nothing."""
    found: list[_Open] = []
    text = field[:MAX_FIELD_CHARS]
    position = 0
    while position < len(text):
        separator = _SEPARATOR.match(text, position)
        between = separator.group() if separator is not None else ""
        position += len(between)
        token = _TOKEN.match(text, position)
        if token is None:
            position = _skip(text, position, found)
            continue
        equals = _EQUALS.match(text, token.end())
        if equals is not None and found:
            position = _read_parameter(text, equals.end(), token.group(), found[-1])
        elif not found or "," in between:
            if len(found) == MAX_CHALLENGES:
                break
            found.append(_Open(token.group()))
            position = _skip_token68(text, token.end())
        else:  # a bare word among the parameters
            found[-1].malformed = True
            position = token.end()
    if len(field) > MAX_FIELD_CHARS and found:
        found[-1].malformed = True
    return tuple(_close(challenge) for challenge in found)


def _skip(text: str, position: int, found: list[_Open]) -> int:
    """Goes past what is no token; a quoted string goes as a whole."""
    if position >= len(text):
        return position
    if found:
        found[-1].malformed = True
    quoted = _QUOTED.match(text, position)
    return position + 1 if quoted is None else quoted.end()


def _skip_token68(text: str, position: int) -> int:
    spaces = _SPACES.match(text, position)
    if spaces is None:
        return position
    token68 = _TOKEN68.match(text, spaces.end())
    return position if token68 is None else token68.end()


def _read_parameter(text: str, position: int, name: str, challenge: _Open) -> int:
    quoted = _QUOTED.match(text, position)
    plain = _TOKEN.match(text, position) if quoted is None else None
    if quoted is not None:
        value, end = _ESCAPED.sub(r"\1", quoted.group(1)), quoted.end()
    elif text[position : position + 1] == '"':  # never closed: nothing after it can be told apart
        challenge.malformed = True
        return len(text)
    else:
        # Servers write URLs and scopes without quotes, though "/" and ":" are no token characters.
        value, end = _until_separator(text, position)
        challenge.malformed |= plain is None or plain.end() != end
    if name.lower() in challenge.parameters:
        challenge.malformed = True
    challenge.parameters.setdefault(name.lower(), value)
    return end


def _until_separator(text: str, position: int) -> tuple[str, int]:
    end = position
    while end < len(text) and text[end] not in " \t,":
        end += 1
    return text[position:end], end


def _close(challenge: _Open) -> Challenge:
    error = challenge.parameters.get("error")
    if error is not None and error not in _ERRORS:
        error = OTHER
    scopes = challenge.parameters.get("scope", "").split()
    kept = tuple(scope for scope in scopes if len(scope) <= MAX_SCOPE_CHARS and _SCOPE.fullmatch(scope))[:MAX_SCOPES]
    malformed = challenge.malformed or len(kept) != len(scopes)
    return Challenge(challenge.scheme, error, kept, _origin(challenge.parameters.get("resource_metadata", "")), malformed)


def _origin(url: str) -> str | None:
    """`scheme://host[:port]` in lower case, or None; userinfo, path, query and fragment never."""
    found = _ORIGIN.match(url)
    if found is None:
        return None
    scheme, host, port = found.groups()
    return f"{scheme}://{host}{port or ''}".lower()
