"""``srun --cpu-bind=verbose`` and ``--mem-bind=verbose`` (Slurm's task plugins): the mask each task was given.

``cpu-bind=MASK - node01, task  3  3 [4242]: mask 0xff000000 set``: global task, local task, PID. ``FAILED`` may follow.
"""

from collections.abc import Iterator

from numaaudit.parse.claim import (
    BINDING,
    REFUSED,
    Claim,
    Claims,
    Said,
    cpus_of_mask,
    log_lines,
    mems_in,
    number,
    read_claims,
)
from numaaudit.parse.parser import Parser

_BIND = (
    r"bind(?:-\w{1,20})?[= ]([A-Z]{2,8}) - [^\s,]{1,255}, task[ \t]+(\d{1,6})[ \t]+(\d{1,6}) \[(\d{1,9})\]: "
    r"mask (0x[0-9a-fA-F,]{1,8192}) ?(?:set)?( FAILED)?"
)


def _bind(said: Said) -> Iterator[Claim]:
    kind = REFUSED if said.match[6] else BINDING
    who = {"role": said.match[1].lower(), "rank": number(said.match[2]), "pid": number(said.match[4])}
    ids = cpus_of_mask(said.match[5])
    if said.prefix.endswith(("cpu-", "cpu_")):
        yield said.claim(kind, **who, cpus=ids)
    elif said.prefix.endswith(("mem-", "mem_")):
        yield said.claim(kind, **who, mems=mems_in(str(ids)) if ids is not None else None)


def parse(text: str) -> Claims:
    """Every such line; ``rank`` is the global task."""
    return read_claims(text, "slurm", ((_BIND, _bind),))


PARSER = Parser(
    parse, reads=("logs/*",), looks_like=log_lines(r"(?:cpu|mem)[-_]bind(?:-\w{1,20})?[= ][A-Z]{2,8} - [^\s,]{1,255}, task[ \t]")
)
