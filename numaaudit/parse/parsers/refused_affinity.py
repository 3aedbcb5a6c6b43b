"""Affinity calls that the kernel refused, with the CPUs that were asked for: strace(1), Python's OSError beside a list, runtimes.

``sched_setaffinity(0, 16, [110])         = -1 EINVAL (Invalid argument)``: older releases of strace print blanks between CPUs.
``rank 2: cpus 64-95: OSError: [Errno 22] Invalid argument``: a launcher's own line with what ``os.sched_setaffinity`` raised.

Runtimes that print a line for each thread or CPU give one claim for all of its kind: ONNX Runtime (``core/platform/posix/env.cc``:
``pthread_setaffinity_np failed for thread: 7, index: 83, mask: {84, }, error code: 22``) and LLVM's OpenMP
(``OMP: Warning #123: Ignoring invalid OS proc ID 5.``, newer with the variable's name).
"""

from collections.abc import Iterator

from numaaudit.parse.claim import REFUSED, Claim, Claims, Said, cpus_in, log_lines, number, read_claims
from numaaudit.parse.parser import Parser

_STRACE = r"sched_setaffinity\((\d{1,9}), \d{1,9}, \[([\d, ]{1,8192})\]\) {0,40}= -1 E(?:INVAL|PERM)"
_ONNX = r"pthread_setaffinity_np failed for thread: \d{1,9}, index: \d{1,6}, mask: \{([\d, ]{1,8192})\}, error code: 22\b"
_OPENMP = r"OMP: Warning #\d{1,4}: (?:\w{1,20}: )?[Ii]gnoring invalid OS proc ID (\d{1,6})\b"
_PYTHON = r"\bcpus? ([\d,-]{1,8192}):? (?:OSError: |)\[Errno (?:22|1)\]"


def _strace(said: Said) -> Iterator[Claim]:
    pid = number(said.match[1])
    yield said.claim(REFUSED, role="sched_setaffinity", pid=pid or None, cpus=cpus_in(said.match[2]))


def _python(said: Said) -> Iterator[Claim]:
    rank = said.prefix.strip().removesuffix(":").rpartition("rank ")[2]
    yield said.claim(
        REFUSED, role="sched_setaffinity", rank=said.rank if said.rank is not None else number(rank), cpus=cpus_in(said.match[1])
    )


def _of_thread(said: Said) -> Iterator[Claim]:
    yield said.claim(REFUSED, role="sched_setaffinity", cpus=cpus_in(said.match[1].strip(" ,")))


def parse(text: str) -> Claims:
    """Every such line; the PID 0 of a call, the caller itself, is not known."""
    calls = read_claims(text, "sched_setaffinity", ((_STRACE, _strace), (_PYTHON, _python))).claims
    runtimes = (("onnxruntime", _ONNX), ("OpenMP", _OPENMP))
    together = [claim for name, pattern in runtimes for claim in _together(read_claims(text, name, ((pattern, _of_thread),)).claims)]
    return Claims(tuple(sorted((*calls, *together), key=lambda claim: claim.line)))


def _together(claims: tuple[Claim, ...]) -> Iterator[Claim]:
    """One claim of all their CPUs for each process and rank, at the first line."""
    first: dict[tuple[int | None, int | None], Claim] = {}
    for claim in claims:
        before = first.setdefault((claim.pid, claim.rank), claim)
        if claim.cpus and before.cpus:
            first[claim.pid, claim.rank] = before._replace(cpus=before.cpus | claim.cpus)
    yield from first.values()


PARSER = Parser(
    parse,
    reads=("logs/*",),
    looks_like=log_lines(
        r"sched_setaffinity\(\d{1,9}, \d{1,9}, \[[\d, ]{1,8192}\]\) {0,40}= -1 E",
        r"\bcpus? [\d,-]{1,8192}:? (?:OSError: |)\[Errno ",
        r"pthread_setaffinity_np failed for thread: \d",
        r"OMP: Warning #\d{1,4}: (?:\w{1,20}: )?[Ii]gnoring invalid OS proc ID \d",
    ),
)
