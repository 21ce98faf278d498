"""Where files of ours lie that are not the store itself."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from witnessmark.adapters.store.location import VARIABLE, default_path


def state_directory(environment: Mapping[str, str] | None = None) -> Path:
    """The user's state directory for this program, which need not exist; a store that is named elsewhere does not move it."""
    known = dict(os.environ if environment is None else environment)
    known.pop(VARIABLE, None)
    return Path(default_path(known)).parent
