"""vllm-ascend's log (``vllm_ascend/cpu_binding.py``): the plan ``NPU0: main=[2 3 4]  acl=[38]  release=[[39]]`` and what came of it."""

import re
from collections.abc import Iterator

from numaaudit.parse.claim import (
    BINDING,
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

_PLAN = r"NPU(\d{1,4}): ((?:(?:main|acl|release)=\[[\[\]\d ,-]*\][ \t]*)+)"
_ROLE = r"(main|acl|release)=(\[[\[\]\d ,-]*\])"
_MIGRATED = r"\[migrate\] NPU:(\d{1,4}) -> NUMA (\[[\d ,]*\])"
_FAILED = r"Bind cpus failed in rank(\d{1,6})"
_SKIPPED = r"CPU binding skipped: "


def _plan(said: Said) -> Iterator[Claim]:
    for role, cpus in re.findall(_ROLE, said.match[2]):
        yield said.claim(BINDING, role=role, gpu=number(said.match[1]), cpus=cpus_in(cpus))


def _migrated(said: Said) -> Iterator[Claim]:
    yield said.claim(BINDING, role="migrate", gpu=number(said.match[1]), mems=mems_in(said.match[2]))


def _failed(said: Said) -> Iterator[Claim]:
    yield said.claim(REFUSED, rank=number(said.match[1]))


def _skipped(said: Said) -> Iterator[Claim]:
    yield said.claim(REFUSED, role="skipped")


def parse(text: str) -> Claims:
    """Every such line; ``gpu`` is the NPU's logical number."""
    return read_claims(text, "vllm-ascend", ((_PLAN, _plan), (_MIGRATED, _migrated), (_FAILED, _failed), (_SKIPPED, _skipped)))


PARSER = Parser(
    parse,
    reads=("logs/*",),
    looks_like=log_lines(
        r"NPU\d{1,4}: main=\[",
        r"\[cpu_bind_mode\] mode=",
        r"The CPU allocation plan is as follows",
        r"\[migrate\] NPU:\d",
        _FAILED,
        _SKIPPED,
    ),
)
