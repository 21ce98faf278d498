"""The digests of a tool, of a catalog and of what a model is shown.

Pure: no I/O, no clock. Every digest is `sha256:` + 64 lower-case hex digits of SHA-256 over `canonical_bytes`. A digest
is meaningful only beside `PROJECTION_VERSION` and `MAPPING_VERSION`; digests of different versions are never compared.
How another program computes them: docs/contract-digest.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any, Final

from witnessmark.contract.canonical import canonical_bytes
from witnessmark.contract.meaning import meaning
from witnessmark.contract.projection import extended, project
from witnessmark.errors import PeerError

DIGEST_PREFIX: Final = "sha256:"

# Hex digits kept of a digest where many are stored in state: 128 bits, enough against a chosen collision of two of
# the tools of one catalog to cost 2^64 hashes, at half the memory.
SHORT_HEX_DIGITS: Final = 32

# Characters of a tool name that an error message repeats: the longest that any model API takes.
_NAME_SHOWN_CHARS: Final = 128


def digest_of(value: object) -> str:
    """The digest of any JSON value; PeerError if it has no canonical form."""
    return DIGEST_PREFIX + sha256(canonical_bytes(value)).hexdigest()


def contract_digest(tool: Mapping[str, Any]) -> str:
    """The digest of the tool's projection; PeerError ("ambiguous contract") if it has no canonical form."""
    return digest_of(project(tool))


def extended_digest(tool: Mapping[str, Any]) -> str:
    """The digest of everything the tool has; PeerError if it has no canonical form. It never gates."""
    return digest_of(extended(tool))


def meaning_digest(tool: Mapping[str, Any]) -> str:
    """The digest of the projection without what contracts.md calls cosmetic (see `meaning`).

    Two tools with one meaning digest differ at most cosmetically; two with different ones may still mean the same.
    """
    return digest_of(meaning(project(tool)))


def shown_digest(description: object | None, input_schema: object | None) -> str:
    """The digest of what a model can be shown literally of a tool: its description and its input schema.

    None means that the member is absent, and an absent member stays absent. PeerError as above.
    """
    shown: dict[str, object] = {}
    if description is not None:
        shown["description"] = description
    if input_schema is not None:
        shown["inputSchema"] = input_schema
    return digest_of(shown)


def catalog_digest(pairs: Iterable[tuple[str, str]]) -> str:
    """The digest of the list of [name, digest], sorted by name in code point order; order of `pairs` is irrelevant.

    A pair that is listed twice counts once (pages may overlap). Two digests for one name raise PeerError that names
    the tool.
    """
    by_name: dict[str, str] = {}
    for name, digest in pairs:
        if by_name.setdefault(name, digest) != digest:
            raise PeerError(
                f"two tools with the name {name[:_NAME_SHOWN_CHARS]!a} and different definitions",
                hint="the server must give each tool one name; until then its catalog has no digest",
            )
    return digest_of([[name, by_name[name]] for name in sorted(by_name)])


def short(digest: str) -> str:
    """The first 32 hex digits of a digest, without its prefix: a label within one catalog, not a proof."""
    return digest.removeprefix(DIGEST_PREFIX)[:SHORT_HEX_DIGITS]
