"""The host: all sections of one input, and everything that is not known about it."""

from typing import Any, NamedTuple, TypeVar

from numaaudit.bundle.manifest import Manifest
from numaaudit.bundle.tree import Gap, Tree
from numaaudit.model.join import join_all
from numaaudit.model.pick import Conflict
from numaaudit.parse.runner import Records

S = TypeVar("S")


class Host(NamedTuple):
    """Sections by class; ``gaps`` and ``conflicts`` are those of the input, the parsers and every section together."""

    sections: dict[type, Any]
    records: Records
    gaps: tuple[Gap, ...]
    conflicts: tuple[Conflict, ...]

    def section(self, kind: type[S]) -> S:
        """The section of a class; KeyError if no joiner makes it."""
        made: S = self.sections[kind]
        return made


def build_host(tree: Tree, manifest: Manifest | None = None, gaps: tuple[Gap, ...] = ()) -> Host:
    """Read and join everything in a tree. ``gaps`` is what opening the input already could not have."""
    records = Records(tree)
    sections = join_all(tree, manifest, records)
    known = list(gaps) + (list(manifest.gaps().values()) if manifest else [])
    known += [gap for section in sections.values() for gap in getattr(section, "gaps", ())]
    known += records.gaps()
    conflicts = tuple(conflict for section in sections.values() for conflict in getattr(section, "conflicts", ()))
    return Host(sections, records, tuple(dict.fromkeys(known)), conflicts)
