"""Which role of one piece of evidence is which of another: by rank, by GPU, by command; never by PID."""

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

from numaaudit.compare.snapshot import Role

Column: TypeAlias = "tuple[Role, ...] | None"


class Matched(NamedTuple):
    """One role in every column; None where it is not there, or where the column has no roles at all."""

    subject: str
    roles: tuple[Role | None, ...]


class Matching(NamedTuple):
    """``ambiguous``: subjects of which columns have different numbers, so that nobody can say which is which."""

    matched: tuple[Matched, ...]
    ambiguous: tuple[str, ...]


_KEYS: tuple[tuple[str, Callable[[Role], str | None]], ...] = (
    ("rank", lambda role: None if role.number is None else str(role.number)),
    ("gpu", lambda role: " ".join(role.gpus) or None),
    ("process", lambda role: role.command),
    ("process", lambda role: role.comm),
)


def match(columns: tuple[Column, ...]) -> Matching:
    """The roles of all columns, those that are in several of them first, each under the strongest name that is its own."""
    left = [list(column or ()) for column in columns]
    matched: list[Matched] = []
    for kind, key in _KEYS:
        found = list(_shared(kind, key, left))
        taken = {id(role) for each in found for role in each.roles}
        left = [[role for role in column if id(role) not in taken] for column in left]
        matched += found
    rest = list(_rest(left))
    return Matching(
        tuple(sorted([*matched, *(each for each in rest if isinstance(each, Matched))], key=lambda each: _order(each.subject))),
        tuple(sorted(each for each in rest if isinstance(each, str))),
    )


def _shared(kind: str, key: Callable[[Role], str | None], left: list[list[Role]]) -> Iterator[Matched]:
    """Roles whose key no other of their column has, and that are in two columns at least."""
    groups = [_grouped(column, key) for column in left]
    for name in sorted({name for group in groups for name in group}):
        found = [group.get(name, []) for group in groups]
        roles = tuple(each[0] if each else None for each in found)
        there = [role for role in roles if role]
        if len(there) > 1 and max(map(len, found)) == 1 and not _contradict(kind, there):
            yield Matched(_subject(kind, name, there[0]), roles)


def _grouped(column: list[Role], key: Callable[[Role], str | None]) -> dict[str, list[Role]]:
    groups: dict[str, list[Role]] = {}
    for role in column:
        name = key(role)
        if name is not None:
            groups.setdefault(name, []).append(role)
    return groups


def _contradict(kind: str, roles: list[Role]) -> bool:
    """Whether a stronger name tells them apart."""
    numbers, gpus = {role.number for role in roles} - {None}, {role.gpus for role in roles} - {()}
    return len(numbers) > 1 or (kind == "process" and len(gpus) > 1)


def _rest(left: list[list[Role]]) -> Iterator[Matched | str]:
    """Alike processes: as many in each column are taken in order of PID; those of one column only are new or gone."""
    by_name = [_grouped(column, own_name) for column in left]
    for name in sorted({name for column in by_name for name in column}):
        groups = [column.get(name, []) for column in by_name]
        sizes = {len(group) for group in groups}
        if len(sizes) == 1 or sum(1 for group in groups if group) == 1:
            for number in range(max(sizes)):
                roles = tuple(group[number] if number < len(group) else None for group in groups)
                yield Matched(name if max(sizes) == 1 else f"{name}#{number + 1}", roles)
        else:
            yield name


def own_name(role: Role) -> str:
    """What a role is called that has no counterpart."""
    kind, name = next(((kind, name) for kind, key in _KEYS if (name := key(role))), ("process", "?"))
    return _subject(kind, name, role)


def _subject(kind: str, name: str, role: Role) -> str:
    """Processes go by their short name: command lines are long."""
    return f"process:{role.comm or name}" if kind == "process" else f"{kind}:{name}"


def _order(subject: str) -> tuple[bool, int, str]:
    kind, _, name = subject.partition(":")
    is_number = kind == "rank" and name.isascii() and name.isdigit() and len(name) < 10
    return (not is_number, int(name) if is_number else 0, subject)
