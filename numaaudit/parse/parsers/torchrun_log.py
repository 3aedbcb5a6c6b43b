"""torchrun ``--numa-binding`` (``torch/numa/binding.py``): success is silent but for the launch dump; failures name the device."""

from collections.abc import Iterator

from numaaudit.parse.claim import (
    BINDING,
    REFUSED,
    Claim,
    Claims,
    Said,
    log_lines,
    number,
    read_claims,
)
from numaaudit.parse.parser import Parser

_MODE = r"affinity_mode=<AffinityMode\.\w{1,40}: '([\w-]{1,40})'>"
# the device index is the local rank; torch before 2.9 called it gpu_index
_FAILED = r"Failed to apply NUMA binding for input=\{'(?:device|gpu)_index': (\d{1,6})"


def _mode(said: Said) -> Iterator[Claim]:
    yield said.claim(BINDING, role=said.match[1])


def _failed(said: Said) -> Iterator[Claim]:
    yield said.claim(REFUSED, rank=number(said.match[1]))


def parse(text: str) -> Claims:
    """Every such line; the mode has no rank, it holds for all."""
    return read_claims(text, "torchrun", ((_MODE, _mode), (_FAILED, _failed)))


PARSER = Parser(
    parse, reads=("logs/*",), looks_like=log_lines(r"NumaOptions\(affinity_mode=<AffinityMode", r"Failed to apply NUMA binding for input=")
)
