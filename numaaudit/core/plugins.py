"""Discovery: every module of a package holds one named constant; nothing is listed anywhere else."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Dict, Type, TypeVar

T = TypeVar("T")


def discover(package: str, constant: str, kind: Type[T]) -> Dict[str, T]:
    """Module name to constant, in order of name, for every public module below ``package``.

    TypeError where a module lacks the constant or holds another type in it: a unit that is silently left out is a bug.
    """
    found: Dict[str, T] = {}
    folder = importlib.import_module(package)
    for entry in sorted(pkgutil.iter_modules(folder.__path__), key=lambda module: module.name):
        if entry.name.startswith("_"):
            continue
        module = importlib.import_module("%s.%s" % (package, entry.name))
        unit = getattr(module, constant, None)
        if not isinstance(unit, kind):
            raise TypeError("%s has no %s of type %s" % (module.__name__, constant, kind.__name__))
        found[entry.name] = unit
    return found
