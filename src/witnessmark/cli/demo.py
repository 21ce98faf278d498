"""`witnessmark demo`: a real client at work on real servers, judged; then the inconvenient cases."""

from __future__ import annotations

import os
import shlex
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from witnessmark.cli.options import format_option
from witnessmark.errors import UsageError, WorldError

if TYPE_CHECKING:
    from witnessmark.adapters.demo.scenes import Played

FORMAT: Final = "demo/1"
PEERS: Final = ("mcp", "mcp-server-git", "mcp-server-time")
"""What the extra `demo` brings."""


@click.command()
@click.option("--keep", metavar="DIR", help="Keep store, repository and servers' files in DIR, which is new or empty.")
@format_option
def demo(*, keep: str | None, form: str) -> int:
    """Watch a real client at work on real servers, then the inconvenient cases.

    Everything happens now, on this machine, without a network, in a temporary folder. It ends with a table: what a plain log
    says, what witnessmark says. The demo is a test of itself. Exit code: 0 if every verdict is the expected one, 1 if any is
    not, 2 if it could not run.
    """
    versions = _versions()
    started = time.monotonic()
    with _folder(keep) as folder:
        played = _play(folder, versions if form == "text" else None)
    elapsed_s = time.monotonic() - started
    if form == "json":
        from witnessmark.render.jsonout import dumps

        click.echo(dumps(_document(played, versions, elapsed_s)))
    else:
        _say_end(played, elapsed_s, keep)
    return 0 if all(scene.as_expected for scene in played) else 1


def _play(folder: Path, versions: dict[str, str] | None) -> list[Played]:
    """Every scene; with `versions` each is told as soon as it is over."""
    import asyncio

    from witnessmark.adapters.demo.scenes import play
    from witnessmark.adapters.demo.stage import Stage
    from witnessmark.adapters.demo.story import opening, told

    async def listen() -> list[Played]:
        played: list[Played] = []
        async for scene in play(stage):
            played.append(scene)
            if versions is not None:
                click.echo("\n".join(told(len(played), scene)))
        return played

    if versions is not None:
        click.echo("\n".join(opening(versions)))
    stage = Stage(folder)
    try:
        return asyncio.run(listen())
    finally:
        stage.close()


def _say_end(played: list[Played], elapsed_s: float, keep: str | None) -> None:
    from witnessmark.adapters.demo.story import ending, table

    click.echo("\n".join([*table(played), "", *ending(played, elapsed_s), ""]))
    if keep is None:
        click.echo("The evidence is gone with the temporary folder. Keep it: witnessmark demo --keep DIR")
        return
    from witnessmark.adapters.store.location import FILE_NAME

    store = shlex.quote(str(Path(keep).absolute() / FILE_NAME))
    click.echo("The evidence is kept. Look at it again:")
    click.echo(f"   witnessmark runs --store {store}")
    click.echo(f"   witnessmark show last --store {store}")
    for scene in played:
        click.echo(f"   witnessmark show {scene.run} --store {store}")


def _document(played: list[Played], versions: dict[str, str], elapsed_s: float) -> dict[str, Any]:
    from witnessmark.render.jsonout import verdict_document

    return {
        "witnessmark": FORMAT,
        "as_expected": all(scene.as_expected for scene in played),
        "seconds": round(elapsed_s, 3),
        "peers": versions,
        "scenarios": [
            {
                "name": scene.scene.name,
                "title": scene.scene.title,
                "explanation": scene.scene.explanation,
                "as_expected": scene.as_expected,
                "failure": scene.failure or None,
                "verdicts": [
                    {"expected": expected.state, "moment": expected.moment or None, "plain_log": one.plain_log,
                     "verdict": verdict_document(one.verdict, source=f"run {scene.run}")}
                    for expected, one in zip(scene.scene.expected, scene.judged, strict=False)
                ],
            }
            for scene in played
        ],
    }  # fmt: skip


def _versions() -> dict[str, str]:
    """The versions of the peers. WorldError where the demo cannot run here, with what to do."""
    from importlib import metadata

    if os.name != "posix":
        raise WorldError(
            "the demo needs the stdio proxy, which needs POSIX pipes", where="witnessmark demo", hint="run it on Linux or macOS"
        )
    found: dict[str, str] = {}
    for name in PEERS:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            hint = "pip install 'witnessmark[demo]', or `make demo` in a clone"
            raise WorldError(f"the package {name} is not installed here", where="witnessmark demo", hint=hint) from None
    if found["mcp"].split(".", 1)[0] != "2":
        hint = "make a new environment, then: pip install 'witnessmark[demo]'"
        raise WorldError(f"the demo needs mcp 2.x, and {found['mcp']} is installed", where="witnessmark demo", hint=hint)
    if shutil.which("git") is None:
        raise WorldError("git is not on PATH", where="witnessmark demo", hint="install git: the demo makes a commit and asks git about it")
    return found


@contextmanager
def _folder(keep: str | None) -> Iterator[Path]:
    """Where everything of the demo is written: a temporary folder that is removed, or the one to keep."""
    if keep is None:
        with tempfile.TemporaryDirectory(prefix="witnessmark-demo-", ignore_cleanup_errors=True) as name:
            yield Path(name)
        return
    folder = Path(keep).absolute()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        taken = any(folder.iterdir())
    except OSError as error:
        raise WorldError(
            f"the folder cannot be used ({error.strerror})", where=str(folder), hint="name one that you may write to"
        ) from error
    if taken:
        raise UsageError("the folder is not empty", where=str(folder), hint="name a new one: the demo overwrites nothing")
    yield folder
