"""``uname -a`` (coreutils): kernel name, host name, release, version, machine, and what distributions add after it."""

import re
from typing import NamedTuple

from numaaudit.core.errors import ParseError
from numaaudit.parse.parser import Command, Parser
from numaaudit.parse.text import lines_of

_MACHINE = r"x86_64|aarch64|ppc64le|ppc64|riscv64|s390x|i[3-6]86|armv\w+|loongarch64|sparc64|mips\w*"
_LINE = re.compile(rf"[ \t]*Linux[ \t]+(\S+)[ \t]+(\d+\.\d\S*)[ \t]+(#\S.*?)[ \t]+({_MACHINE})(?:[ \t].*)?")


class Uname(NamedTuple):
    """``version`` is the build (``#1 SMP ...``), ``kernel`` the release (``6.1.0-18-amd64``)."""

    hostname: str
    kernel: str
    version: str
    machine: str


def parse(text: str) -> Uname:
    """ParseError where no line is one of ``uname -a`` on Linux."""
    for line in lines_of(text):
        match = _LINE.fullmatch(line)
        if match:
            return Uname(match[1], match[2], match[3], match[4])
    raise ParseError("no line of uname -a", 1)


PARSER = Parser(
    parse,
    reads=(Command(("uname", "-a")),),
    looks_like=rf"^[ \t]*Linux[ \t]+\S+[ \t]+\d+\.\d\S*[ \t]+#[^\n]*[ \t](?:{_MACHINE})\b",
)
