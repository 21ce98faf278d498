"""All rules, collected from the files of this folder: one file, one rule, and adding one touches nothing else.

Pure: no I/O, no clock (modules of this package are imported). Imported by what compares or explains, never by the proxy.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import witnessmark.rules
from witnessmark.errors import OurError
from witnessmark.rules._rule import Rule

# Modules of this folder that hold no rule.
_NOT_RULES: Final = frozenset(("catalogue", "comparing"))


def _collected() -> dict[str, Rule]:
    """Every rule by kind, in code point order of kinds; two rules of one kind are a defect of ours."""
    found: dict[str, Rule] = {}
    for module in pkgutil.iter_modules(witnessmark.rules.__path__):
        if module.name.startswith("_") or module.name in _NOT_RULES:
            continue
        rule = pkgutil.resolve_name(f"witnessmark.rules.{module.name}:RULE")
        if not isinstance(rule, Rule) or rule.kind.replace("-", "_").casefold() != module.name:
            raise OurError(f"rules/{module.name}.py does not hold the rule of its name")
        if rule.kind in found:
            raise OurError(f"two rules of one kind: {rule.kind}")
        found[rule.kind] = rule
    return {kind: found[kind] for kind in sorted(found)}


RULES: Final[Mapping[str, Rule]] = MappingProxyType(_collected())
"""Every rule by its kind."""
