"""Which launcher bound a rank, or should have: from the command line of the process that started it, and from Slurm's environment.

Only what leaves no choice counts: the starter is the rank's parent, its binding option is in the part of the command line that
is its own, and nothing in the rank's own environment or command line can bind it once more. Source: ``torch/distributed/run.py``,
``deepspeed/launcher/launch.py``, numactl(8), taskset(1), srun(1) (``SLURM_TASK_PID`` is the process that slurmstepd started).
"""

import re
import shlex
from collections.abc import Callable, Mapping
from itertools import takewhile
from typing import NamedTuple

from numaaudit.bundle.tree import Gap
from numaaudit.model.evidence import Evidence, cite_entry
from numaaudit.model.sections.processes import Process, Processes
from numaaudit.model.sections.ranks import Rank
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.proc_cmdline import ProcCmdline

_TORCHRUN = ("torchrun", "torch.distributed.run")
_DEEPSPEED = ("deepspeed.launcher.launch",)  # ``deepspeed`` itself starts this one, which starts the ranks
_FORKING = ("mpirun", "mpiexec", "mpiexec.hydra", "orterun", "prterun", "sudo", "timeout")  # others exec: nobody's parent
_MODES = ("node", "socket", "exclusive", "core-complex")

# Binders inside the rank: their result is not the starter's.
_BINDS_ITSELF = frozenset(
    """OMP_PROC_BIND OMP_PLACES GOMP_CPU_AFFINITY KMP_AFFINITY ACCELERATE_CPU_AFFINITY SET_CPU_AFFINITY NUMA_POLICY I_MPI_PIN
    I_MPI_PIN_DOMAIN I_MPI_PIN_PROCESSOR_LIST MV2_ENABLE_AFFINITY MV2_CPU_MAPPING MV2_CPU_BINDING_POLICY VLLM_CPU_OMP_THREADS_BIND
    SGLANG_SET_CPU_AFFINITY SGLANG_CPU_OMP_THREADS_BIND SGLANG_NUMA_BIND_V2 SGLANG_AUTO_NUMA_BIND TLLM_NUMA_AWARE_WORKER_AFFINITY
    TLLM_NUMA_BIND TLLM_EXECUTOR_LOOP_PIN NEMO_KUBEFLOW_NUMA_BINDING DEEPINFER_SO_BUILDER_CPUS""".split()
)
_OWN_OPTION = re.compile(r"--(?:numa|cpu|bind|affinity|enable-cpu-affinity|physcpubind|membind)")
_OPTION_OR_VALUE = re.compile(r"-|[+!]?[0-9]|all\Z|\[")
_NOT_ABSOLUTE = re.compile(r"(?:-[A-Za-z]|--[a-z-]{1,32}=)?(?:[+!].*|all|\[.*)", re.S)
_MPI_RANK = ("OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "MV2_COMM_WORLD_LOCAL_RANK")


class Recognised(NamedTuple):
    """A launcher by its name in the registry, with the options it had. ``called``: as people call it, ``numactl`` for a ``command``.

    ``num_ranks``: how many ranks of this host it counts, at least as many as have to be known for the prediction.
    ``starter``: its process, None for slurmstepd.
    """

    launcher: str
    called: str
    options: Mapping[str, str]
    local_rank: int
    num_ranks: int
    starter: Process | None
    evidence: Evidence


def recognise(rank: Rank, processes: Processes, cmdlines: tuple[Found[ProcCmdline], ...]) -> Recognised | None:
    """The one launcher whose binding the rank should have; None where there is none, or where two are possible."""
    if _binds_itself(rank.process):
        return None
    parent = processes.by_pid(rank.process.ppid) if rank.process.ppid is not None else None
    found = _by_parent(rank, parent, cmdlines) if parent else None
    under_slurm = _by_slurm(rank)
    return None if found and under_slurm else found or under_slurm


def _binds_itself(process: Process) -> bool:
    return not _BINDS_ITSELF.isdisjoint(process.variables) or any(_OWN_OPTION.match(_dashed(word)) for word in process.argv)


def _by_parent(rank: Rank, parent: Process, cmdlines: tuple[Found[ProcCmdline], ...]) -> Recognised | None:
    file = next((found.file for found in cmdlines if found.file.path == f"root/proc/{parent.pid}/cmdline"), None)
    for read in _READERS:
        found = read(rank, parent.argv)
        if found and file:
            return Recognised(*found, parent, Evidence(file, None, " ".join(parent.argv)))
    return None


_Read = tuple[str, str, dict[str, str], int, int]


def _torchrun(rank: Rank, argv: tuple[str, ...]) -> _Read | None:
    own = _own_words(argv, _TORCHRUN)
    mode = _value(own, "--numa-binding")
    local_rank, num_ranks = (_number(rank, name) for name in ("LOCAL_RANK", "LOCAL_WORLD_SIZE"))
    if mode not in _MODES or local_rank is None or num_ranks is None or local_rank >= num_ranks:
        return None
    return "torchrun", "torchrun", {"mode": mode}, local_rank, num_ranks


def _deepspeed(rank: Rank, argv: tuple[str, ...]) -> _Read | None:
    """It counts the devices that it then names in CUDA_VISIBLE_DEVICES, one for each of its ranks."""
    own = _own_words(argv, _DEEPSPEED)
    local_rank, devices = _number(rank, "LOCAL_RANK"), rank.process.variables.get("CUDA_VISIBLE_DEVICES", "")
    if "--bind-cores-to-rank" not in own or local_rank is None or not re.fullmatch(r"[0-9,]{1,4096}", devices):
        return None
    num_ranks, told, cores = len(devices.split(",")), _number(rank, "LOCAL_WORLD_SIZE"), _value(own, "--bind-core-list")
    if local_rank >= num_ranks or told not in (None, num_ranks) or ("--bind-core-list" in own and not cores):
        return None
    return "deepspeed", "DeepSpeed", {"bind-core-list": cores} if cores else {}, local_rank, num_ranks


def _wrapper(rank: Rank, argv: tuple[str, ...]) -> _Read | None:
    """One numactl or taskset behind a starter that forks; absolute CPUs only, for what the starter set first is not known."""
    places = [at for at, word in enumerate(argv) if _base(word) in ("numactl", "taskset")]
    if not argv or _base(argv[0]) not in _FORKING or len(places) != 1 or ":" in argv:
        return None
    tool, words = _base(argv[places[0]]), list(takewhile(_OPTION_OR_VALUE.match, argv[places[0] + 1 :]))
    if any(_NOT_ABSOLUTE.fullmatch(word) for word in words):
        return None
    local_rank = rank.local_rank or 0
    return "command", tool, {"line": shlex.join((tool, *words, "program"))}, local_rank, local_rank + 1


_READERS: tuple[Callable[[Rank, tuple[str, ...]], _Read | None], ...] = (_torchrun, _deepspeed, _wrapper)


def _by_slurm(rank: Rank) -> Recognised | None:
    """The masks that srun handed to slurmstepd, for the very process that this started."""
    environ, variables = rank.process.environ, rank.process.variables
    masks, local_rank = variables.get("SLURM_CPU_BIND_LIST", ""), _number(rank, "SLURM_LOCALID")
    if isinstance(environ, Gap) or local_rank is None or _number(rank, "SLURM_TASK_PID") not in (rank.process.pid, *rank.process.ns_pids):
        return None
    is_mask = variables.get("SLURM_CPU_BIND_TYPE", "").startswith("mask_cpu") and re.fullmatch(r"[0-9a-fA-Fx,]{1,65536}", masks)
    if not is_mask or any(name in variables for name in _MPI_RANK):
        return None
    num_ranks = max(local_rank + 1, masks.count(",") + 1)
    options, evidence = {"cpu-bind": f"mask_cpu:{masks}"}, cite_entry(environ.file, "SLURM_CPU_BIND_LIST")
    return Recognised("slurm", "srun", options, local_rank, num_ranks, None, evidence)


def _own_words(argv: tuple[str, ...], names: tuple[str, ...]) -> list[str]:
    """The launcher's own options, with dashes: what stands between its name and the script or module that it starts."""
    at = next((at for at, word in enumerate(argv[:8]) if _base(word) in names), None)
    if at is None or not all(word.startswith("-") or _base(word).startswith("python") for word in argv[:at]):
        return []
    own: list[str] = []
    for word in argv[at + 1 :]:
        if word.endswith(".py") or word in ("-m", "--module", "--no-python", "--no_python"):
            break
        own.append(_dashed(word))
    return own


def _dashed(word: str) -> str:
    """``--numa_binding=node`` as ``--numa-binding=node``."""
    name, equals, value = word.partition("=")
    return name.replace("_", "-") + equals + value if word.startswith("--") else word


def _value(words: list[str], option: str) -> str | None:
    """The last value of an option; None for none."""
    found = None
    for at, word in enumerate(words):
        name, equals, value = word.partition("=")
        if name == option:
            found = value if equals else next(iter(words[at + 1 :]), None)
    return found


def _number(rank: Rank, name: str) -> int | None:
    text = rank.process.variables.get(name, "")
    return int(text) if re.fullmatch(r"[0-9]{1,9}", text) else None


def _base(word: str) -> str:
    return word.rpartition("/")[2]
