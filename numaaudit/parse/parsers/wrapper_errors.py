"""What numactl, libnuma and taskset print when they refuse: numbers outside the cpuset or of no memory, or a mask of nothing.

libnuma: ``libnuma: Warning: cpu argument 42-47,90-95 is out of range``, ``node argument 0 is out of range`` (also for a node
without memory). taskset: ``failed to set pid 4549's affinity: Invalid argument``. numactl 2.0.16, util-linux 2.38.
"""

import re
from collections.abc import Iterator

from numaaudit.parse.claim import (
    REFUSED,
    Claim,
    Claims,
    Said,
    cpus_in,
    log_lines,
    mems_in,
    number,
    read_claims,
)
from numaaudit.parse.parser import Parser

_ARGUMENT = r"libnuma: Warning: (cpu|node) argument (\S{1,4096}) is out of range"
_TASKSET = r"taskset: failed to set pid (\d{1,9})'s affinity: \w"
_REFUSED = r": (?:Invalid argument|Operation not permitted)"
_CALL = r"(?:sched_setaffinity|set_mempolicy|setting membind|mbind)"
_NAMES_CALL = _CALL + "$"


def _argument(said: Said) -> Iterator[Claim]:
    if said.match[1] == "cpu":
        yield said.claim(REFUSED, role="numactl", cpus=cpus_in(said.match[2]))
    else:
        yield said.claim(REFUSED, role="numactl", mems=mems_in(said.match[2]))


def _taskset(said: Said) -> Iterator[Claim]:
    yield said.claim(REFUSED, role="taskset", pid=number(said.match[1]))


def _syscall(said: Said) -> Iterator[Claim]:
    call = re.search(_NAMES_CALL, said.prefix)
    if call:
        yield said.claim(REFUSED, role=call[0].split()[-1])


def parse(text: str) -> Claims:
    """Every such line; an argument with ``!`` or ``+`` names no plain set and has none."""
    return read_claims(text, "numactl", ((_ARGUMENT, _argument), (_TASKSET, _taskset), (_REFUSED, _syscall)))


PARSER = Parser(
    parse,
    reads=("logs/*",),
    looks_like=log_lines(r"libnuma: Warning: (?:cpu|node) argument ", r"taskset: failed to set pid \d", _CALL + _REFUSED),
)
