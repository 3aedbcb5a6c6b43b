"""The job that is to be started: its ranks, the GPUs they see, and the launcher's options."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from numaaudit.core.cpuset import CpuSet
from numaaudit.core.errors import ParseError, UsageError
from numaaudit.model.gpus import Gpu


class Option(NamedTuple):
    """One option of a launcher. ``choices`` empty: any text, which the launcher reads by one of Job's methods."""

    name: str
    default: str
    help: str
    choices: tuple[str, ...] = ()


class Job(NamedTuple):
    """``num_ranks`` processes on one host, local ranks from 0; rank r uses the r-th of ``visible_gpus``, if there is one.

    ``visible_devices`` is the text of CUDA_VISIBLE_DEVICES or its like, None where it is not set.
    """

    num_ranks: int
    visible_gpus: tuple[Gpu, ...]
    options: Mapping[str, str]
    visible_devices: str | None = None

    @property
    def ranks(self) -> range:
        return range(self.num_ranks)

    def gpu_of(self, rank: int) -> Gpu | None:
        return self.visible_gpus[rank] if rank < len(self.visible_gpus) else None

    def text(self, name: str) -> str:
        return self.options[name]

    def is_on(self, name: str) -> bool:
        """An option whose choices are yes and no."""
        return self.options[name] == "yes"

    def number(self, name: str, otherwise: int) -> int:
        """A count; ``otherwise`` where the option is empty. UsageError for anything else."""
        text = self.options[name]
        if not text:
            return otherwise
        if not text.isascii() or not text.isdigit() or len(text) > 6:
            raise UsageError(f"{name} is a number, not {text!r}")
        return int(text)

    def cpus(self, name: str) -> CpuSet | None:
        """A cpulist; None where the option is empty."""
        text = self.options[name]
        return cpus_in(text, name) if text else None

    def numbers(self, name: str) -> list[int] | None:
        """Numbers in the order they are given, separated by blanks or commas; None where the option is empty."""
        words = self.options[name].replace(",", " ").split()
        if any(not word.isascii() or not word.isdigit() or len(word) > 6 for word in words):
            raise UsageError(f"{name} is a list of numbers, not {self.options[name]!r}")
        return [int(word) for word in words] or None

    def lists(self, name: str) -> list[CpuSet]:
        """One cpulist a rank, separated by blanks, ``;`` or ``|``."""
        words = self.options[name].replace(";", " ").replace("|", " ").split()
        return [cpus_in(word, name) for word in words]


def cpus_in(text: str, what: str) -> CpuSet:
    """A cpulist that the user typed; UsageError for anything else."""
    try:
        return CpuSet.parse(text)
    except ParseError as error:
        raise UsageError(f"{what}: {error}") from None


def chosen_options(declared: Sequence[Option], given: Mapping[str, str]) -> dict[str, str]:
    """The value of every declared option. UsageError for one that is not declared or a value that is not a choice."""
    options = {option.name: option for option in declared}
    for name, value in given.items():
        if name not in options:
            known = "; ".join(f"{option.name} ({option.help})" for option in declared) or "none"
            raise UsageError(f"no option {name!r}", f"the launcher's options: {known}")
        if options[name].choices and value not in options[name].choices:
            raise UsageError(f"{name} is one of {', '.join(options[name].choices)}, not {value!r}")
    return {name: given.get(name, option.default) for name, option in options.items()}
