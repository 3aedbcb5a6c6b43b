"""Megatron-Bridge: the local rank divided by 4 as the NUMA node (Slurm), or the NUMA node of the GPU (Kubeflow).

Source: NVIDIA-NeMo/Megatron-Bridge @ 067f987. Slurm: ``numactl --cpunodebind --membind`` of SLURM_LOCALID divided by 4, or by 2 on Grace.
Kubeflow, NEMO_KUBEFLOW_NUMA_BINDING=1: sysfs ``numa_node`` of the GPU with nvidia-smi's number LOCAL_RANK; -1 ends the rank.
"""

from numaaudit.launchers.host_view import HostView
from numaaudit.launchers.job import Job, Option
from numaaudit.launchers.numactl_checks import by_numa_node
from numaaudit.launchers.prediction import Binding, Launcher, Prediction, for_each_rank, refused

LAUNCHER = Launcher(
    version="Megatron-Bridge 067f987",
    source="numactl wrapper of its Slurm and Kubeflow launchers",
    options=(
        Option("mode", "slurm", "which launcher", ("slurm", "kubeflow")),
        Option("gpus-per-numa-node", "4", "the divisor, 2 on gb200, gb300 and vr200"),
    ),
)


def predict(view: HostView, job: Job) -> Prediction:
    """numactl in front of the command."""
    if job.text("mode") == "kubeflow":
        return Prediction(for_each_rank(job, lambda rank: _kubeflow(view, rank)))
    divisor = max(job.number("gpus-per-numa-node", 4), 1)
    return Prediction(for_each_rank(job, lambda rank: by_numa_node(view, rank // divisor)))


def _kubeflow(view: HostView, rank: int) -> Binding:
    if rank >= len(view.gpus):
        return refused(f"nvidia-smi has no GPU {rank}")
    numa_node = view.sysfs_node_of(view.gpus[rank])
    return refused(f"numactl_local exits 1: invalid NUMA node {numa_node}") if numa_node < 0 else by_numa_node(view, numa_node)
