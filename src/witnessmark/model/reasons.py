"""The closed list of condition reasons: one CamelCase word, its layer, what it means, what to do.

`docs/reasons.md` is generated from this table, and a test fails where a judge uses a word that is not in it. The snake_case
form of the same word is the `code` of a verdict's reasons (`reason_code`). Pure: no I/O, no clock.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, NamedTuple


class Reason(NamedTuple):
    """Where a reason belongs, what it means and what a person does about it."""

    layer: str
    meaning: str
    action: str


REASONS: Final[dict[str, Reason]] = {
    # session
    "Accepted": Reason("session", "a request was accepted and no challenge stands against it", "nothing"),
    "ChallengeOutstanding": Reason(
        "session",
        "an authorization challenge was not yet followed by an accepted request in the same authorization context",
        "show resource and scope names to the credential owner; never token values",
    ),
    "NoAcceptedRequest": Reason("session", "no request of this session was seen to be accepted", "look whether the server answers at all"),
    "Negotiated": Reason("session", "the server accepted a protocol version that both sides know", "nothing"),
    "NotNegotiated": Reason("session", "no negotiation was seen to end", "look whether the server answers its first request"),
    "NotConfirmed": Reason("session", "the server answered initialize, and the client did nothing after it", "look at the client's log"),
    "ProbeFailed": Reason(
        "session", "an era probe failed and the negotiation that should follow has not been seen yet", "wait for the fallback"
    ),
    "VersionUnsupported": Reason(
        "session", "no protocol version is shared, or a version was answered that no revision has", "align the versions"
    ),
    "VersionRejected": Reason("session", "the server answered another version and the client left", "align the versions"),
    "HeaderMismatch": Reason(
        "session", "the server refused a request because its headers disagree with its body", "mend the client's headers"
    ),
    "CapabilityMissing": Reason(
        "session", "a capability that is required was not offered or not negotiated", "enable it or choose another server"
    ),
    "NegotiationRefused": Reason("session", "the negotiation was answered by an error", "look at its code and the server's log"),
    "NotMcp": Reason("session", "the endpoint never spoke JSON-RPC", "correct the address"),
    "SessionLost": Reason("session", "a session id that was valid is no longer known, and no new session was negotiated", "re-initialize"),
    # catalog
    "SilenceTrusted": Reason(
        "catalog", "no signal came over an open channel of a server that advertises listChanged: silence was trusted, not proved", "nothing"
    ),
    "WithinMaxAge": Reason(
        "catalog", "the server does not announce changes; the traversal is younger than max_age", "refresh at an interval"
    ),
    "WithinTtl": Reason(
        "catalog", "no delivery channel; the server's ttlMs has not expired (a hint, not a promise)", "subscribe, or refresh"
    ),
    "InstallProjectionCore": Reason(
        "catalog",
        "what is shown agrees at the core (names, description, properties, required, enums); the rest cannot be seen",
        "bring an exact witness",
    ),
    "SignalUnread": Reason("catalog", "a change was announced and no traversal was started after it", "one bounded refresh"),
    "Torn": Reason(
        "catalog", "a change was announced while the newest traversal was under way, and nothing newer was started", "traverse again"
    ),
    "InstalledDiffers": Reason(
        "catalog", "what the client shows differs from what it discovered", "restart or compact the client's session"
    ),
    "WitnessDiffers": Reason(
        "catalog", "a list of our own shows another contract than the client was last given", "refresh the client; review the change"
    ),
    "RefusedByGate": Reason(
        "catalog",
        "the gate answered a call itself and sent nothing on: its contract was not known to be the approved and current one",
        "read the refusal: approve, revert, or let the client read the tools again",
    ),
    "WrongCall": Reason(
        "catalog", "the client called a tool, or used a contract, that the current catalog does not have", "refresh the client"
    ),
    "InProgress": Reason("catalog", "a traversal is under way", "wait until its deadline"),
    "PageMissing": Reason("catalog", "a traversal ended with a cursor that nobody followed", "resume from the cursor or restart"),
    "PageUnanswered": Reason("catalog", "a page was asked for and never came", "restart the traversal once"),
    "PageError": Reason("catalog", "a page was answered by an error or by something unreadable", "restart the traversal once"),
    "RepeatedCursor": Reason("catalog", "a cursor came back that was already used: the walk cannot end", "tell the server's owner"),
    "DuplicateNames": Reason("catalog", "two tools share a name with different contracts", "tell the server's owner"),
    "ConnectionLost": Reason("catalog", "the channel ended in the middle of a traversal", "reconnect and traverse"),
    "VersionChanged": Reason("catalog", "the pages of one walk were asked under different protocol versions", "traverse again"),
    "TooManyPages": Reason("catalog", "the walk is longer than the observer follows", "tell the server's owner"),
    "NeverCompleted": Reason("catalog", "a change was announced and no traversal ever completed", "traverse once, completely"),
    "PageDiffers": Reason("catalog", "a lone page shows a definition that differs from the catalog held", "traverse again"),
    "NeverTraversed": Reason("catalog", "no complete traversal was seen", "traverse once"),
    "InstallUnobserved": Reason(
        "catalog",
        "every page was delivered; nobody reported what the client shows",
        "bring an installed receipt (`witnessmark receipt installed`)",
    ),
    "InstallNotSeenSinceDiscovery": Reason(
        "catalog",
        "the last installed report is older than the newest discovery and its source does not report every change",
        "report again",
    ),
    "InstallNotObserved": Reason("catalog", "policy demands the model tap, and only the host's own report is there", "use the model tap"),
    "InstallPartial": Reason("catalog", "the client shows a part of the catalog: n of m", "nothing, or load all"),
    "WitnessesDisagree": Reason("catalog", "two witnesses of what the client shows contradict each other", "find which one lags"),
    "MaxAgeExceeded": Reason("catalog", "the server does not announce changes and the traversal is older than max_age", "refresh"),
    "TtlExpired": Reason("catalog", "no delivery channel, and the ttl (or max_age) of the traversal has passed", "subscribe or refresh"),
    "BlindInterval": Reason("catalog", "changes could not be seen for a while, and no traversal was started since", "traverse again"),
    "AmbiguousContract": Reason(
        "catalog", "a tool's definition has no single meaning (duplicate member names, no canonical form)", "tell the server's owner"
    ),
    "ContractApproved": Reason("catalog", "every tool that the run uses has its approved contract", "nothing"),
    "ContractDrifted": Reason("catalog", "a tool's contract differs from the approved one", "review the difference, approve or revert"),
    "ContractUnpinned": Reason("catalog", "a tool was called that has no approved contract", "review and approve it"),
    "ContractUnknown": Reason("catalog", "approved contracts exist, and the current ones could not be seen whole", "traverse once"),
    "StaleClient": Reason("catalog", "a call was sent by a contract that was no longer current", "prove effect and outcome, or run again"),
    # request
    "AllAnswered": Reason("request", "every call was answered, and whatever failed was settled later", "nothing"),
    "NothingMalformed": Reason("request", "no message broke the protocol, and every response answered a request", "nothing"),
    "NoCalls": Reason("request", "the run made no call", "nothing"),
    "CallOpen": Reason("request", "a call is open, inside both clocks", "stay silent"),
    "WaitingForPerson": Reason("request", "a call waits for a person's input; the inactivity window is suspended", "stay silent"),
    "ToolError": Reason("request", "the tool answered isError: true, or its task failed", "follow the tool's retry policy"),
    "RpcError": Reason("request", "the call was answered by a JSON-RPC error or an HTTP refusal", "look at method, id and code"),
    "InvalidAnswer": Reason(
        "request", "the answer's envelope or result breaks the protocol or the declared outputSchema", "tell the server's owner"
    ),
    "OutputUnchecked": Reason(
        "request",
        "an answer could not be compared with the declared outputSchema (too large, or no usable schema)",
        "look at the schema and the size",
    ),
    "ReadLost": Reason("request", "a read-only call ended without an answer", "the call may be repeated"),
    "NotApplied": Reason("request", "the answer was lost and the destination shows no effect: a retry is free", "retry if wanted"),
    "ResponseToNobody": Reason("request", "a response came that no request waits for", "tell the server's owner"),
    "IdTypeChanged": Reason("request", 'a response carries an id of another type ("7" does not answer 7)', "tell the server's owner"),
    "DuplicateResponse": Reason("request", "a second, different response came for an answered id", "tell the server's owner"),
    "MalformedMessage": Reason("request", "bytes that may hold a message could not be read", "tell the owner of the side that sent them"),
    "AnswerLost": Reason("request", "the call's answer never came (its effect is judged in the effect layer)", "reconcile"),
    "EvidenceGap": Reason("request", "observations were lost here: what they said is unknown", "look at the observer"),
    "ClockJumped": Reason(
        "request",
        "the observer's wall clock was set while the call was open, so that its deadlines cannot be read off the evidence",
        "wait for the answer, or reconcile",
    ),
    "Equivocation": Reason("request", "two different events carry one id", "look at who can write the log"),
    "ChainBroken": Reason("request", "the hash chain of a log does not hold", "look at who can write the log"),
    "LogNotClosed": Reason("request", "the log ends before the instant of judgement and was not closed", "look whether the observer lives"),
    "LogWhole": Reason("request", "the log has no hole up to the instant of judgement", "nothing"),
    "TooManyCalls": Reason(
        "request", "more calls await evidence than are kept in detail; the oldest can no longer be proved", "close runs sooner"
    ),
    # effect
    "EffectApplied": Reason("effect", "the destination shows exactly one effect for each call that may have one", "nothing"),
    "NoEffectDeclared": Reason("effect", "every call was of a tool that is declared read-only", "nothing"),
    "EffectAbsent": Reason("effect", "the call was answered as done, and its destination shows no effect", "open an outcome incident"),
    "DuplicateEffect": Reason("effect", "more than one effect was applied under one operation key", "open an outcome incident"),
    "EffectUnproved": Reason(
        "effect",
        "the call was answered as done, and nobody asked its destination",
        "bring an effect receipt (`witnessmark receipt effect`); a tool that only reads can be declared so before it is called",
    ),
    "OperationKeyMissing": Reason(
        "effect",
        "an operation key is declared for the tool, and its pointer leads to nothing in this call's arguments",
        "correct the pointer, or let the agent hand the key over",
    ),
    "OperationKeyReused": Reason(
        "effect",
        "a call came under the operation key of an earlier one with other arguments: which of the two was done is open",
        "give each intent a key of its own, and look at the destination",
    ),
    "EffectSelfReported": Reason("effect", "only the agent's own side reports this effect", "ask the destination"),
    "EffectConflict": Reason("effect", "the destination contradicted itself", "ask it again"),
    "EffectProvedByOutcome": Reason("effect", "the verifier is declared to prove the effect too, and it passed", "nothing"),
    "ResponseLost": Reason("effect", "the connection ended while a call that may have effects was open", "reconcile; do not retry"),
    "AbsoluteDeadline": Reason(
        "effect", "the absolute deadline passed while a call that may have effects was open", "reconcile; do not retry"
    ),
    "InactivityDeadline": Reason("effect", "no valid heartbeat came within the inactivity window", "reconcile; do not retry"),
    "Cancelled": Reason(
        "effect", "a call that may have effects was cancelled, which proves nothing about its effect", "reconcile; do not retry"
    ),
    "InputAbandoned": Reason(
        "effect", "the server asked for input and nobody answered before the absolute deadline", "reconcile; do not retry"
    ),
    "TaskLost": Reason("effect", "the task's handle is gone while it was working", "reconcile; do not retry"),
    "AnswerDisagrees": Reason("effect", "the call was answered as failed, and its destination shows the effect", "reconcile"),
    "AnswerContradicted": Reason(
        "effect", "the call was answered as failed; destination and verifier prove that it worked", "tell the tool's owner"
    ),
    "LostAndReconciled": Reason("effect", "the response was lost, and the destination shows the effect", "nothing"),
    "FailedEffectUnknown": Reason("effect", "the call failed and nobody asked its destination", "reconcile before any retry"),
    "EffectAbsentAfterFailure": Reason("effect", "the call failed and its destination shows no effect", "nothing"),
    "AcceptedUnknown": Reason("effect", "a person accepted that this effect stays unknown", "nothing; it never turns green"),
    # outcome
    "OutcomeVerified": Reason("outcome", "a verifier that was declared in time passed", "nothing"),
    "OutcomeJudged": Reason("outcome", "a model judged the outcome as good, and policy accepts that here", "nothing"),
    "OutcomeFailed": Reason("outcome", "the verifier says that the promise is not kept", "open an outcome incident"),
    "VerifierNotDeclared": Reason(
        "outcome",
        "the run promised nothing that anybody verifies",
        "declare an outcome and its verifier before the first call (`witnessmark receipt expect`)",
    ),
    "OutcomeMissing": Reason(
        "outcome",
        "an outcome was declared and its verifier has not answered",
        "run the verifier and bring its answer (`witnessmark receipt outcome`)",
    ),
    "VerifierCrashed": Reason("outcome", "the verifier could not do its work: unknown, not failed", "mend the verifier"),
    "VerifierLate": Reason("outcome", "the verifier was declared after the first call that may have effects", "declare it before the run"),
    "JudgedOnly": Reason("outcome", "only a model's judgement is there, and policy does not accept it", "bring a deterministic verifier"),
    "OutcomeSelfReported": Reason("outcome", "only the agent's own side reports this outcome", "let the runner verify"),
    "VerifiedTooEarly": Reason("outcome", "a call that may have effects was sent after the verifier answered", "verify again"),
    "OutcomeUndeclared": Reason("outcome", "a verifier answered for an outcome that nobody declared", "declare it before the run"),
}

_BOUNDARY = re.compile(r"(?<!^)(?=[A-Z])")


@cache
def reason_code(reason: str) -> str:
    """The snake_case code of a reason: `SilenceTrusted` -> `silence_trusted`."""
    return _BOUNDARY.sub("_", reason).lower()
