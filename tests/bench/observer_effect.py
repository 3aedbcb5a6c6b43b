"""How long a process that maps and unmaps memory is held up while ``collect`` reads it, or ``numastat -p`` does."""

import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from collect_processes import collect_once
from measure import BUILD, ENVIRON, NUMAAUDIT, Row, Settings, run
from target import Target

_ROUNDS = 20
_BUNDLE = BUILD / "collected.tar.gz"


def measure(settings: Settings) -> Iterator[Row]:
    gib = min(settings.observer_gib, _available_gib() / 3)
    with Target(1, 0, int(gib * 1024)) as target:
        command = (*NUMAAUDIT, "collect", "--pid", str(target.pid), "-o", str(_BUNDLE))
        seconds = collect_once(command, ENVIRON).wall_s
        attempts: dict[str, Callable[[], object]] = {
            "alone": lambda: time.sleep(seconds),
            "collect": lambda: collect_once(command, ENVIRON),
            "numastat": lambda: run(("numastat", "-p", str(target.pid))),
        }
        rounds = [
            {name: target.longest_mapping_ms(attempt) for name, attempt in attempts.items()}
            for _ in range(min(_ROUNDS, 3 * settings.rounds))
        ]
    alone, ours, peer = (statistics.median(each[name] for each in rounds) for name in attempts)
    yield Row(
        f"longest mmap of a process of {gib:.1f} GiB while it is collected, against alone", f"{ours:.2f} ms",
        f"alone: {alone:.2f} ms; `numastat -p`: {peer:.2f} ms", ours - alone, "ms", 1,
        f"medians over {len(rounds)} rounds" + ("" if gib >= 10 else "; the budget is for 10 GiB, which this run did not take"),
    )  # fmt: skip


def _available_gib() -> float:
    lines = Path("/proc/meminfo").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")) / 1048576
