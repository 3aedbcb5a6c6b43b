"""Write the sample bundles: ``python sample_bundles/generate.py [--into FOLDER] [NAME ...]``.

The same input gives the same bytes. A file that is there is replaced. R40 and R300, for the benchmarks, are made only by name.
"""

import argparse
from hashlib import sha256
from pathlib import Path

from cgroup_files import add_cgroups
from device_files import add_devices
from evidence import Evidence
from kernel_files import add_kernel
from process_files import add_job
from scenarios import LOADS, SAMPLES, Sample
from tool_outputs import add_tools


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"Any of: {' '.join((*SAMPLES, *LOADS))}.")
    parser.add_argument("--into", type=Path, default=Path(__file__).parent, metavar="FOLDER", help="Default: beside this file.")
    arguments = parser.parse_args()
    for name in arguments.names or SAMPLES:
        sample = {**SAMPLES, **LOADS}[name]()
        print(f"{name}: {sample.about}")
        write(sample, arguments.into / f"{name}.tar.gz")


def write(sample: Sample, path: Path) -> None:
    shape, job = sample.shape, sample.job
    evidence = Evidence()
    add_kernel(evidence, shape)
    add_devices(evidence, shape)
    add_job(evidence, shape, job)
    add_cgroups(evidence, shape, job)
    add_tools(evidence, shape, {rank.number: rank.pid for rank in job.ranks})
    evidence.nothing_else()
    devices = ", ".join(f"/dev/nvidia{index}" for index in range(len(shape.gpus)))
    logs = ("--log", "launcher.log") if job.log else ()
    evidence.write(
        path, tool_version="0.1.0", rule_set="0.1.0", hostname=shape.hostname, host_id=sha256(shape.hostname.encode()).hexdigest()[:32],
        boot_id="5d1c7e0a-2f64-4b0e-9a58-c3f1d20b7e46", collected_at=f"2026-11-29T{sample.collected_at}:00Z",
        readings=tuple(f"2026-11-29T{sample.collected_at}:{second}Z" for second in ("00", "02")),
        arguments=("--gpu-procs", "--pages", "full", *logs),
        selection=tuple({"pid": rank.pid, "why": f"holds {devices}"} for rank in job.ranks),
        collector={
            "uid": 0, "capabilities": "000001ffffffffff", "allowed_cpus": str(shape.online),
            "allowed_mems": f"0-{len(shape.numa_nodes) - 1}", "seccomp": 0,
            "cgroup": "0::/user.slice/user-0.slice/session-3.scope", "namespaces": {},
        },
    )  # fmt: skip


if __name__ == "__main__":
    main()
