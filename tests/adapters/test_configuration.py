"""`witnessmark.toml` names servers and holds no value; whatever is wrong in it is said with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from witnessmark.adapters.configuration import read_configuration
from witnessmark.errors import InputError
from witnessmark.model.capture import Launch

GOOD = """
[servers.files]
command = ["python", "server.py"]
env = { API_TOKEN = "env:FILES_TOKEN" }

[servers.tickets]
url = "https://tickets.example/mcp?team=7"
headers = { Authorization = "Bearer env:TICKETS_TOKEN", X-Team = "env:TEAM" }

[tools."files/write"]
effect = "write"
"""


def written(tmp_path: Path, text: str) -> str:
    path = tmp_path / "witnessmark.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_servers_are_read_in_their_order(tmp_path: Path) -> None:
    found = read_configuration(written(tmp_path, GOOD))
    files, tickets = found.servers
    assert files.launch == Launch(command=("python", "server.py"), environment=(("API_TOKEN", "env:FILES_TOKEN"),))
    assert tickets.launch == Launch(
        url="https://tickets.example/mcp?team=7", headers=(("Authorization", "Bearer env:TICKETS_TOKEN"), ("X-Team", "env:TEAM"))
    )
    assert [(one.name, one.kind, one.directory, one.origin.trust) for one in found.servers] == [
        ("files", "stdio", str(tmp_path), "project"),
        ("tickets", "http", str(tmp_path), "project"),
    ]
    assert found.tables["tools"] == {"files/write": {"effect": "write"}}


def test_without_the_file_nothing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert read_configuration().servers == ()


def test_a_file_that_was_named_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_configuration(str(tmp_path / "other.toml"))


SECRET = "ghp_" + "a1B2" * 9


@pytest.mark.parametrize(
    "text,line,words",
    [
        ("[servers.a\n", 0, "is not TOML: line 1"),
        ('[servers.a]\ncommand = ["x"]\n[server.b]\n', 3, "server: is no table of this file"),
        ('[servers.a]\ncommand = ["x"]\nenvironment = {}\n', 3, "servers.a.environment: is no member of a server"),
        ('servers.a.command = ["x"]\nservers.a.cwd = "y"\n', 2, "servers.a.cwd: is no member of a server"),
        ('[servers]\na = { command = ["x"], shell = true }\n', 2, "servers.a.shell: is no member of a server"),
        ('[servers."a b"]\ncommand = ["x"]\n', 1, "servers.a b: is no name for a server"),
        ("servers = 3\n", 1, "servers: must be a table of servers"),
        ("[servers]\na = 3\n", 2, "servers.a: must be a table"),
        ("\n[servers.a]\n", 2, "servers.a: must have either command or url"),
        ('[servers.a]\ncommand = ["x"]\nurl = "https://h"\n', 1, "servers.a: must have either command or url"),
        ('[servers.a]\n\ncommand = "x y"\n', 3, "servers.a.command: must be a list of words"),
        ("[servers.a]\ncommand = []\n", 2, "must be a list of words"),
        ('[servers.a]\ncommand = ["x", 3]\n', 2, "must be a list of words"),
        ('[servers.a]\nurl = "ftp://h"\n', 2, "none of http or https"),
        ("[servers.a]\nurl = 3\n", 2, "servers.a.url: must be a text"),
        ('[servers.a]\nurl = "https://me:pw@h/"\n', 2, "holds credentials"),
        ('[servers.a]\nurl = "https://h/"\nenv = { A = "env:A" }\n', 3, "servers.a.env: belongs to a command"),
        ('[servers.a]\ncommand = ["x"]\nheaders = {}\n', 3, "servers.a.headers: belong to a url"),
        ('[servers.a]\ncommand = ["x"]\nenv = 3\n', 3, "servers.a.env: must be a table"),
        (
            f'[servers.a]\ncommand = ["x"]\n\n[servers.a.env]\nB = "env:B"\nTOKEN = "{SECRET}"\n',
            6,
            "servers.a.env.TOKEN: must be a reference",
        ),
        ('[servers.a]\ncommand = ["x"]\nenv = { LEVEL = "debug" }\n', 3, "servers.a.env.LEVEL: must be a reference"),
        ('[servers.a]\ncommand = ["x"]\nenv = { "A-B" = "env:A" }\n', 3, "is no name that this can have"),
        ('[servers.a]\nurl = "https://h"\nheaders = { "A:B" = "env:A" }\n', 3, "is no name that this can have"),
        ('[servers.a]\nurl = "https://h"\nheaders = { A = "two words env:A" }\n', 3, "servers.a.headers.A: must be a reference"),
        (f'[servers.a]\ncommand = ["x", "--key", "{SECRET}"]\n', 2, "servers.a.command: holds what looks like a secret"),
        ('[servers.a]\nurl = "https://h/mcp?token=0123456789abcdef"\n', 2, "servers.a.url: holds what looks like a secret"),
    ],
)
def test_what_is_wrong_is_named_with_its_line_and_no_value(tmp_path: Path, text: str, line: int, words: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(InputError) as raised:
        read_configuration(path)
    assert raised.value.where == (f"{path}:{line}" if line else path)
    assert words in raised.value.message
    assert raised.value.hint
    assert not [secret for secret in (SECRET, "0123456789abcdef", "pw@") if secret in str(raised.value)]


def test_bytes_that_are_no_text_are_an_error(tmp_path: Path) -> None:
    path = tmp_path / "witnessmark.toml"
    path.write_bytes(b"a = '\xff'")
    with pytest.raises(InputError, match="is not UTF-8"):
        read_configuration(str(path))
