"""Slurm's configuration, where an administrator writes it and where slurmd puts what it was sent."""

from numaaudit.collect.collectors.slurm_configuration import COLLECTOR


def test_three_files_are_kept_and_no_key(kept):
    files = {f"{folder}/{name}.conf": name for folder in ("etc/slurm", "run/slurm/conf") for name in ("slurm", "gres", "cgroup")}

    assert kept(COLLECTOR, {**files, "etc/slurm/slurmdbd.conf": "planted", "etc/slurm/jwt.key": "planted"}) == files
