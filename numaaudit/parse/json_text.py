"""JSON from an untrusted text: one object, checked member by member."""

import json
import re
from typing import Any, TypeVar

from numaaudit.bundle.limits import LIMITS
from numaaudit.core.cpuset import MAX_NUMA_NODE_ID
from numaaudit.core.errors import ParseError

T = TypeVar("T")

_NUMA_NODE = re.compile(r"0|[1-9][0-9]{0,3}")


def read_object(text: str) -> dict[str, Any]:
    """The object a text begins with; what follows (a pasted shell prompt) is not looked at. ParseError for anything else."""
    if len(text) > LIMITS.document_bytes:
        raise ParseError(f"more than {LIMITS.document_bytes} characters of JSON")
    try:
        value, _ = json.JSONDecoder().raw_decode(text.lstrip())
    except RecursionError:
        raise ParseError("JSON is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise ParseError(f"no JSON: {error.msg}", error.lineno) from None
    except ValueError as error:
        raise ParseError(f"no JSON: {error}") from None
    return typed(value, dict, "the document")


def typed(value: object, kind: type[T], what: str) -> T:
    """The value, if it is of that JSON type; ParseError otherwise (``true`` is no number)."""
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise ParseError(f"{what} is not of type {kind.__name__}")
    return value


def optional(owner: dict[str, Any], key: str, kind: type[T]) -> T | None:
    """A member of that JSON type; None where it is missing or null."""
    value = owner.get(key)
    return None if value is None else typed(value, kind, key)


def required(owner: dict[str, Any], key: str, kind: type[T]) -> T:
    """A member of that JSON type; ParseError where it is missing or null."""
    return typed(owner.get(key), kind, key)


def by_numa_node(owner: dict[str, Any], key: str) -> dict[int, Any]:
    """A member whose own members are called by the number of a NUMA node, ascending; ParseError where one is called otherwise."""
    found = required(owner, key, dict)
    if not all(_NUMA_NODE.fullmatch(name) and int(name) <= MAX_NUMA_NODE_ID for name in found):
        raise ParseError(f"{key} does not go by NUMA node")
    return {number: found[str(number)] for number in sorted(map(int, found))}


def texts(values: list[Any], what: str) -> tuple[str, ...]:
    """A list of strings."""
    return tuple(typed(value, str, what) for value in values)
