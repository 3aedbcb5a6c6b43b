"""vLLM's log: GPU workers started with ``--numa-bind`` (``vllm/utils/numa_utils.py``) and the CPU backend (``cpu_worker.py``)."""

import re
from collections.abc import Iterator

from numaaudit.parse.claim import (
    BINDING,
    REFUSED,
    SHOWN,
    THREAD,
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

_WORKER = (
    r"Binding (worker|EngineCore) subprocess \(local_rank=(\d{1,6})(?:, gpu_index=(\d{1,4}))?\) to "
    r"(?:CPUs ([\d,-]+)(?: and )?)?(?:NUMA nodes? ([\d,-]+))?"
)
_OMP_RANK = r"local_rank=(\d{1,6}), core ids=(\[[\d, ]*\])?"
_OMP_LIST = r"auto thread-binding list: ([\d,-]+)"
_OMP_THREAD = r"OMP tid: (\d{1,9}), core (\d{1,5})"
_SHOWN = r" affinity: policy: [^\n]{0,80}?physcpubind: ([\d ]+)(?:,[^\n]{0,80}?membind: ([\d ]+))?"
_WORKER_NAME = r"Worker_(\d{1,6})$"
_REJECTED = r"numactl args '([^'\n]*)' rejected"
_SKIPPED = r"CPU affinity is already constrained for this process\. Skipping automatic NUMA binding"


def _worker(said: Said) -> Iterator[Claim]:
    role = "engine-core" if said.match[1] == "EngineCore" else None
    yield said.claim(
        BINDING, role=role, rank=number(said.match[2]), gpu=number(said.match[3]), cpus=cpus_in(said.match[4]), mems=mems_in(said.match[5])
    )


def _omp_rank(said: Said) -> Iterator[Claim]:
    yield said.claim(BINDING, rank=number(said.match[1]), cpus=cpus_in(said.match[2]))


def _omp_list(said: Said) -> Iterator[Claim]:
    yield said.claim(BINDING, cpus=cpus_in(said.match[1]))


def _omp_thread(said: Said) -> Iterator[Claim]:
    yield said.claim(THREAD, tid=number(said.match[1]), cpus=cpus_in(said.match[2]))


def _shown(said: Said) -> Iterator[Claim]:
    name = re.search(_WORKER_NAME, said.prefix)
    yield said.claim(SHOWN, rank=number(name[1]) if name else said.rank, cpus=cpus_in(said.match[1]), mems=mems_in(said.match[2]))


def _rejected(said: Said) -> Iterator[Claim]:
    nodes = re.search(r"--membind=([\d,-]+)", said.match[1])
    yield said.claim(REFUSED, role="numactl", mems=mems_in(nodes[1]) if nodes else None)


def _skipped(said: Said) -> Iterator[Claim]:
    yield said.claim(REFUSED, role="already-constrained")


_READERS = (
    (_WORKER, _worker), (_OMP_RANK, _omp_rank), (_OMP_LIST, _omp_list), (_OMP_THREAD, _omp_thread),
    (_SHOWN, _shown), (_REJECTED, _rejected), (_SKIPPED, _skipped),
)  # fmt: skip


def parse(text: str) -> Claims:
    """Every such line; ``rank`` is the local rank."""
    return read_claims(text, "vllm", _READERS)


PARSER = Parser(
    parse,
    reads=("logs/*",),
    looks_like=log_lines(
        r"Binding (?:worker|EngineCore) subprocess \(", r"local_rank=\d{1,6}, core ids=", r"auto thread-binding list: ",
        r"OMP tid: \d{1,9}, core \d", r"OMP threads binding of Process \d", r"Auto-detected NUMA nodes for GPUs: ",
        r"numactl args '[^'\n]*' rejected", _SKIPPED,
        r" affinity: policy: [^\n]{0,80}?physcpubind: \d",
    ),
)  # fmt: skip
