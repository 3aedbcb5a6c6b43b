"""NCCL's INFO lines about affinity (NVIDIA/nccl ``graph/topo.cc``, ``init.cc``, ``proxy.cc``).

Up to 2.2x ``Setting affinity for GPU 3 to ff,00000000``, a mask; from 2.30 ``Affinity for GPU 3 is 24-31. (GPU affinity =
0-31,64-95 ; CPU affinity = 24-31).``, or ``is empty, ignoring``: the rank has no CPU on its GPU's NUMA node. The prefix is
``host:pid:tid [device]``.
"""

import re
from collections.abc import Iterator

from numaaudit.parse.claim import (
    BINDING,
    REFUSED,
    THREAD,
    Claim,
    Claims,
    Said,
    cpus_in,
    cpus_of_mask,
    log_lines,
    number,
    read_claims,
)
from numaaudit.parse.parser import Parser

_WHO = r":(\d{1,9}):(\d{1,9}) \[\d{1,4}\] NCCL "
_SET = r"Setting affinity for GPU (\d{1,4}) to ([0-9a-f,]+)"
_IS = (
    r"Affinity for GPU (\d{1,4}) is ([\d,-]*\d|empty, ignoring)\."
    r"(?: \(GPU affinity = ([\d,-]*)(?: ?; CPU affinity = ([\d,-]*))?\))?"
)
_PROXY = r"\[Proxy (?:Service|Progress)[^\]\n]{0,20}\] Device (\d{1,4}) CPU core (\d{1,5})"


def _set(said: Said) -> Iterator[Claim]:
    yield said.claim(BINDING, **_who(said), cpus=cpus_of_mask(said.match[2]))


def _is(said: Said) -> Iterator[Claim]:
    cpus, of_gpu, of_process = cpus_in(said.match[2]), said.match[3], said.match[4]
    if cpus is None:
        yield said.claim(REFUSED, **_who(said), cpus=cpus_in(of_gpu))
    else:
        yield said.claim(BINDING, **_who(said), cpus=cpus)
    if of_gpu is not None:
        yield said.claim(BINDING, **_who(said), role="gpu-affinity", cpus=cpus_in(of_gpu))
    if of_process is not None:
        yield said.claim(BINDING, **_who(said), role="process-affinity", cpus=cpus_in(of_process))


def _proxy(said: Said) -> Iterator[Claim]:
    yield said.claim(THREAD, **_who(said), role="proxy", cpus=cpus_in(said.match[2]))


def _who(said: Said) -> dict[str, int | None]:
    who = re.search(_WHO, said.prefix)
    return {"pid": number(who[1]) if who else said.pid, "tid": number(who[2]) if who else None, "gpu": number(said.match[1])}


def parse(text: str) -> Claims:
    """Every such line."""
    return read_claims(text, "nccl", ((_SET, _set), (_IS, _is), (_PROXY, _proxy)))


PARSER = Parser(
    parse,
    reads=("logs/*",),
    looks_like=log_lines(
        r"Setting affinity for GPU \d", r"Affinity for GPU \d{1,4} is ", r"\[Proxy (?:Service|Progress)[^\]\n]{0,20}\] Device \d"
    ),
)
