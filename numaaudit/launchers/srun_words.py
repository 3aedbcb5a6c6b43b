"""``srun``'s options that place tasks, as options of the launcher ``slurm``.

Source: srun(1) of Slurm 26.05. Environment variables (SLURM_CPU_BIND and others) are not read.
"""

from typing import NamedTuple

from numaaudit.core.errors import UsageError

# Options that take a value in the next word where it is not behind "=".
_SHORT = {"-c": "cpus-per-task", "-m": "distribution", "-n": "ntasks"}
_SHORT_WITH_VALUE = set("ABCDGJKLMNSTUWdeioprtwx")
_LONG = ("cpu-bind", "distribution", "cpus-per-task", "mem-bind", "gpu-bind", "ntasks", "gres-flags", "gres", "gpus", "nodes")
_MEANING = {"threads": "threads", "cores": "cores", "sockets": "sockets", "none": "none", "no": "none", "rank_ldom": "rank_ldom"}


class SrunWords(NamedTuple):
    """Options for ``slurm``, and the program with its own words."""

    options: dict[str, str]
    program: list[str]


def srun_words(words: list[str]) -> SrunWords:
    """Read the options. UsageError for one that cannot be told from the program."""
    rest, options = list(words), {}
    while rest and rest[0].startswith("-") and rest[0] != "--":
        name, value, rest = _next(rest)
        options.update(_meaning(name, value))
    return SrunWords(options, rest[1:] if rest[:1] == ["--"] else rest)


def _next(words: list[str]) -> tuple[str, str, list[str]]:
    word, rest = words[0], words[1:]
    if word.startswith("--"):
        name, equals, value = word[2:].partition("=")
        takes_next = not equals and name in _LONG
    else:
        name, value = _SHORT.get(word[:2], word[:2]), word[2:].lstrip("=")
        takes_next = not value and (word[:2] in _SHORT or word[1:2] in _SHORT_WITH_VALUE)
    if takes_next and not rest:
        raise UsageError(f"srun's {word} needs a value")
    return (name, rest[0], rest[1:]) if takes_next else (name, value, rest)


def _meaning(name: str, value: str) -> dict[str, str]:
    if name == "cpu-bind":
        return _cpu_bind(value)
    if name == "distribution":
        second = (value.split(":") + ["*"])[1].partition(",")[0]
        return {"distribution": second} if second not in ("*", "") else {}
    if name == "gres-flags":
        return {"enforce-binding": "yes"} if "enforce-binding" in value else {}
    if name in ("cpus-per-task", "gpu-bind", "mem-bind"):
        return {name: value.rpartition("verbose,")[2]}
    return {}


def _cpu_bind(value: str) -> dict[str, str]:
    """``verbose,cores`` or ``map_cpu:0,8``: a list holds commas, so the kind is looked for in front of the colon."""
    for quiet in ("verbose,", "v,", "quiet,", "q,"):
        value = value.removeprefix(quiet)
    if ":" in value:
        return {"cpu-bind": value}
    return {"cpu-bind": _MEANING[value]} if value in _MEANING else {}
