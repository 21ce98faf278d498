"""Another protocol revision was negotiated."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import CatalogPair
from witnessmark.rules._rule import Doc, Found, Rule


def find(catalogs: CatalogPair) -> Iterator[Found]:
    """Another revision; what one side does not tell is not compared."""
    before, after = catalogs.old.protocol_version, catalogs.new.protocol_version
    if before and after and before != after:
        yield Found(pointer="/protocolVersion", why="the revision decides which members a tool has", before=before, after=after)


RULE = Rule(
    kind="protocol-version-changed",
    name="Another protocol revision was negotiated",
    old_caller="none",
    model_told="same",
    confidence="high",
    step="note",
    action="take note",
    find_in_catalog=find,
    mirror=("protocol-version-changed",),
    doc=Doc(
        means="The server and the capturing client agreed on another revision than before.",
        matters="Members come and go with revisions (`execution` is not in 2026-07-28), so other differences may have this one cause.",
        do="Take note, and read the other changes with it in mind.",
        cannot_see="What your own client negotiates.",
        source="Specification, lifecycle: version negotiation.",
    ),
)
