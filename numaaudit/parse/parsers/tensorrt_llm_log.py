"""TensorRT-LLM's workers (``executor/base_worker.py``): an inherited mask is reported, and cleared unless a variable says otherwise."""

from collections.abc import Iterator

from numaaudit.parse.claim import (
    BINDING,
    Claim,
    Claims,
    Said,
    cpus_in,
    log_lines,
    number,
    read_claims,
)
from numaaudit.parse.parser import Parser

_AFFINED = r"Worker process (\d{1,9}) is affined to run on the following CPUs: (\[[\d, ]*\])?"
_CLEARED = r"Worker process (\d{1,9}) has constrained CPU affinity but [^\n]{0,80}?is not set\. Removing CPU affinity"


def _affined(said: Said) -> Iterator[Claim]:
    yield said.claim(BINDING, pid=number(said.match[1]), cpus=cpus_in(said.match[2]))


def _cleared(said: Said) -> Iterator[Claim]:
    yield said.claim(BINDING, role="cleared", pid=number(said.match[1]))


def parse(text: str) -> Claims:
    """Every such line."""
    return read_claims(text, "tensorrt-llm", ((_AFFINED, _affined), (_CLEARED, _cleared)))


PARSER = Parser(
    parse,
    reads=("logs/*",),
    looks_like=log_lines(r"Worker process \d{1,9} is affined to run on", r"Worker process \d{1,9} has constrained CPU affinity"),
)
