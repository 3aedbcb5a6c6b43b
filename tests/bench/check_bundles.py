"""``check`` of R40 and R300, a whole process, beside ``insights run`` with one rule on two files."""

import sys
from collections.abc import Iterator
from pathlib import Path

from measure import BUILD, ENVIRON, NUMAAUDIT, PROJECT, Row, Settings, alternate, ms, run

_BUDGETS = {"R40": 0.75, "R300": 1.2}
_VENV = BUILD / "insights"
_ARCHIVE = BUILD / "insights-input"


def measure(settings: Settings) -> Iterator[Row]:
    bundles = {name: BUILD / f"{name}.tar.gz" for name in _BUDGETS}
    make_bundles(list(bundles))
    _install_insights()
    environ = {**ENVIRON, "PYTHONPATH": str(Path(__file__).parent / "peers")}
    insights = (str(_VENV / "bin" / "insights"), "run", "-p", "one_rule", str(_ARCHIVE))
    found = alternate(
        settings.rounds,
        R40=lambda: run((*NUMAAUDIT, "check", str(bundles["R40"]))),
        R300=lambda: run((*NUMAAUDIT, "check", str(bundles["R300"]))),
        insights=lambda: run(insights, environ),
    )
    peer = found["insights"].cpu_s
    for name, budget in _BUDGETS.items():
        ours = found[name].cpu_s
        yield Row(f"`check {name}`, CPU time", ms(ours), f"`insights run`, one rule on two files: {ms(peer)}", ours / peer, "x", budget)


def make_bundles(names: list[str]) -> None:
    missing = [name for name in names if not (BUILD / f"{name}.tar.gz").exists()]
    if missing:
        run((sys.executable, str(PROJECT / "sample_bundles" / "generate.py"), "--into", str(BUILD), *missing))


def _install_insights() -> None:
    """insights-core in an environment of its own, and the smallest host archive it takes."""
    if not (_VENV / "bin" / "insights").exists():
        run((sys.executable, "-m", "venv", str(_VENV)))
        run((str(_VENV / "bin" / "pip"), "install", "--quiet", "insights-core>=3,<4"))
    for name, text in {"proc/meminfo": Path("/proc/meminfo").read_text(), "etc/fstab": "/dev/sda1 / ext4 defaults 0 1\n"}.items():
        path = _ARCHIVE / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (_ARCHIVE / "insights_commands").mkdir(exist_ok=True)
