"""What a configuration declares is in the evidence before the first call, and a file that nobody named loosens nothing."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from peers.raw_client import RawClient
from witnessmark.adapters.store.location import open_store
from witnessmark.cli.main import cli
from witnessmark.model.evidence import CallStarted, EffectDeclared, Event, OutcomeDeclared, RunOpened

SERVER = """
import os
from witnessmark.adapters.demo.servers.pipe import Pipe, text, tool

def called(pipe, params):
    if params["arguments"].get("die"):
        os._exit(1)
    return text(os.environ.get("COLOUR", "none") + " " + os.path.basename(os.getcwd()))

def listed(pipe, params):
    return {"tools": [tool("write", "Write", key="string")]}

open("started", "w").close()
Pipe("files", {"tools/list": listed, "tools/call": called}).serve()
"""
DECLARED = """
[servers.files]
command = ["PYTHON", "server.py"]
env = { COLOUR = "env:PAINT" }

[tools."files/write"]
EFFECT
operation_key = "/key"
inactivity = "90s"
absolute = "5m"

[tasks.report]
outcomes = [{ name = "report", verify = { kind = "file", path = "out.txt" } }]
REQUIRES
"""
WORD = ("--config", "witnessmark.toml")


class Project:
    """A folder with a server and a configuration, and somebody who starts the proxy in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.store = folder.parent / "evidence.sqlite"
        self.client: RawClient | None = None
        (folder / "server.py").write_text(SERVER, encoding="utf-8")

    def declares(self, effect: str = 'effect = "write"', requires: str = "", text: str = DECLARED) -> None:
        said = text.replace("PYTHON", sys.executable).replace("EFFECT", effect).replace("REQUIRES", requires)
        (self.folder / "witnessmark.toml").write_text(said, encoding="utf-8")

    def starts(self, *words: str, command: tuple[str, ...] = (), cwd: Path | None = None, **environment: str) -> RawClient:
        proxy = [str(Path(sys.executable).with_name("witnessmark")), "proxy", "--store", str(self.store), "--run", "r", *words]
        env = {"PAINT": "green", **environment}
        self.client = RawClient([*proxy, *(("--", *command) if command else ())], cwd=cwd or self.folder, env=env)
        return self.client

    def session(self, client: RawClient) -> None:
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        client.ask({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello})
        client.tell({"jsonrpc": "2.0", "method": "notifications/initialized"})
        client.ask({"jsonrpc": "2.0", "id": 2, "method": "tools/list"})

    def call(self, client: RawClient, **arguments: Any) -> str:
        params = {"name": "write", "arguments": arguments}
        answer, _ = client.ask({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": params})
        return str(answer["result"]["content"][0]["text"]) if answer is not None else ""

    def events(self) -> list[Event]:
        store = open_store(self.store, write=False)
        found = list(store.events("r"))
        store.close()
        return found

    def judged(self) -> dict[str, Any]:
        done = CliRunner(env={"WITNESSMARK_STORE": str(self.store)}).invoke(cli, ["judge", "--run", "r", "--format", "json"])
        document: dict[str, Any] = json.loads(done.stdout)
        return document

    def own(self) -> tuple[str, ...]:
        return (sys.executable, "server.py")


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    folder = tmp_path / "repository"
    folder.mkdir()
    made = Project(folder)
    yield made
    if made.client is not None:
        made.client.__exit__(None, None, None)


def test_a_named_configuration_starts_the_server_and_is_evidence_before_the_first_call(project: Project) -> None:
    project.declares()
    client = project.starts("--config", "repository/witnessmark.toml", "--server", "files", "--task", "report", cwd=project.folder.parent)
    project.session(client)
    assert project.call(client, key="k-1") == "green repository", "its environment and its folder are those of the configuration"
    assert client.finish() == 0
    facts = [event.fact for event in project.events()]
    places = [next(i for i, fact in enumerate(facts) if isinstance(fact, kind)) for kind in (RunOpened, EffectDeclared, OutcomeDeclared)]
    call = next(fact for fact in facts if isinstance(fact, CallStarted))
    assert max(places) < facts.index(call)
    opened, tool, outcome = (facts[place] for place in places)
    assert isinstance(opened, RunOpened)
    assert isinstance(tool, EffectDeclared)
    assert isinstance(outcome, OutcomeDeclared)
    assert (opened.task, opened.declaration[:7]) == ("report", "sha256:")
    assert (tool.effect, tool.has_key, tool.inactivity_s, tool.absolute_s) == ("write", True, 90.0, 300.0)
    assert (outcome.outcome, outcome.verifier) == ("report", "file")
    assert call.key, "the operation key was hashed at the call"
    assert b"k-1" not in project.store.read_bytes()


def test_an_outcome_that_was_declared_by_the_configuration_is_in_time(project: Project) -> None:
    project.declares()
    client = project.starts(*WORD, "--server", "files", "--task", "report")
    project.session(client)
    project.call(client, key="k-1")
    assert client.finish() == 0
    answer = '{"outcome": "report", "status": "passed"}'
    runner = CliRunner(env={"WITNESSMARK_STORE": str(project.store)})
    assert runner.invoke(cli, ["receipt", "outcome", "--run", "r"], input=answer).exit_code == 0
    assert project.judged()["layers"]["outcome"]["conditions"][0]["reason"] == "OutcomeVerified"


@pytest.mark.parametrize(
    "words,state,has_key",
    [
        ((), "effect_unknown", False),
        (WORD, "tool_failed", True),
    ],
    ids=["found", "named"],
)
def test_a_hostile_repository_cannot_declare_its_tools_read_only(
    project: Project, words: tuple[str, ...], state: str, has_key: bool
) -> None:
    project.declares('effect = "read"')
    client = project.starts(*words, "--server", "files", command=project.own())
    project.session(client)
    project.call(client, key="k", die=True)
    client.finish()
    assert project.judged()["state"] == state
    declared = next(event.fact for event in project.events() if isinstance(event.fact, EffectDeclared))
    assert (declared.effect == "read", declared.has_key) == (bool(words), has_key)
    assert declared.absolute_s == 300.0, "a shorter clock is stricter, whoever says it"
    assert declared.inactivity_s == (90.0 if words else None), "a longer one is not"
    left_out = b"loosens nothing: left out of files/write: effect, operation_key, inactivity (name it with --config)"
    assert (left_out in client.err) is not bool(words)


def test_a_found_configuration_starts_no_command_of_its_own(project: Project) -> None:
    canary = project.folder / "canary"
    project.declares(text=f'[servers.files]\ncommand = ["touch", "{canary}"]\n')
    client = project.starts(command=project.own())
    project.session(client)
    assert client.finish() == 0
    assert not canary.exists()


def test_a_found_configuration_that_is_wrong_is_said_and_left_alone(project: Project) -> None:
    project.declares(text='[tools."files/write"]\neffect = "reads"\n')
    client = project.starts("--server", "files", command=project.own())
    project.session(client)
    assert project.call(client, key="k") == "none repository"
    assert client.finish() == 0
    assert b"witnessmark.toml was found here and is not used: witnessmark.toml:2: tools.files/write.effect" in client.err
    assert not any(isinstance(event.fact, EffectDeclared) for event in project.events())


@pytest.mark.parametrize(
    "words,command,text,said",
    [
        (WORD, True, '[tools."files/write"]\neffect = "reads"\n', b"witnessmark.toml:2: tools.files/write.effect: is none of its words"),
        (("--config", "other.toml"), True, "", b"other.toml: there is no such file"),
        (("--server", "flies"), False, DECLARED, b"no server 'flies'"),
        (WORD, False, DECLARED, b"name the server: -- COMMAND ARG..., --server NAME of the configuration, or --listen"),
        (("--server", "files", "--task", "report"), True, DECLARED, b"a task is taken from a configuration that you name"),
        ((*WORD, "--server", "files", "--task", "other"), True, DECLARED, b"no task 'other'"),
        (("--server", "far"), False, '[servers.far]\nurl = "https://h/mcp"\n', b"is reached by a URL"),
        (("--server", "files"), False, DECLARED.replace("PAINT", "UNSET_HERE"), b"UNSET_HERE, which is not set"),
    ],
)
def test_what_the_user_named_must_be_right_before_anything_starts(
    project: Project, words: tuple[str, ...], command: bool, text: str, said: bytes
) -> None:
    project.declares(text=text)
    client = project.starts(*words, command=project.own() if command else ())
    assert client.finish() == 2
    assert said in client.err
    assert b"Traceback" not in client.err
    assert not (project.folder / "started").exists()
    assert not project.store.exists()


def test_inside_a_run_the_configuration_declares_nothing(project: Project) -> None:
    project.declares('effect = "read"')
    client = project.starts(*WORD, "--server", "files", WITNESSMARK_RUN="r")
    project.session(client)
    project.call(client, key="k", die=True)
    client.finish()
    assert not any(isinstance(event.fact, EffectDeclared | RunOpened) for event in project.events())
    assert project.judged()["state"] == "effect_unknown"
    assert b"inside a run" in client.err


@pytest.mark.parametrize(
    "requires,state",
    [
        ('requires = ["protocol>=2026-07-28"]', "incompatible_session"),
        ('requires = ["protocol>=2099-01-01"]', "incompatible_session"),
        ('requires = ["tools.listChanged"]', "incompatible_session"),
        ('requires = ["protocol>=2025-06-18", "protocol<=2025-11-25", "tools"]', "unproven"),
    ],
)
def test_what_a_task_requires_and_the_session_did_not_negotiate_is_incompatible(project: Project, requires: str, state: str) -> None:
    project.declares(requires=requires)
    client = project.starts(*WORD, "--server", "files", "--task", "report")
    project.session(client)
    project.call(client, key="k")
    assert client.finish() == 0
    assert project.judged()["state"] == state


def test_tools_of_other_servers_are_not_declared_here(project: Project) -> None:
    project.declares()
    client = project.starts(*WORD, "--server", "elsewhere", command=project.own())
    project.session(client)
    assert client.finish() == 0
    assert not any(isinstance(event.fact, EffectDeclared) for event in project.events())
