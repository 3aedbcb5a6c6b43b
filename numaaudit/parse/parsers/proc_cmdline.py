"""``/proc/PID/cmdline`` (kernel ``fs/proc/base.c``, ``proc_pid_cmdline_read``; manual page proc_pid_cmdline(5))."""

from typing import NamedTuple

from numaaudit.parse.parser import Parser


class ProcCmdline(NamedTuple):
    """The words of a command line; none for kernel threads and zombies. A title set by the process is one word with blanks."""

    argv: tuple[str, ...]


def parse(text: str) -> ProcCmdline:
    """Split at the NUL bytes; any text is a command line. NUL bytes at the end are padding."""
    words = text.rstrip("\0\n")
    return ProcCmdline(tuple(words.split("\0")) if words else ())


PARSER = Parser(parse, reads=("proc/[0-9]*/cmdline",))
