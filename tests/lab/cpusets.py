"""Control groups with a cpuset, in the guest: of cgroup v2, and of v1 as hosts have it that mount both (cgroups(7)).

The kernel lends the controller to one of the two hierarchies at a time, so a host has all its cpusets in one version.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_CGROUPS = Path("/sys/fs/cgroup")
_V1 = _CGROUPS / "cpuset"


class Cpuset(NamedTuple):
    """A control group and what it is given."""

    name: str
    cpus: str
    mems: str
    version: int = 2


def enter(cpuset: Cpuset) -> Iterator[str]:
    """Make the group; a command that enters it and runs what follows."""
    folder = (_v1() if cpuset.version == 1 else _v2()) / cpuset.name
    folder.mkdir()
    (folder / "cpuset.cpus").write_text(cpuset.cpus)
    (folder / "cpuset.mems").write_text(cpuset.mems)
    yield from ("sh", "-c", f'echo $$ >{folder}/cgroup.procs && exec "$@"', "sh")


def _v2() -> Path:
    (_CGROUPS / "cgroup.subtree_control").write_text("+cpuset")
    return _CGROUPS


def _v1() -> Path:
    """The hybrid layout of systemd: a tmpfs with one mount for each hierarchy."""
    if not _V1.exists():
        _mount("tmpfs", "tmpfs", _CGROUPS)
        for kind, options, name in (("cgroup2", "rw", "unified"), ("cgroup", "cpuset", "cpuset")):
            (_CGROUPS / name).mkdir()
            _mount(kind, kind, _CGROUPS / name, "-o", options)
    return _V1


def _mount(kind: str, source: str, folder: Path, *options: str) -> None:
    subprocess.run(["mount", "-t", kind, *options, source, str(folder)], check=True)
