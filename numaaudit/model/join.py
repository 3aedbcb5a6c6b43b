"""Run every joiner once, in the order their signatures need."""

import graphlib
import types
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple, get_args, get_origin, get_type_hints

from numaaudit.bundle.manifest import Manifest
from numaaudit.bundle.tree import Tree
from numaaudit.core.plugins import discover
from numaaudit.parse.parser import Found
from numaaudit.parse.runner import Records


class Joiner(NamedTuple):
    """A pure function from records and other sections to one section; its annotations say what it needs.

    ``Section`` another section, ``tuple[Found[R], ...]`` all records of a kind, ``Tree`` and ``Manifest | None`` the input.
    """

    join: Callable[..., Any]

    @property
    def section(self) -> type:
        """The class of the section it makes: the function's return annotation."""
        kind: type = get_type_hints(self.join)["return"]
        return kind


class Need(NamedTuple):
    """One parameter of a joiner or rule. ``shape``: section, optional, records or input."""

    shape: str
    kind: type


@cache
def needs_of(function: Callable[..., Any]) -> tuple[Need, ...]:
    """What a function asks for, in the order of its parameters. TypeError for an annotation that means nothing here."""
    hints = get_type_hints(function)
    return tuple(_need(hint) for name, hint in hints.items() if name != "return")


def _need(hint: Any) -> Need:
    if hint is Tree:
        return Need("input", Tree)
    if get_origin(hint) is types.UnionType:
        kind = next(arg for arg in get_args(hint) if arg is not type(None))
        return Need("input" if kind is Manifest else "optional", kind)
    if get_origin(hint) is tuple and get_origin(get_args(hint)[0]) is Found:
        return Need("records", get_args(get_args(hint)[0])[0])
    if isinstance(hint, type):
        return Need("section", hint)
    raise TypeError(f"cannot supply {hint!r}")


@cache
def joiners() -> tuple[Joiner, ...]:
    """All joiners, each after those whose sections it needs."""
    by_section = {joiner.section: joiner for joiner in discover("numaaudit.model.sections", "JOINER", Joiner).values()}
    order = graphlib.TopologicalSorter(
        {
            section: [need.kind for need in needs_of(joiner.join) if need.shape in ("section", "optional")]
            for section, joiner in by_section.items()
        }
    )
    return tuple(by_section[section] for section in order.static_order())


def join_all(tree: Tree, manifest: Manifest | None, records: Records) -> dict[type, Any]:
    """Every section by its class."""
    made: dict[type, Any] = {Tree: tree, Manifest: manifest}
    for joiner in joiners():
        made[joiner.section] = joiner.join(*(supply(need, made, records) for need in needs_of(joiner.join)))
    return {kind: section for kind, section in made.items() if kind not in (Tree, Manifest)}


def supply(need: Need, made: dict[type, Any], records: Records) -> Any:
    """The argument for one need; None for an optional section that nobody made."""
    if need.shape == "records":
        return records.all(need.kind)
    return made.get(need.kind) if need.shape == "optional" else made[need.kind]
