"""The instant of a judgement, and what the log can say of it. Pure: no I/O, no clock."""

from __future__ import annotations

import msgspec

from witnessmark.model.policy import Policy
from witnessmark.state.run import RunState


class Instant(msgspec.Struct, frozen=True, gc=False):
    """`us` is the instant that is judged (a closed run is judged as of its close); `covered` is False where an observer's
    log ends before it without having been closed: then silence means nothing, and nothing may be green or quiet.
    """

    us: int
    covered: bool
    whole: bool
    closed: bool
    damaged: bool

    @property
    def trusted(self) -> bool:
        """True where silence of the log means that nothing happened."""
        return self.covered and self.whole


def instant(state: RunState, policy: Policy, as_of_us: int) -> Instant:
    """The instant to judge, for a judgement asked as of `as_of_us`."""
    us = as_of_us
    if state.closed is not None and state.closed.time_us < us:
        us = state.closed.time_us
    covered = state.covered(as_of_us, us, round(policy.observer_silence_s * 1_000_000))
    whole = not (state.gaps.count or state.equivocations.count or state.chain.count)
    return Instant(us, covered, whole, state.closed is not None, state.damaged is not None)
