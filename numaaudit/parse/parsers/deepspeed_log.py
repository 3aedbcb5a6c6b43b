"""DeepSpeed ``--bind_cores_to_rank`` (``deepspeed/launcher/launch.py``, ``utils/numa.py``): numactl commands, one per local rank."""

import re
from collections.abc import Iterator
from itertools import takewhile

from numaaudit.parse.claim import (
    BINDING,
    REFUSED,
    Claim,
    Claims,
    Said,
    cpus_in,
    log_lines,
    mems_in,
    number,
    read_claims,
)
from numaaudit.parse.parser import Parser

_SPAWNED = r"process (\d{1,9}) spawned with command: \['numactl', ([^\n]*)"
_ASKED = r"deepspeed\.launcher\.launch [^\n]*?--bind_cores_to_rank(?:[^\n]*?--bind_core_list[= ]([\d,-]+))?"
_MISSING = r"FileNotFoundError: \[Errno 2\] No such file or directory: 'numactl'"


def _spawned(said: Said) -> Iterator[Claim]:
    words = re.findall(r"'([^'\n]*)'", said.match[2])
    # numactl's own options are pairs and come first; the program behind them may have an -m of its own
    options = dict(takewhile(lambda pair: pair[0].startswith("-"), zip(words[::2], words[1::2])))
    rank = next((number(word.partition("=")[2]) for word in words if word.startswith("--local_rank=")), None)
    nodes = options.get("-m") or options.get("-p")
    yield said.claim(BINDING, pid=number(said.match[1]), rank=rank, cpus=cpus_in(options.get("-C")), mems=mems_in(nodes))


def _asked(said: Said) -> Iterator[Claim]:
    yield said.claim(BINDING, role="requested", cpus=cpus_in(said.match[1]))


def _missing(said: Said) -> Iterator[Claim]:
    yield said.claim(REFUSED, role="numactl-missing")


def parse(text: str) -> Claims:
    """Every such line; ``mems`` is bound with ``-m`` and preferred with ``-p``."""
    return read_claims(text, "deepspeed", ((_SPAWNED, _spawned), (_ASKED, _asked), (_MISSING, _missing)))


PARSER = Parser(
    parse,
    reads=("logs/*",),
    looks_like=log_lines(r"spawned with command: \['numactl'", r"deepspeed\.launcher\.launch ", r"\[launch\.py:\d+:main\]", _MISSING),
)
