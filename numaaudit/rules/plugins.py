"""Rules of third parties: an entry point of the group ``numaaudit.rules`` names a package of rule files like ``rules/checks``.

Nothing is looked for unless somebody names it (``--plugin NAME``, or ``plugins:`` in the policy): what happens to be installed
changes no verdict, and start-up does not pay for it.
"""

import re

from numaaudit.core.errors import UsageError
from numaaudit.rules.engine import LoadedRule, load_package

GROUP = "numaaudit.rules"
_CODE = re.compile(r"(?!NA\d)[A-Z]{2,8}\d{3}")


def load_plugin(name: str) -> list[LoadedRule]:
    """Every rule of an installed plug-in; UsageError where there is none of the name, or it cannot be used."""
    from importlib.metadata import entry_points

    found = entry_points(group=GROUP)
    if name not in found.names:
        raise UsageError(f"no plug-in {name}", f"installed: {', '.join(sorted(found.names)) or 'none'}")
    try:
        rules = load_package(found[name].value)
    except (ImportError, AttributeError, SyntaxError, TypeError, ValueError) as error:
        raise UsageError(f"plug-in {name} cannot be loaded: {error}") from error
    wrong = [loaded.rule.code for loaded in rules if not _CODE.fullmatch(loaded.rule.code)]
    if wrong:
        raise UsageError(f"plug-in {name} has a rule with the code {wrong[0]}", "2 to 8 capitals other than NA, and three digits")
    return rules
