"""Files that ship with the package: templates and the demo bundle.

A wheel holds them as ``numaaudit/_templates`` and ``numaaudit/_samples`` (hatchling's force-include); a checkout and an
editable install have them beside the package, at the top level of the project.
"""

from __future__ import annotations

from pathlib import Path

import numaaudit

_PACKAGE = Path(numaaudit.__file__).parent


def _folder(packaged: str, checkout: str) -> Path:
    inside = _PACKAGE / packaged
    return inside if inside.is_dir() else _PACKAGE.parent / checkout


def template(name: str) -> str:
    """The text of one template; FileNotFoundError if there is none of that name."""
    return (_folder("_templates", "templates") / name).read_text(encoding="utf-8")


def sample(name: str) -> Path:
    """The path of one sample bundle; it may not exist."""
    return _folder("_samples", "sample_bundles") / name
