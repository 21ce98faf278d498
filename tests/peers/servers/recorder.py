"""Stands on a pipe and writes down what passes: `recorder.py PREFIX COMMAND ARG...` makes PREFIX.client and PREFIX.server.

Two threads and no cleverness, so that it cannot share a fault with the proxy.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path


def copy(source: int, sink: int, path: Path) -> None:
    with path.open("wb", buffering=0) as file:
        while data := os.read(source, 65536):
            file.write(data)
            view = memoryview(data)
            try:
                while view:
                    view = view[os.write(sink, view) :]
            except OSError:
                break
    os.close(sink)


def main(prefix: str, *command: str) -> int:
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert server.stdin is not None
    assert server.stdout is not None
    upward = threading.Thread(target=copy, args=(0, os.dup(server.stdin.fileno()), Path(prefix + ".client")), daemon=True)
    downward = threading.Thread(target=copy, args=(server.stdout.fileno(), 1, Path(prefix + ".server")))
    server.stdin.close()
    upward.start()
    downward.start()
    code = server.wait()
    downward.join()
    return code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
