"""How counters grew from one end of a window to the other."""

from collections.abc import Iterable, Iterator
from typing import Any, Generic, NamedTuple, TypeVar

from numaaudit.bundle.tree import Gap
from numaaudit.core.counters import difference
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.window import WindowSample

R = TypeVar("R")

# fields of our records whose name is not the kernel's
_KERNEL_NAMES = {"usage_us": ("usage_usec",), "throttled_us": ("throttled_usec", "throttled_time")}


class Ends(NamedTuple, Generic[R]):
    """One file as it was at both ends of the window."""

    first: Found[R]
    last: Found[R]


class Growth:
    """Growth of counters; those that went backwards in between are not known, and become ``gaps``."""

    def __init__(self, sample: WindowSample) -> None:
        self.sample = sample
        self.gaps: list[Gap] = []

    def ends(self, found: Iterable[Found[R]]) -> Iterator[tuple[str, Ends[R]]]:
        """(path below the host's root, its two readings) of the files that are there twice."""
        by_reading: dict[int, dict[str, Found[R]]] = {number: {} for number in self.sample.ends}
        for each in found:
            if each.reading in by_reading:
                by_reading[each.reading][each.file.path.partition("/root/")[2]] = each
        first, last = (by_reading[number] for number in self.sample.ends)
        yield from ((path, Ends(each, last[path])) for path, each in first.items() if path in last)

    def of(self, path: str, first: Any, last: Any) -> dict[str, int | None]:
        """Of each field of two records of counters."""
        pairs = zip(first._fields, first, last, strict=True)
        grown = {name: None if self._went_backwards(path, name) else difference(before, after) for name, before, after in pairs}
        self.lose(path, [name for name, growth in grown.items() if growth is None and getattr(first, name) is not None])
        return grown

    def difference(self, path: str, name: str, before: int | None, after: int | None) -> int | None:
        """Of one counter."""
        grown = None if self._went_backwards(path, name) else difference(before, after)
        self.lose(path, [name] if grown is None and before is not None else [])
        return grown

    def lose(self, path: str, names: list[str]) -> None:
        """Say that what these counted is not known."""
        if names:
            self.gaps.append(Gap("absent", f"root/{path}", f"went backwards inside the window: {', '.join(names)}"))

    def _went_backwards(self, path: str, name: str) -> bool:
        return not self.sample.backwards.get(path, frozenset()).isdisjoint(_KERNEL_NAMES.get(name, (name,)))
