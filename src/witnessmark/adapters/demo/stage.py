"""Where the demo plays: one temporary folder with the store, and for each scene a run that the runner declares, reports to and judges.

The runner is the one who knows the promise and asks the destinations. It was not started by the agent, so what it reports is
independent (verdicts.md section 3); a real runner says the same through `witnessmark receipt`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from witnessmark.adapters.clock import now_us
from witnessmark.adapters.demo.plain_log import PlainLog
from witnessmark.adapters.receipts import Kind, Target, bring
from witnessmark.adapters.store.location import FILE_NAME, open_store
from witnessmark.adapters.stored_runs import evidence_of
from witnessmark.judges.judging import Ordered, judge
from witnessmark.model.policy import Policy
from witnessmark.model.verdict import Verdict

_WITNESSMARK: Final = (sys.executable, "-c", "from witnessmark.cli.main import main; main()")
"""The command line by the interpreter that runs the demo: the script may not be on PATH."""

HOST: Final = "demo-host"
"""The source that the installed reports name: the demo's own host, which knows what it put before its scripted model."""


class Judged(NamedTuple):
    """A verdict, and what the client's plain log said at that instant."""

    plain_log: str
    verdict: Verdict


class Stage:
    """The folder, the store in it, and the environment that keeps every process of the demo inside the folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.store_path = folder / FILE_NAME
        self.store = open_store(self.store_path)
        home = folder / "home"
        home.mkdir(exist_ok=True)
        # Nothing of the user's reaches the servers, and nothing of theirs reaches the user's files: no git identity, no hooks.
        self.environment = {
            **{name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ},
            **dict.fromkeys(("HOME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME"), str(home)),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
        }

    def close(self) -> None:
        """Let go of the store."""
        self.store.close()


class WatchedRun:
    """One run: what the runner declares and reports, the servers' commands through the proxy, and the verdicts."""

    def __init__(self, stage: Stage, scene: str) -> None:
        self.stage = stage
        self.run = f"demo-{scene}"
        self.folder = stage.folder / scene
        self.folder.mkdir()
        self.log = PlainLog()
        self.judged: list[Judged] = []
        self.told: list[str] = []

    def command(self, server: str, command: Sequence[str]) -> list[str]:
        """The server's command as a client's configuration has it once the proxy stands in front."""
        return [*_WITNESSMARK, "proxy", "--server", server, "--run", self.run, "--store", str(self.stage.store_path), "--", *command]

    def tell(self, sentence: str) -> None:
        """Note a sentence of the story."""
        self.told.append(sentence)

    # --- the operator's word, before the first call -------------------------------------------------------------------

    def declare(self, server: str, tool: str, effect: str, **clocks_s: float) -> None:
        """Declare what a tool may do, and its two clocks in seconds."""
        self._bring("declare", server, {"tool": tool, "effect": effect, **clocks_s})

    def expect(self, outcome: str, verifier: str) -> None:
        """Declare what the run promises and how that will be verified."""
        self._bring("expect", "", {"outcome": outcome, "verifier": {"kind": verifier}})

    # --- receipts -----------------------------------------------------------------------------------------------------

    def installed(self, server: str, tools: Sequence[Mapping[str, Any]]) -> None:
        """Report, as the host, what was put before the model: definitions under the server's own names."""
        names = {tool["name"]: tool["name"] for tool in tools}
        self._bring("installed", server, {"source": HOST, "tools": tools, "names": names, "mapping": "exact"})

    def effect(self, server: str, call: str, count: int) -> None:
        """Report what the destination answered when it was asked for the effect of a call: how often it is there."""
        status = "applied" if count else "absent"
        report: dict[str, Any] = {"call": msgspec.json.decode(call), "status": status, "method": "query"}
        self._bring("effect", server, {**report, "count": count} if count else report)

    def outcome(self, outcome: str, *, passed: bool) -> None:
        """Report what a deterministic verifier found."""
        self._bring("outcome", "", {"outcome": outcome, "status": "passed" if passed else "failed", "strength": "deterministic"})

    def end(self) -> None:
        """Close the run: it is judged as of now."""
        bring(self.stage.store, Target(self.run, ""), "close", b"true", independent=True)

    def _bring(self, kind: Kind, server: str, report: Mapping[str, Any]) -> None:
        bring(self.stage.store, Target(self.run, server), kind, msgspec.json.encode(report), independent=True)

    # --- verdicts -----------------------------------------------------------------------------------------------------

    def seen(self) -> Verdict:
        """The verdict as of now, for the runner's own use."""
        now = now_us()
        return judge(Ordered(evidence_of(self.stage.store, self.run, now)), Policy(), as_of_us=now)

    def judge(self) -> None:
        """Judge as of now, and keep the verdict as one of the scene's."""
        self.judged.append(Judged(self.log.said(), self.seen()))

    def calls(self, tool: str) -> list[tuple[str, str]]:
        """The calls of a tool that the proxy saw, as (server, id): whoever asks a destination asks for these."""
        return [(call.server, call.id) for call in self.seen().calls if call.tool == tool]
