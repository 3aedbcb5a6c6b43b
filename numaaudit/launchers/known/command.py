"""A command line given verbatim: ``numactl``, ``taskset``, ``srun`` and ``env`` in front of a program, the outermost first.

Source: numactl(8), taskset(1), srun(1). Each wrapper replaces the mask that the one before set: numactl's ``-C`` may not leave
what is allowed, ``-N`` and taskset are cut by the kernel. ``$LOCAL_RANK``, ``$SLURM_LOCALID``, ``$OMPI_COMM_WORLD_LOCAL_RANK`` and
``$((LOCAL_RANK/4))`` stand for the rank.
"""

import re
import shlex

from numaaudit.core.errors import UsageError
from numaaudit.launchers.host_view import HostView
from numaaudit.launchers.job import Job, Option, chosen_options
from numaaudit.launchers.known import slurm
from numaaudit.launchers.prediction import (
    DEFAULT_POLICY,
    Binding,
    Launcher,
    Outcome,
    Prediction,
    for_each_rank,
    refused,
    unbound,
)
from numaaudit.launchers.srun_words import srun_words
from numaaudit.launchers.wrappers import State, numactl, taskset

LAUNCHER = Launcher(
    version="numactl 2.0.19, util-linux 2.41, Slurm 26.05",
    source="numactl(8), taskset(1), srun(1)",
    options=(Option("line", "", "the command line, such as 'numactl -N 0 -m 0 python serve.py'"),),
    needs=("line",),
)
_NAMES = r"(?:LOCAL_RANK|SLURM_LOCALID|OMPI_COMM_WORLD_LOCAL_RANK)"
_QUOTIENT = re.compile(r"\$\(\(\s?\$?" + _NAMES + r"\s?([/*%])\s?(\d{1,4})\s?\)\)")
_VARIABLE = re.compile(r"\$(?:\{" + _NAMES + r"\}|" + _NAMES + r"\b)")


def predict(view: HostView, job: Job) -> Prediction:
    """Before exec, for every thread."""
    return Prediction(for_each_rank(job, lambda rank: _rank(view, job, rank)))


def _rank(view: HostView, job: Job, rank: int) -> Binding:
    words = _words(job.text("line"), rank)
    start, words = _under_srun(view, job, words, rank)
    if start.outcome is Outcome.REFUSES:
        return start
    by_srun = start.cpus if start.outcome is Outcome.BINDS else None
    state = State(by_srun, start.policy or DEFAULT_POLICY)
    while words and (wrapper := {"numactl": numactl, "taskset": taskset}.get(words[0].rpartition("/")[2])):
        state, words = wrapper(view, words[1:], state)
        if state.refusal:
            return refused(state.refusal, state.asked, state.policy)
    if state.asked is not None:
        return start._replace(cpus=state.asked, policy=state.policy, outcome=Outcome.BINDS, reason="")
    return Binding(view.allowed_cpus, state.policy) if state.policy != DEFAULT_POLICY else unbound("the command line sets no CPUs")


def _words(line: str, rank: int) -> list[str]:
    """The words of the line for one rank, without ``env`` and assignments in front."""
    line = _QUOTIENT.sub(lambda match: str(_computed(rank, match[1], int(match[2]))), line)
    try:
        words = shlex.split(_VARIABLE.sub(str(rank), line))
    except ValueError as error:
        raise UsageError(f"line: {error}") from None
    while words and (words[0] == "env" or re.fullmatch(r"[A-Za-z_]\w*=.*", words[0])):
        words = words[1:]
    return words


def _computed(rank: int, sign: str, number: int) -> int:
    if sign == "*":
        return rank * number
    if number == 0:
        raise UsageError("line: division by zero")
    return rank // number if sign == "/" else rank % number


def _under_srun(view: HostView, job: Job, words: list[str], rank: int) -> tuple[Binding, list[str]]:
    """What srun gives the task, and the program's words; nothing for another program."""
    if not words or words[0].rpartition("/")[2] != "srun":
        return unbound(""), words
    found = srun_words(words[1:])
    options = chosen_options(slurm.LAUNCHER.options, found.options)
    return slurm.predict(view, job._replace(options=options)).bindings[rank], found.program
