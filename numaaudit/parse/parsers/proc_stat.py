"""``/proc/PID/stat`` and ``/proc/PID/task/TID/stat`` (kernel ``fs/proc/array.c``, ``do_task_stat``; manual page proc_pid_stat(5))."""

from numaaudit.core.cpuset import MAX_CPU_ID
from numaaudit.core.errors import ParseError
from numaaudit.core.procfs import Stat, parse_stat
from numaaudit.parse.parser import Parser


def parse(text: str) -> Stat:
    """Read one line; ParseError for a cut line or an impossible number. A process's ticks are the sum of its threads'."""
    stat = parse_stat(text.rstrip("\0"))
    if (
        min(stat.pid, stat.utime_ticks, stat.stime_ticks, stat.num_threads, stat.start_ticks) < 0
        or not 0 <= (stat.last_cpu or 0) <= MAX_CPU_ID
    ):
        raise ParseError("a number that cannot be", 1)
    return stat


PARSER = Parser(parse, reads=("proc/[0-9]*/stat", "proc/[0-9]*/task/[0-9]*/stat"))
