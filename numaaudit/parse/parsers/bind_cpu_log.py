"""DeepInfer's log: ``bind_cpu gpu_id: 3, cpus: [24, 25, 26].`` A failed NUMA step warns ``NUMA 绑定失败``.

The label says gpu_id although the launcher's parameter is the local rank; the CPUs are plain ids, cut from the host's core count.
"""

from collections.abc import Iterator

from numaaudit.parse.claim import (
    BINDING,
    REFUSED,
    Claim,
    Claims,
    Said,
    cpus_in,
    log_lines,
    number,
    read_claims,
)
from numaaudit.parse.parser import Parser

_BOUND = r"bind_cpu gpu_id: (\d{1,4}), cpus: (\[[\d, ]*\])?"
_FAILED = r"NUMA 绑定失败"


def _bound(said: Said) -> Iterator[Claim]:
    yield said.claim(BINDING, gpu=number(said.match[1]), cpus=cpus_in(said.match[2]))


def _failed(said: Said) -> Iterator[Claim]:
    yield said.claim(REFUSED, role="numa")


def parse(text: str) -> Claims:
    """Every such line; a list that the log cut off has no CPUs."""
    return read_claims(text, "deepinfer", ((_BOUND, _bound), (_FAILED, _failed)))


PARSER = Parser(parse, reads=("logs/*",), looks_like=log_lines(_BOUND, _FAILED))
