"""What a user reads when the fault is ours, and where the traceback goes instead of the screen."""

from __future__ import annotations

import os
import platform
import traceback
from pathlib import Path

from witnessmark import __version__
from witnessmark.cli.main import EXIT_NOT_RUN, say_error

DEBUG = "WITNESSMARK_DEBUG"


def report_defect(error: BaseException) -> int:
    """Exit code 2, after naming the file that holds the traceback; with WITNESSMARK_DEBUG set it is printed instead.

    The file has mode 0600 and holds frames and types, but no exception's text: a text may quote what passed on the wire.
    """
    kind = type(error).__name__
    if os.environ.get(DEBUG):
        traceback.print_exception(error)
        say_error(
            f"defect of witnessmark {__version__} ({kind})",
            "the traceback above may quote what passed on the wire: read it before you send it",
        )
        return EXIT_NOT_RUN
    try:
        place = _write(error)
    except OSError:
        say_error(
            f"defect of witnessmark {__version__} ({kind}); its traceback could not be written", f"set {DEBUG}=1 to print it, and report it"
        )
        return EXIT_NOT_RUN
    say_error(f"defect of witnessmark {__version__} ({kind})", f"report it with the file {place}, which holds no value of yours")
    return EXIT_NOT_RUN


def traceback_without_texts(error: BaseException) -> str:
    """Types and frames of `error` and of what caused it, the texts of the exceptions left out."""
    lines = [f"witnessmark {__version__}, Python {platform.python_version()}, {platform.system()}\n"]
    seen: BaseException | None = error
    while seen is not None:
        lines.append(f"{type(seen).__module__}.{type(seen).__qualname__} (text left out: it may quote what passed)\n")
        lines += traceback.format_tb(seen.__traceback__)
        seen = seen.__cause__ or seen.__context__
    return "".join(lines)


def _write(error: BaseException) -> Path:
    from witnessmark.adapters.places import state_directory

    folder = state_directory() / "defects"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    # One file a process: defects do not pile up without bound while a wrapper restarts.
    path = folder / f"traceback-{os.getpid()}.txt"
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        file.write(traceback_without_texts(error))
    return path
