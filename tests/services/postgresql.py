"""A PostgreSQL server of the tests' own: a private cluster in a temporary folder, on a Unix socket, ended with the session."""

from __future__ import annotations

import contextlib
import glob
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

NAME = "verified"


def programs() -> Path | None:
    """The folder of initdb and pg_ctl: on PATH, or where Debian puts it; installed by apt where we are root; None where none is."""
    found = _programs()
    if found is None and os.geteuid() == 0 and shutil.which("apt-get"):
        for words in (("update",), ("install", "-y", "--no-install-recommends", "postgresql")):
            quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
            subprocess.run(["apt-get", "-q", *words], env=quiet, capture_output=True, check=False, timeout=300)
        found = _programs()
    return found


def _programs() -> Path | None:
    places = [*sorted(glob.glob("/usr/lib/postgresql/*/bin"), reverse=True), *os.environ.get("PATH", "").split(":")]
    return next((Path(place) for place in places if all(os.access(f"{place}/{name}", os.X_OK) for name in ("initdb", "pg_ctl"))), None)


@contextlib.contextmanager
def cluster(folder: Path, binaries: Path) -> Iterator[str]:
    """A running server; its SQLAlchemy URL. As root the server runs as the user `postgres`, else `nobody`: it refuses root."""
    data = folder / "data"
    user: dict[str, str | int] = {}
    if os.geteuid() == 0:
        name = next(one for one in ("postgres", "nobody") if _exists(one))
        user = {"user": name}
        os.chown(folder, pwd.getpwnam(name).pw_uid, -1)
        folder.chmod(0o711)

    def say(*words: str) -> None:
        log = folder / "said.txt"
        with log.open("ab") as said:
            done = subprocess.run(words, cwd=folder, stdout=said, stderr=said, check=False, **user)  # type: ignore[call-overload]
        assert done.returncode == 0, log.read_text()

    say(str(binaries / "initdb"), "-D", str(data), "-U", NAME, "--auth=trust", "--no-sync", "-E", "UTF8", "--no-locale")
    options = f"-c listen_addresses= -c unix_socket_directories={folder} -c fsync=off -c max_connections=20 -c shared_buffers=16MB"
    say(str(binaries / "pg_ctl"), "-D", str(data), "-w", "-l", str(folder / "log.txt"), "-o", options, "start")
    try:
        yield f"postgresql://{NAME}@/postgres?host={folder}"
    finally:
        say(str(binaries / "pg_ctl"), "-D", str(data), "-m", "immediate", "stop")


def _exists(name: str) -> bool:
    with contextlib.suppress(KeyError):
        return bool(pwd.getpwnam(name))
    return False


@pytest.fixture(scope="session")
def postgresql_cluster() -> Iterator[str | None]:
    binaries = programs()
    if binaries is None:
        yield None
        return
    # A short path: a Unix socket's name has 107 bytes.
    with tempfile.TemporaryDirectory(prefix="wm-pg-") as folder, cluster(Path(folder), binaries) as url:
        yield url


@pytest.fixture
def postgresql_url(postgresql_cluster: str | None, not_run: Callable[[str], None]) -> str:
    if postgresql_cluster is None:
        not_run("PostgreSQL (initdb and pg_ctl; Debian's package postgresql)")
    assert postgresql_cluster is not None
    return postgresql_cluster
