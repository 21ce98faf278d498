"""Another server answers."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import CatalogPair
from witnessmark.rules._naming import quoted
from witnessmark.rules._rule import Doc, Found, Rule


def find(catalogs: CatalogPair) -> Iterator[Found]:
    """Another server name, or another version of the same; what one side does not tell is not compared."""
    old, new = catalogs.old, catalogs.new
    if old.server_name and new.server_name and old.server_name != new.server_name:
        why = f"{quoted(old.server_name)} became {quoted(new.server_name)}"
        yield Found(pointer="/serverInfo/name", why=why, before=old.server_name, after=new.server_name)
    elif old.server_version and new.server_version and old.server_version != new.server_version:
        why = f"version {quoted(old.server_version)} became {quoted(new.server_version)}"
        before, after = old.server_version, new.server_version
        yield Found(pointer="/serverInfo/version", why=why, before=before, after=after, model_told="same", action="nothing")


RULE = Rule(
    kind="server-identity-changed",
    name="Another server answers",
    old_caller="none",
    model_told="escalated",
    confidence="high",
    step="stop",
    action="find out whose server this is before you approve it",
    find_in_catalog=find,
    mirror=("server-identity-changed",),
    doc=Doc(
        means="The name under which the server introduces itself is another. A new version alone is noted, and counts as nothing.",
        matters="Another program may answer under the address or command that you approved.",
        do="Find out why the name changed. If it is another program, lock it as another server.",
        cannot_see="A server that lies about its name, or keeps it although it is another program.",
        source="Specification, InitializeResult.serverInfo: name and version, as the server says.",
    ),
)
