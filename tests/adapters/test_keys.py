"""The key file: made once, for its owner only, rotated without losing what older keys hashed."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from witnessmark.adapters.keys import HashKey, KeyFile, keys_path
from witnessmark.errors import InputError, StoreError, UsageError

NOW_US = 1_790_000_000_000_000


@pytest.fixture
def keys(tmp_path: Path) -> KeyFile:
    return KeyFile(keys_path(tmp_path / "state" / "evidence.sqlite"))


def test_the_keys_lie_beside_their_store(tmp_path: Path) -> None:
    assert keys_path(tmp_path / "evidence.sqlite") == tmp_path / "evidence.sqlite.keys.json"


def test_the_first_use_makes_a_key_of_256_bits_for_the_owner_only(keys: KeyFile) -> None:
    assert keys.keys() == []
    key = keys.active(NOW_US)
    assert (len(key.secret), key.created_us) == (32, NOW_US)
    assert stat.S_IMODE(keys.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(keys.path.parent.stat().st_mode) == 0o700
    assert keys.active(NOW_US + 1) == key
    assert [entry.name for entry in keys.path.parent.iterdir()] == [keys.path.name]


def test_two_stores_have_different_keys(tmp_path: Path) -> None:
    one, other = (KeyFile(tmp_path / name).active(NOW_US) for name in ("one", "other"))
    assert one.secret != other.secret
    assert one.id != other.id


def test_rotation_hashes_with_a_new_key_and_keeps_the_old_ones(keys: KeyFile) -> None:
    first = keys.active(NOW_US)
    second = keys.rotate(NOW_US + 1)
    assert keys.active(NOW_US + 2) == second
    assert keys.keys() == [first, second]
    assert first.id != second.id


def test_rotation_of_a_key_file_that_is_not_there_makes_the_first_key(keys: KeyFile) -> None:
    assert keys.rotate(NOW_US) == keys.active(NOW_US)


def test_an_old_key_can_be_forgotten_but_not_the_active_one_nor_an_unknown_one(keys: KeyFile) -> None:
    first, second = keys.active(NOW_US), keys.rotate(NOW_US)
    with pytest.raises(UsageError, match="is the active one"):
        keys.forget(second.id)
    with pytest.raises(UsageError, match="no key 'k0'"):
        keys.forget("k0")
    keys.forget(first.id)
    assert keys.keys() == [second]


def test_a_key_shows_itself_without_its_secret(keys: KeyFile) -> None:
    key = keys.active(NOW_US)
    for text in (repr(key), str(key), f"{[key]}"):
        assert key.id in text
        assert "secret" not in text
        assert repr(key.secret)[2:-1] not in text


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o666], ids=oct)
@pytest.mark.skipif(os.name != "posix", reason="permission bits are a matter of POSIX")
def test_a_key_file_that_others_may_read_is_refused_with_the_fix(keys: KeyFile, mode: int) -> None:
    keys.active(NOW_US)
    keys.path.chmod(mode)
    with pytest.raises(InputError, match="other users") as caught:
        keys.active(NOW_US)
    assert f"chmod 600 '{keys.path}'" in caught.value.hint
    keys.path.chmod(0o600)
    keys.active(NOW_US)


def _file(*keys: HashKey, format: str = "keys/1") -> bytes:  # noqa: A002
    return msgspec.json.encode({"witnessmark": format, "keys": list(keys)})


_GOOD = HashKey("k1", NOW_US, bytes(32))


@pytest.mark.parametrize(
    "content, says",
    [
        pytest.param(b"", "damaged", id="empty"),
        pytest.param(b'{"witnessmark": "keys/1", "keys": [', "damaged", id="cut"),
        pytest.param(b"\xff\xfe", "damaged", id="no-text"),
        pytest.param(b'{"keys": []}', "damaged", id="no-format"),
        pytest.param(_file(), "no keys", id="no-keys"),
        pytest.param(_file(_GOOD, _GOOD), "two of one id", id="one-id-twice"),
        pytest.param(_file(HashKey("k1", NOW_US, bytes(8))), "another length", id="short-secret"),
        pytest.param(_file(_GOOD, format="keys/2"), "keys/2", id="later-format"),
        pytest.param(b" " * (1024 * 1024 + 1), "more than", id="too-long"),
    ],
)
def test_a_damaged_key_file_is_named_and_never_replaced(keys: KeyFile, content: bytes, says: str) -> None:
    keys.path.parent.mkdir()
    keys.path.write_bytes(content)
    keys.path.chmod(0o600)
    for use in (keys.active, keys.rotate):
        with pytest.raises(InputError, match=says) as caught:
            use(NOW_US)
        assert caught.value.where == str(keys.path)
        assert caught.value.hint
    assert keys.path.read_bytes() == content


def test_a_place_where_no_file_can_be_made_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError) as caught:
        KeyFile(tmp_path / "file" / "keys.json").active(NOW_US)
    assert caught.value.hint


def test_a_write_that_fails_leaves_the_old_keys(keys: KeyFile, monkeypatch: pytest.MonkeyPatch) -> None:
    first = keys.active(NOW_US)

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StoreError, match="No space left"):
        keys.rotate(NOW_US)
    assert keys.keys() == [first]
    assert [entry.name for entry in keys.path.parent.iterdir()] == [keys.path.name]


_MAKER = """
import sys
sys.path.insert(0, sys.argv[2])
from witnessmark.adapters.keys import KeyFile
print("ready", flush=True); sys.stdin.readline()
print(KeyFile(sys.argv[1]).active(1).id)
"""


def test_processes_that_start_together_use_one_key(keys: KeyFile) -> None:
    command = [sys.executable, "-c", _MAKER, str(keys.path), str(Path(__file__).parents[2] / "src")]
    makers = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    for maker in makers:
        assert maker.stdout is not None
        assert maker.stdout.readline() == "ready\n"
    answers = {maker.communicate("go\n")[0] for maker in makers}
    assert answers == {keys.keys()[0].id + "\n"}
