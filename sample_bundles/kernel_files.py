"""What a kernel 6.1 says of its CPUs, NUMA nodes, memory and settings, for a host of a given shape."""

from collections.abc import Iterable

from evidence import Evidence
from host_shape import Cpu, HostShape

RELEASE = "6.1.0-28-amd64"
VERSION = "#1 SMP PREEMPT_DYNAMIC Debian 6.1.119-1 (2024-11-22)"
MODEL = "Intel(R) Xeon(R) Platinum 8592+"
_FLAGS = "fpu vme de pse tsc msr pae mce cx8 apic sep mtrr mca cmov pat clflush mmx fxsr sse sse2 ht syscall nx rdtscp lm avx2 avx512f"
_VMSTAT = """\
nr_free_pages 231735296
numa_hit 8054213303
numa_miss 0
numa_foreign 0
numa_interleave 16824
numa_local 8051804641
numa_other 2408662
numa_pte_updates 0
numa_hint_faults 0
numa_pages_migrated 0
pgmigrate_success 0
"""
_MOUNTS = """\
proc /proc proc rw,nosuid,nodev,noexec,relatime 0 0
sysfs /sys sysfs rw,nosuid,nodev,noexec,relatime 0 0
cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid,nodev,noexec,relatime 0 0
/dev/nvme0n1p2 / ext4 rw,relatime 0 0
"""
_CPU = "sys/devices/system/cpu"
_NODE = "sys/devices/system/node"


def add_kernel(evidence: Evidence, shape: HostShape) -> None:
    _cpus(evidence, shape)
    _numa_nodes(evidence, shape)
    _settings(evidence)
    _accounts(evidence, shape)


def _cpus(evidence: Evidence, shape: HostShape) -> None:
    online, smt = shape.online, int(shape.threads_per_core > 1)
    evidence.files("cpus", _CPU, {
        "online": online, "offline": "", "possible": online, "present": online, "isolated": "", "nohz_full": "(null)",
    })  # fmt: skip
    evidence.files("cpus", f"{_CPU}/smt", {"active": smt, "control": "on" if smt else "off"})
    for cpu in shape.cpus:
        folder = f"{_CPU}/cpu{cpu.number}"
        evidence.files("cpus", f"{folder}/topology", {
            "physical_package_id": cpu.package, "core_id": cpu.core_id,
            "core_cpus_list": shape.siblings(cpu), "package_cpus_list": shape.cpus_of_package(cpu.package),
        })  # fmt: skip
        cache = {"level": 3, "shared_cpu_list": shape.cpus_of_numa_node(cpu.numa_node)}
        evidence.files("last_level_caches", f"{folder}/cache/index3", cache)


def _numa_nodes(evidence: Evidence, shape: HostShape) -> None:
    last = len(shape.numa_nodes) - 1
    lists = dict.fromkeys(("possible", "online", "has_cpu", "has_memory", "has_normal_memory"), f"0-{last}")
    evidence.files("numa_nodes", _NODE, {**lists, "has_generic_initiator": ""})
    evidence.files("numa_nodes", "sys/devices/virtual/memory_tiering/memory_tier4", {"nodelist": f"0-{last}"})
    for number in shape.numa_nodes:
        folder, cpus = f"{_NODE}/node{number}", shape.cpus_of_numa_node(number)
        evidence.files("numa_nodes", folder, {
            "cpulist": cpus, "cpumap": mask(cpus, len(shape.cpus)),
            "distance": " ".join(str(shape.distance(number, other)) for other in shape.numa_nodes),
            "meminfo": _node_meminfo(shape, number), "numastat": _numastat(number), "vmstat": _node_vmstat(shape, number),
        })  # fmt: skip
        for size in (1048576, 2048):
            pool = {"nr_hugepages": 0, "free_hugepages": 0, "surplus_hugepages": 0}
            evidence.files("numa_nodes", f"{folder}/hugepages/hugepages-{size}kB", pool)


def mask(ids: Iterable[int], num_ids: int) -> str:
    """A cpumask as the kernel prints it: words of 32 bits, the most significant first."""
    bits = sum(1 << number for number in ids)
    words = [f"{bits >> shift & 0xFFFFFFFF:08x}" for shift in range(0, num_ids, 32)]
    return ",".join(reversed(words))


def memory_kb(shape: HostShape, number: int) -> dict[str, int]:
    """Memory of one NUMA node in KiB."""
    total = shape.gib_per_numa_node * 1048576 - 1572864 - 4096 * number
    used = total // 8 + 131072 * number
    return {"MemTotal": total, "MemFree": total - used, "FilePages": used // 2, "AnonPages": used // 4, "Shmem": used // 16}


def _node_meminfo(shape: HostShape, number: int) -> str:
    memory = memory_kb(shape, number)
    rows = {
        "MemTotal": memory["MemTotal"], "MemFree": memory["MemFree"], "MemUsed": memory["MemTotal"] - memory["MemFree"], "SwapCached": 0,
        "Active": memory["FilePages"] // 2, "Inactive": memory["FilePages"] // 2 + memory["AnonPages"], "Dirty": 132, "Writeback": 0,
        "FilePages": memory["FilePages"], "Mapped": memory["FilePages"] // 8, "AnonPages": memory["AnonPages"], "Shmem": memory["Shmem"],
        "KernelStack": 24576, "PageTables": 98304, "Slab": 2097152, "SReclaimable": 1572864, "SUnreclaim": 524288, "AnonHugePages": 0,
    }  # fmt: skip
    lines = [f"Node {number} {key + ':':<15}{value:>9} kB" for key, value in rows.items()]
    return "\n".join(lines + [f"Node {number} {key}:     0" for key in ("HugePages_Total", "HugePages_Free", "HugePages_Surp")])


def _numastat(number: int) -> str:
    hits = 4_182_334_211 - 310_455_119 * number
    off = 1_204_331
    rows = {"numa_hit": hits, "numa_miss": 0, "numa_foreign": 0, "interleave_hit": 8_412, "local_node": hits - off, "other_node": off}
    return "\n".join(f"{key} {value}" for key, value in rows.items())


def _node_vmstat(shape: HostShape, number: int) -> str:
    memory = memory_kb(shape, number)
    rows = {
        "nr_free_pages": memory["MemFree"] // 4, "nr_zone_inactive_anon": memory["AnonPages"] // 4, "nr_zone_active_anon": 1204,
        "numa_hit": 4_182_334_211, "numa_miss": 0, "numa_foreign": 0, "numa_interleave": 8_412,
        "numa_local": 4_181_129_880, "numa_other": 1_204_331,
        "nr_anon_pages": memory["AnonPages"] // 4, "nr_mapped": memory["FilePages"] // 32, "nr_file_pages": memory["FilePages"] // 4,
    }  # fmt: skip
    return "\n".join(f"{key} {value}" for key, value in rows.items())


def _settings(evidence: Evidence) -> None:
    evidence.files("memory_settings", "proc/sys/kernel", {"numa_balancing": 0})
    evidence.files("memory_settings", "proc/sys/vm", {"zone_reclaim_mode": 0, "numa_stat": 1, "swappiness": 60, "min_free_kbytes": 90112})
    evidence.files("memory_settings", "sys/kernel/mm/transparent_hugepage", {
        "enabled": "always [madvise] never", "defrag": "always defer defer+madvise [madvise] never",
        "shmem_enabled": "always within_size advise [never] deny force",
    })  # fmt: skip
    evidence.files("memory_settings", "sys/kernel/mm/numa", {"demotion_enabled": "false"})


def _accounts(evidence: Evidence, shape: HostShape) -> None:
    tainted = 1 + 4096  # a proprietary module, built outside the kernel's tree
    evidence.files("kernel", "proc/sys/kernel", {"osrelease": RELEASE, "hostname": shape.hostname, "tainted": tainted})
    compiler = "gcc-12 (Debian 12.2.0-14) 12.2.0, GNU ld (GNU Binutils for Debian) 2.40"
    evidence.file("kernel", "proc/version", f"Linux version {RELEASE} (debian-kernel@lists.debian.org) ({compiler}) {VERSION}\n")
    evidence.file("kernel", "proc/cmdline", "BOOT_IMAGE=/boot/vmlinuz-6.1.0-28-amd64 root=/dev/nvme0n1p2 ro quiet iommu=pt\n")
    evidence.file("kernel", "proc/cpuinfo", "\n".join(_cpuinfo(shape, cpu) for cpu in shape.cpus) + "\n")
    evidence.file("kernel", "proc/meminfo", _meminfo(shape))
    evidence.file("kernel", "proc/vmstat", _VMSTAT)
    evidence.file("kernel", "proc/mounts", _MOUNTS)
    for name, total in (("cpu", 918_224_871), ("memory", 0), ("io", 22_184_003)):
        line = f"avg10=0.00 avg60=0.02 avg300=0.00 total={total}"
        evidence.file("kernel", f"proc/pressure/{name}", f"some {line}\nfull {line}\n")


def _cpuinfo(shape: HostShape, cpu: Cpu) -> str:
    rows = {
        "processor": cpu.number, "vendor_id": "GenuineIntel", "cpu family": 6, "model": 207, "model name": MODEL, "stepping": 2,
        "microcode": "0x21000230", "cpu MHz": "1900.000", "cache size": "327680 KB", "physical id": cpu.package,
        "siblings": len(shape.cpus_of_package(cpu.package)), "core id": cpu.core_id, "cpu cores": shape.cores_per_package,
        "apicid": cpu.package * 256 + cpu.core_id * 2 + (cpu.number >= shape.packages * shape.cores_per_package),
        "flags": _FLAGS, "bogomips": "3800.00", "address sizes": "52 bits physical, 57 bits virtual", "power management": "",
    }  # fmt: skip
    tabs = {key: "\t" if len(key) > 7 else "\t\t" for key in rows}
    return "".join(f"{key}{tabs[key]}: {value}\n" for key, value in rows.items())


def _meminfo(shape: HostShape) -> str:
    sums = [memory_kb(shape, number) for number in shape.numa_nodes]
    total = {key: sum(memory[key] for memory in sums) for key in sums[0]}
    rows = {
        "MemTotal": total["MemTotal"], "MemFree": total["MemFree"], "MemAvailable": total["MemFree"] + total["FilePages"] // 2,
        "Buffers": 524288, "Cached": total["FilePages"], "SwapCached": 0, "SwapTotal": 0, "SwapFree": 0,
        "AnonPages": total["AnonPages"], "Shmem": total["Shmem"],
    }  # fmt: skip
    lines = [f"{key + ':':<15}{value:>9} kB" for key, value in rows.items()]
    return "\n".join(lines + ["HugePages_Total:       0", "HugePages_Free:        0", "Hugepagesize:       2048 kB"]) + "\n"
