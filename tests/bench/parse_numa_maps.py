"""Parsing numa_maps: our parser's CPU time beside ``numastat -p``, which reads the same maps from the kernel, and a loop of splits."""

import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from measure import Row, Settings, ms, run
from target import Target

from numaaudit.parse.parsers.numa_maps import parse

_SIZES = (1_000, 100_000)


def measure(settings: Settings) -> Iterator[Row]:
    # a process may not have more mappings than vm.max_map_count, 65,530 by default
    most = int(Path("/proc/sys/vm/max_map_count").read_text()) - 500
    for wanted in _SIZES:
        mappings = min(wanted, most)
        with Target(1, mappings) as target:
            text = Path(f"/proc/{target.pid}/numa_maps").read_text()
            rounds = [
                (_cpu_s(parse, text), _cpu_s(split_loop, text), run(("numastat", "-p", str(target.pid))).cpu_s)
                for _ in range(settings.rounds)
            ]
        ours, naive, peer = (statistics.median(column) for column in zip(*rounds, strict=True))
        note = "" if mappings == wanted else f"measured with {mappings:,} mappings: vm.max_map_count allows no more"
        what = f"numa_maps of {wanted:,} mappings, CPU time of the parser"
        yield Row(what, ms(ours), f"`numastat -p`: {ms(peer)}; split loop: {ms(naive)}", ours / peer, "x numastat", 1, note)


def _cpu_s(function: Callable[[str], Any], text: str) -> float:
    began = time.process_time()
    function(text)
    return time.process_time() - began


def split_loop(text: str) -> dict[tuple[str, int], int]:
    """What one writes first: bytes by policy and NUMA node."""
    sums: defaultdict[tuple[str, int], int] = defaultdict(int)
    for line in text.splitlines():
        fields = line.split()
        size = next((int(field[18:]) for field in fields if field.startswith("kernelpagesize_kB=")), 4)
        for field in fields:
            if field[0] == "N" and "=" in field:
                numa_node, pages = field[1:].split("=")
                sums[fields[1], int(numa_node)] += int(pages) * size * 1024
    return sums
