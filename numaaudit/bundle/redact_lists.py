"""What redaction lets through, by exact name: environment variables, command-line options, kernel parameters, file kinds.

A name is here because a rule or a launcher needs it to say where a process was meant to run. No entry is a prefix.
"""

from __future__ import annotations

from typing import Dict, FrozenSet


def _words(text: str) -> FrozenSet[str]:
    return frozenset(text.split())


# Device lists, ranks, binding requests; see srun(1), the launchers' own sources and the vendors' runtime documentation.
ENVIRONMENT = _words("""
    CUDA_VISIBLE_DEVICES CUDA_DEVICE_ORDER CUDA_MPS_PIPE_DIRECTORY CUDA_MPS_ACTIVE_THREAD_PERCENTAGE NVIDIA_VISIBLE_DEVICES
    HIP_VISIBLE_DEVICES ROCR_VISIBLE_DEVICES GPU_DEVICE_ORDINAL ZE_AFFINITY_MASK ZE_FLAT_DEVICE_HIERARCHY ONEAPI_DEVICE_SELECTOR
    ASCEND_RT_VISIBLE_DEVICES ASCEND_VISIBLE_DEVICES HABANA_VISIBLE_DEVICES HABANA_VISIBLE_MODULES
    RANK LOCAL_RANK WORLD_SIZE LOCAL_WORLD_SIZE GROUP_RANK ROLE_RANK NODE_RANK NPROC_PER_NODE
    OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_LOCAL_RANK OMPI_COMM_WORLD_SIZE OMPI_COMM_WORLD_LOCAL_SIZE OMPI_COMM_WORLD_NODE_RANK
    OMPI_MCA_hwloc_base_binding_policy OMPI_MCA_rmaps_base_mapping_policy
    PRTE_MCA_hwloc_default_binding_policy PRTE_MCA_rmaps_default_mapping_policy
    PMIX_RANK PMI_RANK PMI_SIZE PMI_LOCAL_RANK PMI_LOCAL_SIZE MPI_LOCALRANKID MPI_LOCALNRANKS I_MPI_PIN I_MPI_PIN_DOMAIN
    I_MPI_PIN_PROCESSOR_LIST MV2_COMM_WORLD_RANK MV2_COMM_WORLD_LOCAL_RANK MV2_COMM_WORLD_SIZE MV2_COMM_WORLD_LOCAL_SIZE
    MV2_ENABLE_AFFINITY MV2_CPU_MAPPING MV2_CPU_BINDING_POLICY
    SLURM_LOCALID SLURM_PROCID SLURM_NODEID SLURM_GTIDS SLURM_TASK_PID SLURM_JOB_ID SLURM_JOBID SLURM_STEP_ID SLURM_STEPID
    SLURM_CPU_BIND SLURM_CPU_BIND_TYPE SLURM_CPU_BIND_LIST SLURM_CPU_BIND_VERBOSE SLURM_MEM_BIND SLURM_MEM_BIND_TYPE
    SLURM_MEM_BIND_LIST SLURM_MEM_BIND_PREFER SLURM_MEM_BIND_VERBOSE SLURM_GPU_BIND SLURM_DISTRIBUTION SLURM_HINT
    SLURM_CPUS_ON_NODE SLURM_CPUS_PER_TASK SLURM_CPUS_PER_GPU SLURM_JOB_CPUS_PER_NODE SLURM_NTASKS SLURM_NPROCS
    SLURM_NTASKS_PER_NODE SLURM_NTASKS_PER_SOCKET SLURM_NTASKS_PER_CORE SLURM_TASKS_PER_NODE SLURM_STEP_TASKS_PER_NODE
    SLURM_NNODES SLURM_JOB_NUM_NODES SLURM_JOB_GPUS SLURM_STEP_GPUS SLURM_GPUS_ON_NODE SLURM_GPUS_PER_NODE SLURM_GPUS_PER_TASK
    SLURM_THREADS_PER_CORE SLURM_CPU_FREQ_REQ
    FLUX_JOB_ID FLUX_JOB_SIZE FLUX_JOB_NNODES FLUX_TASK_RANK FLUX_TASK_LOCAL_ID
    PALS_RANKID PALS_NODEID PALS_LOCAL_RANKID PALS_LOCAL_SIZE PALS_DEPTH
    OMP_NUM_THREADS OMP_PLACES OMP_PROC_BIND OMP_DISPLAY_AFFINITY GOMP_CPU_AFFINITY KMP_AFFINITY KMP_HW_SUBSET KMP_BLOCKTIME
    MKL_NUM_THREADS OPENBLAS_NUM_THREADS NUMEXPR_NUM_THREADS
    NCCL_TOPO_FILE NCCL_TOPO_DUMP_FILE NCCL_GRAPH_FILE NCCL_IGNORE_CPU_AFFINITY NCCL_IB_HCA NCCL_IB_DISABLE NCCL_SOCKET_IFNAME
    NCCL_NET NCCL_NET_GDR_LEVEL NCCL_NET_GDR_READ NCCL_P2P_LEVEL NCCL_P2P_DISABLE NCCL_SHM_DISABLE NCCL_CROSS_NIC NCCL_DEBUG
    NCCL_PROXY_CPUSET RCCL_TOPO_FILE CCL_WORKER_AFFINITY UCX_NET_DEVICES UCX_TLS
    NVSHMEM_HCA_LIST NVSHMEM_ENABLE_NIC_PE_MAPPING NVSHMEM_HCA_PE_MAPPING
    VLLM_CPU_OMP_THREADS_BIND VLLM_CPU_NUM_OF_RESERVED_CPU VLLM_CPU_SIM_MULTI_NUMA VLLM_CPU_KVCACHE_SPACE CPU_VISIBLE_MEMORY_NODES
    VLLM_WORKER_MULTIPROC_METHOD VLLM_DP_RANK VLLM_DP_RANK_LOCAL VLLM_DP_SIZE _VLLM_INTERNAL_NUMACTL_ARGS
    SGLANG_SET_CPU_AFFINITY SGLANG_CPU_OMP_THREADS_BIND SGLANG_NUMA_BIND_V2 SGLANG_AUTO_NUMA_BIND SGLANG_RUST_SERVER
    SGLANG_CRASH_ON_NUMA_BIND_FAILURE SGLANG_ONE_VISIBLE_DEVICE_PER_PROCESS
    TLLM_NUMA_AWARE_WORKER_AFFINITY TLLM_NUMA_BIND TLLM_EXECUTOR_LOOP_PIN ACCELERATE_CPU_AFFINITY
    NEMO_KUBEFLOW_NUMA_BINDING NRL_DISABLE_NUMA_MEMBIND NRL_DISABLE_NUMA_BINDING SET_CPU_AFFINITY NUMA_POLICY
    DEEPINFER_SO_BUILDER_CPUS RAY_EXPERIMENTAL_NOSET_CUDA_VISIBLE_DEVICES
    LLAMA_ARG_NUMA LLAMA_ARG_THREADS OLLAMA_NUM_PARALLEL
""")  # fmt: skip

FLAG, LIST, WORD, MODULE, CODE, ASSIGNMENT = "flag", "list", "word", "module", "code", "assignment"
"""How an option's value looks: none; numbers and CPU lists; a keyword; a Python module; program text; NAME=VALUE."""


def _options(**texts: str) -> Dict[str, str]:
    return {name: kind for kind, text in texts.items() for name in text.split()}


LONG_OPTIONS = _options(
    flag="""
        --numa-bind --bind-cores-to-rank --bind-numa-node --enable-cpu-affinity --enable-expert-parallel --enable-dp-attention
        --standalone --no-python --multi-gpu --headless --localalloc --balancing --all --all-tasks --strict --exclusive
        --report-bindings --use-hwthread-cpus --oversubscribe --latency-mode --throughput-mode --use-logical-cores
    """,
    list="""
        --tensor-parallel-size --pipeline-parallel-size --data-parallel-size --data-parallel-size-local --data-parallel-rank
        --data-parallel-start-rank --expert-parallel-size --context-parallel-size --prefill-context-parallel-size
        --decode-context-parallel-size --api-server-count --numa-bind-nodes --numa-bind-cpus --cpu-offload-gb --swap-space
        --gpu-memory-utilization --tp --tp-size --dp --dp-size --pp --pp-size --ep --ep-size --numa-node --base-gpu-id
        --gpu-id-step --mem-fraction-static --nnodes --node-rank --nproc-per-node --local-rank --rank --world-size
        --local-world-size --num-gpus --num-nodes --num-processes --num-machines --machine-rank --bind-core-list --gpu-id
        --gpu-ids --gpu --gpus --device-id --device-ids --devices --cuda-visible-devices --physcpubind --cpunodebind --membind
        --interleave --weighted-interleave --preferred --preferred-many --cpubind --cpu-list --cpu-set --pid --ntasks --nodes
        --ntasks-per-node --ntasks-per-socket --ntasks-per-gpu --cpus-per-task --cpus-per-gpu --gpus-per-node --gpus-per-task
        --cores-per-task --threads-per-core --cores-per-socket --sockets-per-node --npernode --npersocket --cpuset-cpus
        --cpuset-mems --cpus --ninstances --ncores-per-instance --nodes-list --cores-list --node-id --threads --threads-batch
        --nthreads --n-gpu-layers --main-gpu --tensor-split --cpu-mask --cpu-range --cpu-strict --nproc
    """,
    word="""
        --numa-binding --numa --distributed-executor-backend --device --device-target --launcher --cpu-bind --mem-bind --gpu-bind
        --tres-bind --tres-per-task --gres --gres-flags --accel-bind --distribution --hint --bind-to --map-by --rank-by
        --cpu-affinity --gpu-affinity --affinity --affinity-mode --strategy --multi-task-manager --split-mode --cpu --mem --ib
    """,
    module="--module",
)  # fmt: skip

_MPI = _options(list="-n -np -c -N -ppn -pernode", word="-m", assignment="-x")
_SHELL = _options(code="-c")
SHORT_OPTIONS = {
    "numactl": _options(list="-i -w -p -P -C -N -m", flag="-l -a -b"),
    "taskset": _options(list="-c", flag="-a -p -ap -pa -cp -pc -acp -apc"),
    "chrt": _options(flag="-f -r -o -b -i"),
    "python": _options(module="-m", code="-c", flag="-u -O -OO -B -E -I -s -S"),
    "sh": _SHELL,
    "bash": _SHELL,
    "env": {},
    "srun": _MPI,
    "mpirun": _MPI,
    "mpiexec": _MPI,
    "flux": _options(list="-n -N -c -g", word="-o"),
    "torchrun": _options(module="-m"),
    "deepspeed": {},
    "accelerate": _options(module="-m"),
    "ipexrun": {},
    "vllm": _options(list="-tp -pp -dp -dpl -dpr -dpn -asc -ep -n -r -g"),
    "llama": _options(list="-t -tb -ngl -mg -ts -C -Cr", word="-sm"),
}
"""By program, under its family's name; the programs that start another program first are in STARTERS."""

STARTERS = _words("numactl taskset chrt python sh bash env srun mpirun mpiexec flux torchrun deepspeed accelerate ipexrun")
SUBCOMMANDS = _words("serve run launch bench runner worker inference launch_server")

# Documentation/admin-guide/kernel-parameters.rst
KERNEL_PARAMETERS = _words("""
    isolcpus nohz nohz_full rcu_nocbs rcu_nocb_poll irqaffinity kthread_cpus threadirqs numa numa_balancing numa_zonelist_order
    movable_node kernelcore movablecore mem maxcpus nr_cpus possible_cpus nosmp nosmt smt mitigations
    transparent_hugepage thp_anon hugepages hugepagesz default_hugepagesz hugetlb_cma hugetlb_free_vmemmap cgroup_disable
    cgroup_enable cgroup_no_v1 swapaccount psi systemd.unified_cgroup_hierarchy systemd.legacy_systemd_cgroup_controller
    systemd.cpu_affinity pci pcie_aspm pcie_port_pm iommu iommu.passthrough iommu.strict intel_iommu amd_iommu
    init_on_alloc init_on_free intel_pstate amd_pstate intel_idle.max_cstate processor.max_cstate cpuidle.off idle
    cpufreq.default_governor skew_tick tsc clocksource nmi_watchdog nowatchdog preempt acpi noacpi acpi_osi x2apic_phys nox2apic
    nvme.poll_queues nvme.write_queues nvidia.NVreg_EnableGpuFirmware
    systemd.unit agent.log agent.log_vport agent.debug_console agent.debug_console_vport agent.container_pipe_size agent.hotplug_timeout
    agent.passfd_listener_port agent.use_vsock agent.unified_cgroup_hierarchy
""")  # fmt: skip

# kubelet.config.k8s.io/v1beta1
KUBELET_OPTIONS = _words("""
    kind apiVersion cpuManagerPolicy cpuManagerPolicyOptions topologyManagerPolicy topologyManagerScope topologyManagerPolicyOptions
    memoryManagerPolicy reservedMemory reservedSystemCPUs kubeReserved systemReserved
""")  # fmt: skip

# slurm.conf(5), cgroup.conf(5) and gres.conf(5), in lower case: Slurm does not mind
SLURM_OPTIONS = _words("""
    taskplugin taskpluginparam selecttype selecttypeparameters proctracktype grestypes launchparameters prologflags
    cgroupplugin constraincores constraindevices constrainramspace constrainswapspace enablecontrollers autodetect
""")  # fmt: skip
GRES_OPTIONS = _words("nodename name type file cores cpus links count flags autodetect multiplefiles")

PSEUDO_FILE_SYSTEMS = _words("cgroup cgroup2 cpuset hugetlbfs proc sysfs tmpfs devtmpfs fuse.lxcfs resctrl")

# Kinds of mapped files that tell page cache of code from that of weights and data.
FILE_EXTENSIONS = _words("""
    so safetensors gguf ggml bin pt pth ckpt onnx engine plan npy npz h5 parquet arrow tfrecord idx json txt db py pyc jar cache
""")  # fmt: skip
