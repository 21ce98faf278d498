"""Which MCP clients have a configuration file on this machine, and which servers those files name. Read only: nothing is started.

Where each client keeps its file: client_files_places. Values of environments and headers are held and never shown.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from witnessmark.adapters.client_files_entries import entries
from witnessmark.adapters.client_files_places import Place, places
from witnessmark.adapters.client_files_text import Unreadable, read_document, without_comments
from witnessmark.adapters.server_entry import ServerEntry, Trust

__all__ = ["ClientFile", "Place", "ServerEntry", "client_files", "places", "without_comments"]


class ClientFile(NamedTuple):
    """A client's configuration file: its servers, or `problem` where it could not be read."""

    client: str
    path: Path
    servers: tuple[ServerEntry, ...]
    problem: str = ""
    trust: Trust = "user"


def client_files(
    home: Path | None = None, work: Path | None = None, environment: Mapping[str, str] | None = None, platform: str = sys.platform
) -> list[ClientFile]:
    """The configuration files that exist, in the order of the table. A file that cannot be read is in the list, with why."""
    try:
        user = home or Path.home()
        here = work or Path.cwd()
    except (RuntimeError, OSError):  # no home, or the working directory is gone
        return []
    files = []
    for place in places(user, here, os.environ if environment is None else environment, platform):
        try:
            if not place.path.is_file():
                continue
            servers = tuple(entries(read_document(place.path, place.shape), place, here))
            files.append(ClientFile(place.client, place.path, servers, "", place.trust))
        except (OSError, Unreadable) as error:
            problem = (error.strerror or type(error).__name__) if isinstance(error, OSError) else str(error)
            files.append(ClientFile(place.client, place.path, (), problem, place.trust))
    return files
