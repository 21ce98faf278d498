"""The two captures were made with different client capabilities."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import CatalogPair
from witnessmark.rules._rule import Doc, Found, Rule


def find_in_catalog(catalogs: CatalogPair) -> Iterator[Found]:
    """Whether the profiles differ."""
    if catalogs.old.profile != catalogs.new.profile:
        why = f"captured as {catalogs.new.profile}, compared with a capture as {catalogs.old.profile}"
        yield Found(pointer="/profile", why=why, before=catalogs.old.profile, after=catalogs.new.profile)


RULE = Rule(
    kind="capability-profile-change",
    name="The captures are of two client profiles",
    old_caller="none",
    model_told="changed",
    confidence="high",
    step="read",
    action="lock and check with the same profile",
    find_in_catalog=find_in_catalog,
    mirror=("capability-profile-change",),
    doc=Doc(
        means="One capture was made as a bare client, the other as one that declares its capabilities.",
        matters="Servers show other tools to other clients: such a difference is not a change of the server.",
        do="Capture again with the profile of the lock, or lock each profile.",
        cannot_see="Anything else about why the lists differ.",
        source="Seen: 13 tools for a bare client, 17 for one that declares roots, sampling and elicitation.",
    ),
)
