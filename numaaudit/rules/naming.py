"""How a judgement of a process names it: as its rank where it is one, else by PID."""

from typing import Any, NamedTuple

from numaaudit.model.sections.processes import Process
from numaaudit.model.sections.ranks import Rank, Ranks


class Naming(NamedTuple):
    """A process as a subject and in sentences; ``rank`` None: it serves no GPU that is known."""

    process: Process
    rank: Rank | None

    @property
    def subject(self) -> str:
        return self.rank.subject if self.rank else f"pid:{self.process.pid}"

    @property
    def related(self) -> tuple[str, ...]:
        return self.rank.related if self.rank else ()

    @property
    def title(self) -> str:
        """How a sentence begins with it."""
        return self.rank.title if self.rank else f"Process {self.process.comm or self.process.pid}"

    @property
    def details(self) -> dict[str, Any]:
        """The facts and fields that every failure about a process has."""
        return {
            "canonical": self.rank.canonical if self.rank else f"process {self.process.comm} {' '.join(self.process.argv[:1])}".strip(),
            "who": self.title,
            "who_inside": self.title[0].lower() + self.title[1:],
            "rank": self.rank.number if self.rank else None,
            "pid": self.process.pid,
        }


def name_of(process: Process, ranks: Ranks) -> Naming:
    """The process with its rank."""
    return Naming(process, ranks.by_pid(process.pid))
