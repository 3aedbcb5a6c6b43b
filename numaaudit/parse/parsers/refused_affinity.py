"""Affinity calls that the kernel refused, with the CPUs that were asked for: strace(1), and Python's OSError beside a list.

``sched_setaffinity(0, 16, [110])         = -1 EINVAL (Invalid argument)``: older releases of strace print blanks between CPUs.
``rank 2: cpus 64-95: OSError: [Errno 22] Invalid argument``: a launcher's own line with what ``os.sched_setaffinity`` raised.
"""

from collections.abc import Iterator

from numaaudit.parse.claim import REFUSED, Claim, Claims, Said, cpus_in, log_lines, number, read_claims
from numaaudit.parse.parser import Parser

_STRACE = r"sched_setaffinity\((\d{1,9}), \d{1,9}, \[([\d, ]{1,8192})\]\) {0,40}= -1 E(?:INVAL|PERM)"
_PYTHON = r"\bcpus? ([\d,-]{1,8192}):? (?:OSError: |)\[Errno (?:22|1)\]"


def _strace(said: Said) -> Iterator[Claim]:
    pid = number(said.match[1])
    yield said.claim(REFUSED, role="sched_setaffinity", pid=pid or None, cpus=cpus_in(said.match[2]))


def _python(said: Said) -> Iterator[Claim]:
    rank = said.prefix.strip().removesuffix(":").rpartition("rank ")[2]
    yield said.claim(
        REFUSED, role="sched_setaffinity", rank=said.rank if said.rank is not None else number(rank), cpus=cpus_in(said.match[1])
    )


def parse(text: str) -> Claims:
    """Every such line; the PID 0 of a call, the caller itself, is not known."""
    return read_claims(text, "sched_setaffinity", ((_STRACE, _strace), (_PYTHON, _python)))


PARSER = Parser(
    parse,
    reads=("logs/*",),
    looks_like=log_lines(
        r"sched_setaffinity\(\d{1,9}, \d{1,9}, \[[\d, ]{1,8192}\]\) {0,40}= -1 E", r"\bcpus? [\d,-]{1,8192}:? (?:OSError: |)\[Errno "
    ),
)
