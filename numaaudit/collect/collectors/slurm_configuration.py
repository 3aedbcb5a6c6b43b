"""How Slurm binds and confines tasks, and which cores it takes for near which GPU (slurm.conf(5), cgroup.conf(5), gres.conf(5)).

``/run/slurm/conf`` is where slurmd keeps what it was sent by the controller ("configless").
"""

from __future__ import annotations

from numaaudit.collect.collector import Collector

COLLECTOR = Collector(files=("etc/slurm/{slurm,gres,cgroup}.conf", "run/slurm/conf/{slurm,gres,cgroup}.conf"))
