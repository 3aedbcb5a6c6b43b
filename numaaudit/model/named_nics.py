"""Which NICs a process's environment names: NCCL_IB_HCA, UCX_NET_DEVICES, NVSHMEM_HCA_LIST.

NCCL: a list of prefixes of RDMA device names with an optional ``:port``; ``=`` in front asks for exact names, ``^`` excludes
(NCCL documentation, environment variables). UCX: exact ``device:port`` or an interface (UCX FAQ). NVSHMEM: as NCCL with ``=``.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from numaaudit.model.nics import Nic

VARIABLES = ("NCCL_IB_HCA", "NVSHMEM_HCA_LIST", "UCX_NET_DEVICES")
_BY_PREFIX = ("NCCL_IB_HCA",)


class NamedNics(NamedTuple):
    """The NICs of this host that a variable names."""

    variable: str
    nics: tuple[Nic, ...]


def named_nics(environ: Mapping[str, str], nics: Iterable[Nic]) -> NamedNics | None:
    """By the first variable that names any; None for none, a list of exclusions, or names that no NIC here has."""
    known = tuple(nics)
    for variable in VARIABLES:
        value = environ.get(variable, "").strip()
        exact = value.startswith("=") or variable not in _BY_PREFIX
        words = [word.strip().partition(":")[0] for word in value.removeprefix("=").split(",")]
        found = tuple(nic for nic in known if any(_is_named(nic, word, exact) for word in words if word))
        if found and not value.startswith("^"):
            return NamedNics(variable, found)
    return None


def _is_named(nic: Nic, word: str, exact: bool) -> bool:
    names = [name for name in (nic.name, nic.netdev) if name]
    return word in names if exact else any(name.startswith(word) for name in names)
