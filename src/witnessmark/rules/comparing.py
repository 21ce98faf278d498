"""The changes between two captures of one server's contract.

Pure: no I/O, no clock. Per tool, cheapest first: equal values say nothing; then the rules look, each at the facts it
picks; then the containment oracle overrules what only the schema's spelling suggested, and speaks where no rule did.
Precedence of the list: silent before loud before escalated before changed before cosmetic. Normative: contracts.md,
"Differences".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec

from witnessmark.contract.approving import fingerprint
from witnessmark.contract.digest import meaning_digest
from witnessmark.contract.pairing import CatalogPair, Pair, Side
from witnessmark.contract.projection import PROJECTED_MEMBERS
from witnessmark.contract.schema_view import same, same_fast
from witnessmark.contract.spots import references
from witnessmark.errors import PeerError
from witnessmark.model.capture import Capture
from witnessmark.model.change import ABSENT, Change
from witnessmark.rules._rule import TOOLCHAIN, Found, Rule
from witnessmark.rules.catalogue import RULES

# Kinds that no rule looks for: the oracle's own words.
NARROWED: Final = "input-schema-narrowed"
UNDECIDED: Final = "input-schema-undecided"
WIDENED: Final = "input-schema-widened"
RESPELLED: Final = "combinator-respelled"
REFACTORED: Final = "ref-refactor"
UNRECOGNISED: Final = "member-changed"
RECURSIVE: Final = "recursive-changed"

_CALLER_RANK: Final = {"silent": 0, "loud": 1, "none": 2}
_MODEL_RANK: Final = {"escalated": 0, "changed": 1, "same": 2}

_TOO_DEEP: Final = "a definition is nested too deep to be compared"

_Hits = list[tuple[Rule, Found]]


def compare(old: Capture, new: Capture) -> tuple[Change, ...]:
    """Every change from the approved to the current contract, the gravest first; empty if nothing changed.

    Both captures are of one server and profile (of the new one's, in fingerprints); whether they are complete is the
    caller's question. Never raises: what cannot be read is a change that says so.
    """
    catalogs = CatalogPair(old, new)
    changes: list[Change] = []
    for rule in RULES.values():
        try:
            changes.extend(_change(new, found.tool, rule, found) for found in (rule.find_in_catalog or _nothing)(catalogs))
        except RecursionError:
            changes.append(_change(new, "", RULES[UNRECOGNISED], Found(pointer="/tools", why=_TOO_DEEP)))
    for name, hits in _hits_of_tools(catalogs):
        changes.extend(_change(new, name, rule, found) for rule, found in hits)
    return tuple(sorted(changes, key=_place_in_list))


def _hits_of_tools(catalogs: CatalogPair) -> Iterator[tuple[str, _Hits]]:
    """(tool, what was found) of every tool that differs."""
    for name in catalogs.kept:
        before, after = catalogs.old_tools[name], catalogs.new_tools[name]
        try:
            if not same_fast(before, after):
                yield name, tool_changes(Pair(before, after))
        except RecursionError:
            # Strict JSON stops at 128 levels; who built a deeper value elsewhere gets no verdict on it.
            yield name, [(RULES[UNRECOGNISED], Found(pointer="", why=_TOO_DEEP))]


def _nothing(_: CatalogPair) -> Iterator[Found]:
    """No findings: the rule looks at single tools."""
    return iter(())


def tool_changes(pair: Pair) -> _Hits:
    """What the rules and the oracle say about one tool, with the rule that said it."""
    hits = [(rule, found) for rule in RULES.values() if rule.find is not None for found in rule.find(pair)]
    for side in (pair.input, pair.output):
        if side.old is not None and side.new is not None and not same(side.old, side.new):
            hits = _overruled(side, hits)
            hits += _unsaid(side, hits)
    hits = _cosmetic_by_meaning(pair, hits)
    hits += _unrecognised(pair, hits)
    return _folded(hits) if any(_is_toolchain(*hit) for hit in hits) else hits


def _overruled(side: Side, hits: _Hits) -> _Hits:
    """The hits without what a schema's spelling suggested and the oracle's `yes` takes back."""
    if side.keeps != "yes" or not any(rule.structural and _of(side, found) for rule, found in hits):
        return hits
    equal = side.kept_back == "yes"
    kept: _Hits = []
    for rule, found in hits:
        if not rule.structural or not _of(side, found):
            kept.append((rule, found))
        elif not equal:
            loud = (found.old_caller or rule.old_caller) == "loud"
            kept.append((rule, msgspec.structs.replace(found, old_caller="none", confidence="proven") if loud else found))
    return kept


def _unsaid(side: Side, hits: _Hits) -> _Hits:
    """What the oracle says about a schema where no rule said as much."""
    mine = [(rule, found) for rule, found in hits if _of(side, found)]
    if side.direction == 1 and all((found.old_caller or rule.old_caller) == "none" for rule, found in mine):
        if side.keeps == "no":
            return [(RULES[NARROWED], _schemas(side, "an argument that the old schema allowed is refused by the new one"))]
        if side.keeps == "unknown":
            kind = RECURSIVE if side.walk.recursive else UNDECIDED
            return [(RULES[kind], _schemas(side, "whether the new schema still accepts what the old one allowed could not be decided"))]
    if mine:
        return []
    if side.keeps == "yes" == side.kept_back:
        return [(RULES[_respelled(side)], _schemas(side, "the same set of values, written in another way"))]
    if side.direction == 1:
        return [(RULES[WIDENED], _schemas(side, "all that was accepted still is, and more"))]
    return []


def _respelled(side: Side) -> str:
    """The kind of a change without a difference: of definitions where references are used, else of spelling."""
    return REFACTORED if any(True for schema in (side.old, side.new) for _ in references(schema)) else RESPELLED


def _cosmetic_by_meaning(pair: Pair, hits: _Hits) -> _Hits:
    """The hits on schemas without those that a proof of equal meaning refutes (contracts.md, "cosmetic")."""
    grave = [(rule, found) for rule, found in hits if not _is_cosmetic(rule, found) and _in_schema(found)]
    if not grave:
        return hits
    try:
        if meaning_digest(pair.old) != meaning_digest(pair.new):
            return hits
    except PeerError:
        return hits
    kept = [hit for hit in hits if hit not in grave]
    sides = [side for side in (pair.input, pair.output) if not same(side.old, side.new) and not any(_of(side, found) for _, found in kept)]
    return kept + [(RULES[_respelled(side)], _schemas(side, "the same schema, arranged in another way")) for side in sides]


def _unrecognised(pair: Pair, hits: _Hits) -> _Hits:
    """The members of the contract that differ and that no rule spoke of: never green."""
    silent: _Hits = []
    for member in PROJECTED_MEMBERS:
        said = any(found.pointer in ("", f"/{member}") or found.pointer.startswith(f"/{member}/") for _, found in hits)
        if not said and pair.changed(member):
            why = f"`{member}` differs, and no rule knows what that means"
            found = Found(pointer=f"/{member}", why=why, before=pair.old.get(member, ABSENT), after=pair.new.get(member, ABSENT))
            silent.append((RULES[UNRECOGNISED], found))
    return silent


def _folded(hits: _Hits) -> _Hits:
    """What schema generators and SDK swaps leave behind is cosmetic where nothing else changed in the tool."""
    others = [hit for hit in hits if not _is_toolchain(*hit) and not _is_cosmetic(*hit)]
    if others or any((found.old_caller or rule.old_caller) != "none" for rule, found in hits):
        return hits
    return [(rule, msgspec.structs.replace(found, model_told="same")) for rule, found in hits]


def _is_toolchain(rule: Rule, found: Found) -> bool:
    return (rule.group if found.group is None else found.group) == TOOLCHAIN


def _is_cosmetic(rule: Rule, found: Found) -> bool:
    return (found.old_caller or rule.old_caller) == "none" and (found.model_told or rule.model_told) == "same"


def _of(side: Side, found: Found) -> bool:
    """Whether a finding is about this schema."""
    return found.pointer == side.pointer or found.pointer.startswith(f"{side.pointer}/")


def _in_schema(found: Found) -> bool:
    return found.pointer.startswith(("/inputSchema", "/outputSchema"))


def _schemas(side: Side, why: str) -> Found:
    """A finding about a schema as a whole."""
    return Found(pointer=side.pointer, why=why, before=side.old, after=side.new)


def _change(capture: Capture, tool: str, rule: Rule, found: Found) -> Change:
    """The finding as a change, with the rule's grades where it has none of its own."""
    return Change(
        tool=tool,
        kind=rule.kind,
        pointer=found.pointer,
        old_caller=found.old_caller or rule.old_caller,
        model_told=found.model_told or rule.model_told,
        confidence=found.confidence or rule.confidence,
        why=found.why,
        action=rule.action if found.action is None else found.action,
        before=found.before,
        after=found.after,
        renamed_to=found.renamed_to,
        group=rule.group if found.group is None else found.group,
        lane=rule.lane if found.lane is None else found.lane,
        fingerprint=fingerprint(capture.server, capture.profile, tool, rule.kind, found.pointer, found.after),
    )


def _place_in_list(change: Change) -> tuple[int, int, str, str, str]:
    return (_CALLER_RANK[change.old_caller], _MODEL_RANK[change.model_told], change.tool, change.pointer, change.kind)
