"""What a process runs, and the environment it was started with (proc_pid_environ(5): that of execve, not of later changes)."""

from __future__ import annotations

from numaaudit.collect.collector import Collector

COLLECTOR = Collector(files=("cmdline", "environ"), scope="process", locks_memory=True)
