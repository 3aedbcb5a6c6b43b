"""SGLang's log (``srt/utils/numa_utils.py``, ``common.py``): CPU slices, NUMA binding in the process and through numactl."""

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

_RUNNING = r"Process (\d{1,9}) gpu_id (\d{1,4}) is running on CPUs: (\[[\d, ]*\])?"
_BOUND = r"Bound to NUMA node (\d{1,4}) for GPU (\d{1,4})"
_WRAPPED = r"exec numactl ([^\n]{0,400}?) [^\n]{0,400}?logical_gpu_id=(\d{1,4}), physical_gpu_id=(\d{1,4})"
_SKIPPED = r"NUMA node (\d{1,4}) has no CPU cores allowed by the current affinity [^\n]{0,2000}?skipping NUMA binding for GPU (\d{1,4})"
_NOT_PERMITTED = r"NUMA memory policy not permitted; binding CPUs only to NUMA node (\d{1,4})"
_OMP = r"init_threads_binding: numa_index=(\d{1,4}), world_size=\d{1,6}, local_omp_cpuid=([\d,-]+)"


def _running(said: Said) -> Iterator[Claim]:
    yield said.claim(BINDING, pid=number(said.match[1]), gpu=number(said.match[2]), cpus=cpus_in(said.match[3]))


def _bound(said: Said) -> Iterator[Claim]:
    yield said.claim(BINDING, gpu=number(said.match[2]), mems=mems_in(said.match[1]))


def _wrapped(said: Said) -> Iterator[Claim]:
    options = dict(re.findall(r"--(physcpubind|membind|preferred|cpunodebind)=([\d,-]+)", said.match[0]))
    nodes = options.get("membind") or options.get("preferred")
    yield said.claim(BINDING, role="numactl", gpu=number(said.match[3]), cpus=cpus_in(options.get("physcpubind")), mems=mems_in(nodes))


def _skipped(said: Said) -> Iterator[Claim]:
    yield said.claim(REFUSED, gpu=number(said.match[2]), mems=mems_in(said.match[1]))


def _not_permitted(said: Said) -> Iterator[Claim]:
    yield said.claim(REFUSED, role="memory-policy", mems=mems_in(said.match[1]))


def _omp(said: Said) -> Iterator[Claim]:
    yield said.claim(BINDING, role="openmp", cpus=cpus_in(said.match[2]))


_READERS = (
    (_RUNNING, _running), (_BOUND, _bound), (_WRAPPED, _wrapped), (_SKIPPED, _skipped), (_NOT_PERMITTED, _not_permitted), (_OMP, _omp),
)  # fmt: skip


def parse(text: str) -> Claims:
    """Every such line."""
    return read_claims(text, "sglang", _READERS)


PARSER = Parser(
    parse,
    reads=("logs/*",),
    looks_like=log_lines(
        r"Process \d{1,9} gpu_id \d{1,4} is running on CPUs: ", _BOUND, r"exec numactl [^\n]*?physical_gpu_id=\d",
        r"NUMA node \d{1,4} has no CPU cores allowed by", _NOT_PERMITTED, r"init_threads_binding: numa_index=",
    ),
)  # fmt: skip
