"""The budgets, measured side by side in one run: ``python tests/bench/run.py [--rounds N] [--only NAME]``.

Prints a Markdown table; a run of everything also writes it to tests/bench/RESULTS.md. CPU times and medians of alternating
rounds are compared, as ratios, so that a busy or slow host changes little. Exits 1 where a budget is missed.
"""

import argparse
import os
import platform
import sys
from pathlib import Path

import check_bundles
import collect_processes
import memory
import observer_effect
import parse_numa_maps
import read_topology
import start_up
from measure import BUILD, Measurement, Row, Settings, table

RESULTS = Path(__file__).with_name("RESULTS.md")
MEASUREMENTS: dict[str, Measurement] = {
    "check": check_bundles.measure,
    "start-up": start_up.measure,
    "parse": parse_numa_maps.measure,
    "collect": collect_processes.measure,
    "topology": read_topology.measure,
    "observer": observer_effect.measure,
    "memory": memory.measure,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7, help="Default: 7.")
    parser.add_argument("--only", action="append", choices=MEASUREMENTS, help="May be repeated. Default: everything.")
    parser.add_argument("--observer-gib", type=float, default=10, metavar="GIB", help="Default: 10, or a third of the free memory.")
    arguments = parser.parse_args()
    BUILD.mkdir(parents=True, exist_ok=True)
    rows: list[Row] = []
    for name in arguments.only or MEASUREMENTS:
        print(f"measuring {name}", file=sys.stderr)
        rows += MEASUREMENTS[name](Settings(arguments.rounds, arguments.observer_gib))
    text = f"{_about(arguments.rounds)}\n\n{table(rows)}"
    print(text)
    if not arguments.only:
        RESULTS.write_text(f"# Budgets, measured by `make bench`\n\n{text}", encoding="utf-8")
    return int(not all(row.is_met for row in rows))


def _about(rounds: int) -> str:
    models = [line.partition(": ")[2] for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    load = os.getloadavg()[1]
    cpus = f"{len(os.sched_getaffinity(0))} CPUs ({models[0] if models else platform.machine()})"
    system = f"Linux {platform.release()}, Python {platform.python_version()}, {cpus}, load average {load:.1f}"
    return f"{system}; medians of {rounds} alternating rounds."


if __name__ == "__main__":
    sys.exit(main())
