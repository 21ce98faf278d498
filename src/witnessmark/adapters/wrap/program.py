"""The words that start this program from anywhere: a client with a window does not know the user's PATH."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Final

from witnessmark.errors import UsageError

_NAMES: Final = ("witnessmark", "witnessmark.exe")
_PASSING: Final = ("/uv/archive-v", "/uv/builds-v", "/pipx/.cache/")
"""Folders of environments that a launcher makes for one run and clears away."""


def program_words() -> tuple[str, ...]:
    """The whole path of this program, or of its Python with `-m witnessmark`.

    UsageError in an environment that was made for one run: what would be written into a client's file would soon lead nowhere.
    """
    folder = Path(sys.executable).absolute().parent
    found = next((str(folder / name) for name in _NAMES if os.access(folder / name, os.X_OK)), None)
    called = Path(sys.argv[0])
    if found is None and called.name in _NAMES and called.is_file():
        found = str(called.absolute())
    if found is None:
        found = shutil.which(_NAMES[0])
    words = (os.path.abspath(found),) if found else (os.path.abspath(sys.executable), "-m", "witnessmark")
    if any(part in words[0].replace("\\", "/") for part in _PASSING):
        raise UsageError(
            "witnessmark runs from an environment that is cleared away", where=words[0], hint="install it: uv tool install witnessmark"
        )
    return words
