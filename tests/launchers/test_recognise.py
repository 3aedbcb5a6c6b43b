"""Who bound a rank: the starter's command line and Slurm's environment, where they leave no choice."""

import pytest

from numaaudit.launchers.recognise import recognise
from numaaudit.model.sections.processes import Processes
from numaaudit.model.sections.ranks import Ranks
from numaaudit.parse.parsers.proc_cmdline import ProcCmdline

STATUS = "Name:\tlauncher\nTgid:\t90\nPid:\t90\nPPid:\t1\nNSpid:\t90\nThreads:\t1\nCpus_allowed_list:\t0-7\n"
BY_NUMA_NODE = ("torchrun", "--numa-binding", "node", "train.py")
SRUN = ("SLURM_LOCALID=1", "SLURM_TASK_PID=101", "SLURM_CPU_BIND_TYPE=mask_cpu:", "SLURM_CPU_BIND_LIST=0x33,0xcc")


@pytest.fixture
def seen(root, build):
    """What is recognised for rank 1, whose parent has this command line."""

    def run(*argv, variables=(), own=("python3", "train.py")):
        entries = root("2p-2n-2g")
        status, environ = entries["root/proc/101/status"], entries["root/proc/101/environ"]
        entries["root/proc/101/status"] = status.replace("PPid:\t1\n", "PPid:\t90\n")
        entries["root/proc/101/environ"] = environ + "".join(f"{each}\0" for each in variables)
        entries["root/proc/101/cmdline"] = "".join(f"{each}\0" for each in own)
        entries |= {"root/proc/90/status": STATUS, "root/proc/90/cmdline": "".join(f"{each}\0" for each in argv)}
        host = build(entries)
        rank = host.section(Ranks).by_pid(101)
        return recognise(rank, host.section(Processes), host.records.all(ProcCmdline))

    return run


@pytest.mark.parametrize(
    ("argv", "mode"),
    [
        (BY_NUMA_NODE, "node"),
        (("/usr/bin/python3", "/opt/venv/bin/torchrun", "--numa_binding=socket", "train.py"), "socket"),
        (("python3", "-m", "torch.distributed.run", "--numa-binding", "exclusive", "-m", "train"), "exclusive"),
    ],
)
def test_torchrun_by_its_option(seen, argv, mode):
    found = seen(*argv)

    assert (found.launcher, found.called, found.options) == ("torchrun", "torchrun", {"mode": mode})
    assert (found.local_rank, found.num_ranks, found.starter.pid) == (1, 2, 90)
    assert (found.evidence.path, found.evidence.text) == ("root/proc/90/cmdline", " ".join(argv))


@pytest.mark.parametrize(
    "argv",
    [
        ("torchrun", "train.py"),
        ("torchrun", "train.py", "--numa-binding", "node"),  # the script's own option
        ("torchrun", "--numa-binding", "[redacted]", "train.py"),
        ("bash", "run.sh", "torchrun", "--numa-binding", "node"),
        ("python3", "train.py"),
        ("python3", "-m", "deepspeed.launcher.launch", "train.py"),
    ],
)
def test_nobody_where_no_binding_is_asked_for_or_the_mode_is_not_known(seen, argv):
    assert seen(*argv) is None


def test_deepspeed_counts_the_devices_it_names(seen):
    argv = ("python3", "-u", "-m", "deepspeed.launcher.launch", "--bind_cores_to_rank", "--bind_core_list=0-3", "train.py")

    found = seen(*argv, variables=("CUDA_VISIBLE_DEVICES=0,1",))

    assert (found.launcher, found.options, found.num_ranks) == ("deepspeed", {"bind-core-list": "0-3"}, 2)
    assert seen(*argv) is None
    assert seen(*argv, variables=("CUDA_VISIBLE_DEVICES=0,1,2",)) is None


@pytest.mark.parametrize(
    ("argv", "called", "line"),
    [
        (("mpirun", "-n", "2", "numactl", "-N", "1", "python3", "[redacted]"), "numactl", "numactl -N 1 program"),
        (("sudo", "/usr/bin/taskset", "-c", "0-3", "python3"), "taskset", "taskset -c 0-3 program"),
        (("timeout", "60", "numactl", "--physcpubind=0-3", "app"), "numactl", "numactl --physcpubind=0-3 program"),
    ],
)
def test_a_wrapper_behind_a_starter_that_stays(seen, argv, called, line):
    found = seen(*argv)

    assert (found.launcher, found.called, found.options) == ("command", called, {"line": line})


@pytest.mark.parametrize(
    "argv",
    [
        ("mpirun", "numactl", "-N", "0", "a", ":", "b"),
        ("mpirun", "numactl", "-N", "0", "taskset", "-c", "0", "a"),
        ("mpirun", "numactl", "-C", "+0-3", "a"),
        ("mpirun", "numactl", "--physcpubind=all", "a"),
        ("mpirun", "numactl", "-N", "[redacted]", "a"),
        ("python3", "bench.py", "numactl", "-N", "0", "a"),
    ],
)
def test_no_wrapper_whose_cpus_or_ranks_are_not_certain(seen, argv):
    assert seen(*argv) is None


def test_srun_for_the_process_that_slurmstepd_started(seen):
    found = seen("bash", variables=SRUN)

    assert (found.launcher, found.called, found.starter) == ("slurm", "srun", None)
    assert (found.options, found.local_rank, found.num_ranks) == ({"cpu-bind": "mask_cpu:0x33,0xcc"}, 1, 2)
    assert found.evidence.text == "SLURM_CPU_BIND_LIST=0x33,0xcc"


@pytest.mark.parametrize(
    "changed", ["SLURM_TASK_PID=77", "SLURM_CPU_BIND_TYPE=none", "SLURM_CPU_BIND_LIST=", "OMPI_COMM_WORLD_LOCAL_RANK=1"]
)
def test_not_srun_for_its_descendants_or_without_masks(seen, changed):
    name = changed.partition("=")[0]

    assert seen("bash", variables=(*(each for each in SRUN if not each.startswith(f"{name}=")), changed)) is None


def test_nobody_where_two_are_possible(seen):
    assert seen(*BY_NUMA_NODE, variables=SRUN) is None
    assert seen(*BY_NUMA_NODE, variables=("OMP_PROC_BIND=close",)) is None
    assert seen(*BY_NUMA_NODE, own=("python3", "-m", "serve", "--numa-bind")) is None
