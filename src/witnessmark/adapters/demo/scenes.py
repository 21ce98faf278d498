"""The scenes of the demo: what each shows, and which verdict it must end with. They play at once and are told in order."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Final, NamedTuple

from witnessmark.adapters.demo import inconvenient
from witnessmark.adapters.demo.proved_commit import commit_and_prove
from witnessmark.adapters.demo.stage import Judged, Stage, WatchedRun
from witnessmark.errors import WorldError
from witnessmark.model.health import State
from witnessmark.model.reasons import reason_code
from witnessmark.model.verdict import Verdict

SCENE_LIMIT_S: Final = 60.0
"""Three times what the whole demo takes on two busy cores: what is not over then hangs."""


class Expected(NamedTuple):
    """The verdict that must come: its state, a reason that decides it ("" where none does), and when, if there are several."""

    state: State
    reason: str = ""
    moment: str = ""

    def is_met_by(self, verdict: Verdict) -> bool:
        """Whether this is the verdict that must come."""
        reasons = {reason_code(condition.reason) for condition in verdict.deciding}
        return verdict.state == self.state and (not self.reason or self.reason in reasons)


class Scene(NamedTuple):
    """A scene: its name (of its run too), one line of what happens, one of why it is inconvenient, and what must come out."""

    name: str
    title: str
    explanation: str
    play: Callable[[WatchedRun], Awaitable[None]]
    expected: tuple[Expected, ...]


class Played(NamedTuple):
    """A scene that is over: its story, and its verdicts with what the plain log said at the same instant."""

    scene: Scene
    run: str
    told: tuple[str, ...]
    judged: tuple[Judged, ...]
    failure: str = ""

    @property
    def as_expected(self) -> bool:
        """Whether every verdict is the one that must come."""
        if self.failure or len(self.judged) != len(self.scene.expected):
            return False
        return all(expected.is_met_by(one.verdict) for expected, one in zip(self.scene.expected, self.judged, strict=True))


SCENES: Final = (
    Scene(
        "healthy",
        "A commit that is proved",
        "mcp-server-git and mcp-server-time, both real; every claim is checked where its effect lands.",
        commit_and_prove,
        (Expected("healthy"),),
    ),
    Scene(
        "changed-schema",
        "The server renames an argument, the client does not re-read",
        "The server announced the change and then dropped the old argument without a word: a ticket assigned to nobody.",
        inconvenient.change_unread,
        (Expected("stale_catalog", "signal_unread"),),
    ),
    Scene(
        "first-page",
        "The client reads the first page of the catalog only",
        "The tool that the agent should have chosen stands on a page that nobody asked for.",
        inconvenient.first_page_only,
        (Expected("stale_catalog", "page_missing"),),
    ),
    Scene(
        "killed-server",
        "The server is killed after it wrote, before it answered",
        "A retry would pay twice; so nothing is retried, and the ledger is asked by the operation key instead.",
        inconvenient.killed_after_write,
        (Expected("effect_unknown", "response_lost", "at once"), Expected("healthy", moment="after the ledger was asked")),
    ),
    Scene(
        "false-success",
        "The tool says done, and made nothing",
        "MCP completed without an error; only the place where the file should be knows better.",
        inconvenient.done_and_nothing_made,
        (Expected("false_success", "effect_absent"),),
    ),
    Scene(
        "challenge",
        "The server wants somebody to sign in first",
        "Error -32042 is no failure of the tool: a person has to act, and a retry cannot help.",
        inconvenient.sign_in_first,
        (Expected("needs_auth", "challenge_outstanding"),),
    ),
    Scene(
        "long-call",
        "A long call, inside both of its clocks",
        "Progress keeps coming and the deadline is far: a call that is slow is not a call that is stuck.",
        inconvenient.long_call,
        (Expected("working", "call_open"),),
    ),
)


async def play(stage: Stage) -> AsyncIterator[Played]:
    """Play every scene at once and give them in their order, each as soon as it and those before it are over."""
    runs = [WatchedRun(stage, scene.name) for scene in SCENES]
    tasks = [asyncio.create_task(_played(scene, run)) for scene, run in zip(SCENES, runs, strict=True)]
    try:
        for task in tasks:
            yield await task
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _played(scene: Scene, run: WatchedRun) -> Played:
    failure = ""
    try:
        async with asyncio.timeout(SCENE_LIMIT_S):
            await scene.play(run)
    except TimeoutError:
        failure = f"was not over after {SCENE_LIMIT_S:.0f} s"
    except WorldError as error:
        failure = str(error)
    except Exception as error:  # noqa: BLE001 - a scene that breaks must not hide the others; the demo then fails and says which
        failure = f"broke off: {_names(error)}"
    return Played(scene, run.run, tuple(run.told), tuple(run.judged), failure)


def _names(error: BaseException) -> str:
    """The types of an error and of what it holds: their texts may quote what passed."""
    if isinstance(error, BaseExceptionGroup):
        return ", ".join(_names(one) for one in error.exceptions)
    return type(error).__name__
