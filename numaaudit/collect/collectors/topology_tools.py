"""What the usual tools say of the host: a second opinion on sysfs, and what tickets quote."""

from __future__ import annotations

from numaaudit.collect.collector import Collector

COLLECTOR = Collector(
    commands=(
        ("lscpu",),
        ("lscpu", "--extended=CPU,NODE,SOCKET,CORE,ONLINE"),
        ("numactl", "--hardware"),
        ("uname", "-a"),
    ),
)
