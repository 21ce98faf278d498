"""The decision about one call, from what is known: allow, hold until the contract is known, refuse with a reason.

Unknown is a refusal with its own reason, never a pass (verdicts.md section 4). Pure: no I/O, no clock.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from witnessmark.gate.approved import Approved, Standing
from witnessmark.gate.refusal import Refused
from witnessmark.gate.weighing import Weighed, weigh
from witnessmark.model.evidence import ToolRef
from witnessmark.model.gate import GatePolicy
from witnessmark.observe.served import Served, ServedTools
from witnessmark.state.catalog import same_contract
from witnessmark.state.walk import Walk


class Asked(NamedTuple):
    """A `tools/call` as it came: the raw id (None for a notification, which nobody answers), the shown id, name, arguments,
    and the channel that it came on.
    """

    raw_id: Any
    id: str
    name: Any
    arguments: Any
    channel: str = "0"

    @property
    def shown(self) -> str:
        """The tool's name for a person, whatever stood in its place."""
        return self.name if type(self.name) is str else "(no name)"


class Known(NamedTuple):
    """What a decision is made from: the newest complete traversal, the contracts it showed, what the client was last given."""

    walk: Walk
    tools: ServedTools
    approved: Approved | None
    delivered: dict[str, ToolRef]
    lockfile: str


class Decided(NamedTuple):
    """Refused, or let through; with what the evidence keeps of it. `note` says what was let through all the same."""

    refused: Refused | None
    standing: Standing | None = None
    weighed: Weighed = Weighed()
    served: ToolRef | None = None
    stale_client: bool = False
    note: str = ""


_NO_ENTRY: Final = "the lockfile has no entry for this server and client profile"


def decide(call: Asked, shown: str, known: Known, policy: GatePolicy, server: str, now_us: int) -> Decided:
    """What becomes of the call; `shown` is the tool's name as facts hold it. The traversal is young enough: who calls has seen to it."""

    def refuse(reason: str, standing: Standing | None = None, **more: Any) -> Decided:
        current = standing.current if standing is not None else ""
        approved = standing.approved if standing is not None else ""
        changes = standing.changes if standing is not None else ()
        refused = Refused(
            reason, call.shown, server, changes=changes, approved=approved, current=current, lockfile=known.lockfile,
            served=held.digest if held is not None else "", **more,
        )  # fmt: skip
        return Decided(refused, standing, weighed, held, stale)

    held = known.delivered.get(call.name) if type(call.name) is str else None
    weighed, stale = Weighed(), False
    if type(call.name) is not str:
        return refuse("unreadable", detail="the call names no tool")
    if shown in known.walk.ambiguous:
        return refuse("ambiguous")
    ref = known.walk.tools.get(shown)
    if ref is None:
        return refuse("unknown_tool")
    served = known.tools.current(call.name)
    if served is None or served.ref.digest != ref.digest:
        return refuse("cannot_list", detail="its definition is not held any more")
    if known.approved is None:
        return refuse("unpinned", detail=_NO_ENTRY)
    standing = known.approved.standing(served)
    stale = held is not None and not same_contract(held, ref)
    if standing.reason:
        return refuse(standing.reason, standing)
    if known.approved.ended(call.name, now_us):
        return refuse("approval_ended", standing)
    if stale:
        return refuse("stale_client", standing)
    weighed = _weighed(call, served, known)
    swallowed = weighed.swallowed if policy.undeclared == "balanced" else tuple(weighed.swallowed or [("", "")] * bool(weighed.undeclared))
    checked = policy.undeclared != "off" and call.name not in policy.undeclared_exempt
    if checked and swallowed:
        named = tuple(each for each in weighed.swallowed if each[0])
        return refuse("undeclared_argument", standing, swallowed=named)
    if checked and policy.undeclared == "strict" and weighed.fit != "fits":
        return refuse("invalid_arguments" if weighed.fit == "breaks" else "unchecked_arguments", standing)
    note = (
        "undeclared_argument" if weighed.swallowed else {"fits": "", "breaks": "invalid_arguments"}.get(weighed.fit, "unchecked_arguments")
    )
    return Decided(None, standing, weighed, held, stale, note)


def _weighed(call: Asked, served: Served, known: Known) -> Weighed:
    older = [each.tool for each in known.tools.contracts(call.name)[1:]]
    contract = known.approved.contract(call.name) if known.approved is not None else None
    if contract is not None:
        older.insert(0, contract)
    return weigh(call.arguments, served, older)
