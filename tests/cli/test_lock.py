"""`witnessmark lock`: the first pin is whole, said to be trust on first use, and never overwrites what was reviewed."""

from __future__ import annotations

import errno
import json
import os
import stat
from pathlib import Path

import pytest

from cli.contract_bench import Bench
from contract_server import tool
from witnessmark.adapters.lock_file import read_lock, write_lock
from witnessmark.contract.lockfile import new_lock
from witnessmark.errors import InputError

SECRET = "ghp_" + "a1B2" * 9


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    bench = Bench(tmp_path)
    bench.serves(tool("search", query={"type": "string"}), tool("close"), instructions="Be kind.")
    return bench


def test_the_first_pin_says_what_it_is_and_holds_the_whole_contract(bench: Bench) -> None:
    done = bench.says("lock", *bench.dashes)
    assert (done.code, done.err) == (0, "")
    assert "trust on first use" in done.out
    assert "2 tools over 1 page" in done.out
    entry = bench.lock["servers"]["tickets"]["full"]
    assert sorted(entry["tools"]) == ["close", "search"]
    assert entry["instructions"] == "Be kind."
    assert entry["tools"]["search"]["contract"]["inputSchema"]["properties"] == {"query": {"type": "string"}}
    assert entry["tools"]["search"]["digest"].startswith("sha256:")
    assert entry["tools"]["search"]["approval"]["why"] == "first use"


def test_locking_again_writes_nothing(bench: Bench) -> None:
    bench.locked()
    before, number = bench.lockfile.read_bytes(), bench.lockfile.stat().st_ino
    done = bench.says("lock", *bench.dashes)
    assert done.code == 0
    assert "is unchanged" in done.out
    assert (bench.lockfile.read_bytes(), bench.lockfile.stat().st_ino) == (before, number)


def test_the_file_is_sorted_one_scalar_a_line_and_ends_in_a_newline(bench: Bench) -> None:
    bench.locked()
    text = bench.lockfile.read_text(encoding="utf-8")
    assert text == json.dumps(json.loads(text), indent=1, sort_keys=True) + "\n"


def test_what_was_reviewed_is_not_overwritten(bench: Bench) -> None:
    bench.locked()
    before = bench.lockfile.read_bytes()
    bench.serves(tool("search", "Deletes it.", query={"type": "string"}), tool("close"), instructions="Be kind.")
    done = bench.says("lock", *bench.dashes)
    assert done.code == 1
    assert "description-tool" in done.out
    assert "approve" in done.out
    assert bench.lockfile.read_bytes() == before
    assert bench.says("lock", "--replace", *bench.dashes).code == 0
    assert bench.lockfile.read_bytes() != before


@pytest.mark.parametrize("members", [{"fail_page": 1, "page_size": 1}, {"endless": True}], ids=["failing page", "endless"])
def test_an_incomplete_capture_is_never_locked(bench: Bench, members: dict[str, object]) -> None:
    bench.serves(tool("a"), tool("b"), **members)
    done = bench.says("lock", *bench.dashes)
    assert done.code == 3
    assert "incomplete" in done.out
    assert not bench.lockfile.exists()


def test_each_client_profile_has_its_own_lock(bench: Bench) -> None:
    bench.serves(tool("a"), tools_full=[tool("a"), tool("b")])
    bench.locked("--profile", "both")
    profiles = bench.lock["servers"]["tickets"]
    assert {profile: sorted(entry["tools"]) for profile, entry in profiles.items()} == {"bare": ["a"], "full": ["a", "b"]}


def test_a_secret_is_reported_and_not_written(bench: Bench) -> None:
    bench.serves(tool("search", f"Use {SECRET} to search."))
    done = bench.says("lock", *bench.dashes)
    assert done.code == 0
    assert "tool search: 1 x github-token" in done.out
    assert SECRET not in done.out + done.err + bench.lockfile.read_text(encoding="utf-8")


def test_a_secret_of_the_users_own_kind_is_one_too(bench: Bench) -> None:
    (bench.folder / "witnessmark.toml").write_text('redact = ["acct-[0-9]+"]\n', encoding="utf-8")
    bench.serves(tool("search", "Of acct-4711."))
    assert "own-0" in bench.says("lock", *bench.dashes).out
    assert "acct-4711" not in bench.lockfile.read_text(encoding="utf-8")  # digits alone can stand in a digest


def test_digests_alone_are_kept_where_asked(bench: Bench) -> None:
    bench.locked("--digest-only")
    entry = bench.lock["servers"]["tickets"]["full"]["tools"]["search"]
    assert "contract" not in entry
    assert bench.difference()["verdict"] == "same"
    bench.serves(tool("search", "Else.", query={"type": "string"}), tool("close"), instructions="Be kind.")
    (change,) = bench.difference()["changes"]
    assert (change["kind"], change["tool"], change["old_caller"]) == ("digest-changed", "search", "silent")


def test_a_command_that_is_none_is_an_error_and_leaves_the_lock(bench: Bench) -> None:
    bench.locked()
    before = bench.lockfile.read_bytes()
    done = bench.says("lock", "--", "no-such-program-here")
    assert done.code == 2
    assert "no-such-program-here" in done.err
    assert bench.lockfile.read_bytes() == before


def test_a_server_that_dies_is_told_with_its_last_words_and_exit_code(bench: Bench) -> None:
    done = bench.says("lock", "--", "sh", "-c", "echo no database >&2; exit 4")
    assert done.code == 3
    assert "exit code 4" in done.out
    assert "no database" in done.out
    assert not bench.lockfile.exists()


def test_the_file_keeps_its_mode_and_a_link_stays_one(bench: Bench) -> None:
    bench.locked()
    held = bench.folder / "held.lock"
    bench.lockfile.rename(held)
    held.chmod(0o640)
    bench.lockfile.symlink_to(held.name)
    bench.says("lock", "--server", "other", *bench.dashes[2:])
    assert bench.lockfile.is_symlink()
    assert stat.S_IMODE(held.stat().st_mode) == 0o640
    assert sorted(bench.lock["servers"]) == ["other", "tickets"]


def test_a_disk_without_room_leaves_the_lock_and_nothing_else(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.locked()
    before = bench.lockfile.read_bytes()

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "replace", full)
    done = bench.says("lock", "--server", "other", *bench.dashes[2:])
    assert done.code == 2
    assert "it is as it was" in done.err
    assert bench.lockfile.read_bytes() == before
    assert sorted(path.name for path in bench.folder.iterdir()) == ["catalog.json", "witnessmark.lock"]


def test_a_lockfile_that_somebody_changed_meanwhile_is_not_overwritten(bench: Bench) -> None:
    bench.locked()
    read = read_lock(str(bench.lockfile))
    assert read.lock is not None
    bench.lockfile.write_bytes(b"theirs")
    with pytest.raises(InputError, match="meanwhile"):
        write_lock(read, new_lock("0" * 32))
    assert bench.lockfile.read_bytes() == b"theirs"


def test_no_server_at_all_is_an_error_that_says_how_to_name_one(bench: Bench) -> None:
    done = bench.says("lock")
    assert done.code == 2
    assert "no server is named" in done.err


def test_the_same_as_json(bench: Bench) -> None:
    done = bench.says("lock", "--format", "json", *bench.dashes)
    document = json.loads(done.out)
    assert (document["witnessmark"], document["written"], document["exit"]) == ("locked/1", True, 0)
    assert [(one["server"], one["profile"], one["tools"]) for one in document["servers"]] == [("tickets", "full", 2)]
