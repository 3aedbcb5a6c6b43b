"""``/proc/PID/environ`` (kernel ``fs/proc/base.c``, ``environ_read``; manual page proc_pid_environ(5)).

The environment as it was at execve; what the process set later is not in it.
"""

from typing import NamedTuple

from numaaudit.parse.parser import Parser


class ProcEnviron(NamedTuple):
    """Names and values, in the order of the file."""

    variables: tuple[tuple[str, str], ...]

    def get(self, name: str) -> str | None:
        """The value as getenv(3) gives it: of the first entry of that name. None: not set."""
        return next((value for key, value in self.variables if key == name), None)


def parse(text: str) -> ProcEnviron:
    """Split at the NUL bytes; any text is an environment. Entries without ``=`` (the process wrote over the area) are left out."""
    entries = (entry.partition("=") for entry in text.split("\0"))
    return ProcEnviron(tuple((name.lstrip("\n"), value) for name, equals, value in entries if equals and name))


PARSER = Parser(parse, reads=("proc/[0-9]*/environ",))
