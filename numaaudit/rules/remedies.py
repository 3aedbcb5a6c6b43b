"""Command lines that several rules propose, as argument vectors; nobody runs them but the reader."""

from numaaudit.model.locality import Home
from numaaudit.model.sections.ranks import Rank


def bind_command(rank: Rank, home: Home) -> tuple[tuple[str, ...], ...]:
    """Start the rank bound to its home. Words of its command line that were redacted stay so; one that is not known is ``COMMAND``."""
    return (("numactl", f"--cpunodebind={home.numa_nodes}", f"--membind={home.numa_nodes}", *(rank.process.argv or ("COMMAND",))),)
