"""``systemctl show UNIT`` (systemctl(1)): what a unit gives its processes, of systemd 252 as it prints itself.

``CPUAffinity=`` is systemd.exec(5)'s mask, set before the program begins, which may change it; ``AllowedCPUs=`` is
systemd.resource-control(5)'s, kept in the cpuset of the unit's control group. Both are printed as ranges with blanks between
them (``0 2 4-7``), and empty where the unit sets none. A unit's properties begin with its slice, and end at a blank line.
"""

from typing import NamedTuple

from numaaudit.core.cpuset import CpuSet
from numaaudit.core.errors import ParseError
from numaaudit.parse.parser import Parser
from numaaudit.parse.text import cpus_or_none, lines_of


class SystemctlShow(NamedTuple):
    """One unit. Sets are None where the unit leaves them alone, and where the output does not have them."""

    name: str
    control_group: str
    cpu_affinity: CpuSet | None
    allowed_cpus: CpuSet | None


def parse(text: str) -> SystemctlShow:
    """The first unit of the text. ParseError where it names no control group: then no process is in it."""
    values: dict[str, str] = {}
    for line in lines_of(text):
        name, is_property, value = line.strip(" \t\0").partition("=")
        if is_property:
            values.setdefault(name, value)
        elif values:
            break
    group = values.get("ControlGroup", "")
    if not group.startswith("/"):
        raise ParseError("no control group of a unit")
    return SystemctlShow(values.get("Id") or group.rpartition("/")[2], group, _cpus(values, "CPUAffinity"), _cpus(values, "AllowedCPUs"))


def _cpus(values: dict[str, str], name: str) -> CpuSet | None:
    return cpus_or_none(",".join(values.get(name, "").split())) or None


PARSER = Parser(parse, reads=(), looks_like=r"^Slice=[^\n]{0,4096}\nControlGroup=/")
