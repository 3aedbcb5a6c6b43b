"""``numaaudit --help`` beside a Python that does nothing."""

import sys
from collections.abc import Iterator

from measure import NUMAAUDIT, Row, Settings, alternate, ms, run


def measure(settings: Settings) -> Iterator[Row]:
    found = alternate(settings.rounds, ours=lambda: run((*NUMAAUDIT, "--help")), nothing=lambda: run((sys.executable, "-c", "pass")))
    ours, peer = found["ours"].cpu_s, found["nothing"].cpu_s
    yield Row("`--help`, CPU time", ms(ours), f"`python -c pass`: {ms(peer)}", ours / peer, "x", 8)
