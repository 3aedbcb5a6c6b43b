"""``/sys/devices/system/node/nodeN/numastat`` (kernel ``drivers/base/node.c``, ``node_read_numastat``; numastat.rst)."""

from typing import NamedTuple

from numaaudit.core.errors import ParseError
from numaaudit.parse.fields import decimal, numbered
from numaaudit.parse.parser import Parser


class NumaNodeNumastat(NamedTuple):
    """Pages allocated on one NUMA node since boot, by everybody. Allocations, not accesses; a hit is no sign of locality."""

    numa_hit: int  # on this node, as the policy in force wanted
    numa_miss: int  # on this node although another one was wanted
    numa_foreign: int  # wanted here, allocated on another node
    interleave_hit: int  # by interleave, on this node as wanted
    local_node: int  # while the allocating CPU was on this node
    other_node: int  # while the allocating CPU was on another node


def parse(text: str) -> NumaNodeNumastat:
    """Read ``counter value`` lines; ParseError for a line of another form or a missing counter. Other counters are ignored."""
    values: dict[str, int] = {}
    for number, line in numbered(text):
        key, _, value = line.partition(" ")
        values[key] = decimal(value.strip(), number)
    missing = [name for name in NumaNodeNumastat._fields if name not in values]
    if missing:
        raise ParseError(f"no {missing[0]}")
    return NumaNodeNumastat(*(values[name] for name in NumaNodeNumastat._fields))


PARSER = Parser(parse, reads=("sys/devices/system/node/node[0-9]*/numastat",))
