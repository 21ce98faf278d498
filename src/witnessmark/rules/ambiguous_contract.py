"""A tool has no single reading."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.digest import contract_digest
from witnessmark.contract.pairing import CatalogPair
from witnessmark.errors import PeerError
from witnessmark.rules._rule import Doc, Found, Rule
from witnessmark.rules._server import changed_tools


def find(catalogs: CatalogPair) -> Iterator[Found]:
    """Tools that the capture found ambiguous, and new or changed ones without a canonical form."""
    for name in dict.fromkeys(catalogs.new.ambiguous):
        yield Found(pointer="", why="the bytes have more than one reading", tool=name)
    for _, tool in changed_tools(catalogs):
        try:
            contract_digest(tool)
        except PeerError as fault:
            if tool["name"] not in catalogs.new.ambiguous:
                yield Found(pointer="", why=str(fault), tool=tool["name"])


RULE = Rule(
    kind="ambiguous-contract",
    name="A tool has no single reading",
    old_caller="silent",
    model_told="changed",
    confidence="low",
    step="report",
    action="report it to the server's owner; do not call the tool",
    find_in_catalog=find,
    doc=Doc(
        means="What the server sent for this tool has no canonical form, or two readings: a member name twice, NaN, broken "
        "text, a number beyond all bounds.",
        matters="Two programs may read two contracts from the same bytes: what one approves, another calls. Such a tool is "
        "never pinned and never passes.",
        do="Report it, and do not call the tool until it is plain JSON.",
        cannot_see="Which of the readings the server means.",
        source="RFC 8785, section 3.1, and RFC 7493 (I-JSON): names are unique, numbers finite. contracts.md, Contract and digest.",
    ),
)
