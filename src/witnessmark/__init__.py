"""Witnessmark: an AI agent's tool call came back green; is it true?

In a notebook:

    import witnessmark
    verdict = witnessmark.judge(witnessmark.read("run.jsonl"), as_of=60)
    print(verdict.state, verdict.next)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from witnessmark.adapters.reading import read
    from witnessmark.judges.judging import fold_until as fold
    from witnessmark.judges.judging import judge
    from witnessmark.model.policy import Policy
    from witnessmark.model.verdict import Verdict

__version__ = "0.2.0"
__all__ = ["Policy", "Verdict", "__version__", "fold", "judge", "read"]

_PUBLIC = {
    "Policy": ("witnessmark.model.policy", "Policy"),
    "Verdict": ("witnessmark.model.verdict", "Verdict"),
    "fold": ("witnessmark.judges.judging", "fold_until"),
    "judge": ("witnessmark.judges.judging", "judge"),
    "read": ("witnessmark.adapters.reading", "read"),
}


def __getattr__(name: str) -> object:
    """Load a public name on first use: the wrapper sits in front of every agent start and needs few of them."""
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    module, attribute = _PUBLIC[name]
    value = getattr(import_module(module), attribute)
    globals()[name] = value
    return value
