"""``numactl --show`` (numactl(8), numactl.c ``show()``): the policy and masks that numactl itself inherited from its caller.

It says nothing of another process. ``membind:`` lists the allowed nodes where no bind is set. With the policy ``local`` the
tool prints no newline after ``preferred node: ``, so that ``physcpubind:`` follows on the same line.
"""

import re
from typing import NamedTuple

from numaaudit.core.cpuset import CpuSet, NodeSet
from numaaudit.core.errors import ParseError
from numaaudit.parse.claim import SHOWN, Claim
from numaaudit.parse.parser import Command, Parser
from numaaudit.parse.text import lines_of

_KEYS = "policy|preferred node|physcpubind|cpubind|nodebind|membind|interleavemask|interleavenode|preferred|weightedinterleavemask"
_KEY = rf"(?:^|(?<=\s))({_KEYS}):"
_NUMBER = r"\d{1,4}"


class NumactlShow(NamedTuple):
    """``preferred_node`` is None for ``current`` and where there is none; sets are None where their line is missing."""

    policy: str
    preferred_node: int | None
    physcpubind: CpuSet | None
    cpubind: NodeSet | None
    nodebind: NodeSet | None
    membind: NodeSet | None
    line: int  # of ``policy:``

    @property
    def claim(self) -> Claim:
        """What the shell that ran numactl was allowed, as a claim."""
        nobody = (None, None, None, None)  # pid, tid, rank, gpu: the lines do not say
        return Claim("numactl", SHOWN, self.policy, *nobody, self.physcpubind, self.membind, self.line, f"policy: {self.policy}")


def parse(text: str) -> NumactlShow:
    """ParseError without a ``policy:`` line."""
    values: dict[str, str] = {}
    line = 0
    for number, text_line in enumerate(lines_of(text), 1):
        matches = list(re.finditer(_KEY, text_line)) if ":" in text_line else []
        if not matches:
            if values:
                break
            continue
        ends = [match.start() for match in matches[1:]] + [len(text_line)]
        for match, end in zip(matches, ends):
            values.setdefault(match[1], text_line[match.end() : end].strip())
        line = line or (number if values else 0)
    if not values.get("policy"):
        raise ParseError("no policy line", line or 1)
    preferred = re.match(_NUMBER, values.get("preferred node", ""))
    return NumactlShow(
        values["policy"],
        int(preferred[0]) if preferred else None,
        _cpus(values.get("physcpubind")),
        _nodes(values.get("cpubind")),
        _nodes(values.get("nodebind")),
        _nodes(values.get("membind")),
        line,
    )


def _cpus(value: str | None) -> CpuSet | None:
    try:
        return None if value is None else CpuSet.parse(",".join(value.split()))
    except ParseError:
        return None


def _nodes(value: str | None) -> NodeSet | None:
    try:
        return None if value is None else NodeSet.parse(",".join(value.split()))
    except ParseError:
        return None


PARSER = Parser(
    parse,
    reads=(Command(("numactl", "--show")), Command(("numactl", "-s"))),
    looks_like=r"^[ \t]*policy: \w[\w -]*\n[ \t]*preferred node:",
)
