"""The differences of two hardware classes for people."""

from collections.abc import Iterable, Iterator

from numaaudit.core.visible import one_line
from numaaudit.model.hardware_class import Difference, Value, spoken, titled


def difference_lines(found: Iterable[Difference]) -> Iterator[str]:
    """``gpu:0000:1b:00.0 NUMA node: 0 → 1``."""
    for each in found:
        name = f"{each.name} {titled(each.aspect)}".rstrip()
        if each.kind == "unknown":
            yield one_line(f"{name}: not known on one side: {_told(each.expected, '?')} → {_told(each.found, '?')}")
        else:
            yield one_line(f"{name}: {_told(each.expected, 'not there')} → {_told(each.found, 'not there')}")


def _told(value: Value, nothing: str) -> str:
    return nothing if value is None else spoken(value)
