"""The launchers there are, and the one way to ask one for its prediction."""

import importlib
from collections.abc import Callable, Mapping
from functools import cache
from typing import NamedTuple

from numaaudit.core.confidence import Confidence
from numaaudit.core.errors import UsageError
from numaaudit.core.plugins import discover
from numaaudit.launchers.host_view import HostView
from numaaudit.launchers.job import Job, chosen_options
from numaaudit.launchers.placement import PlacedRank, place
from numaaudit.launchers.prediction import Launcher, NotKnownError, Outcome, Prediction, same_for_all, unknown
from numaaudit.model.gpus import Gpu

KNOWN = "numaaudit.launchers.known"


class LoadedLauncher(NamedTuple):
    """A launcher's file: its constant, its name (the module's, with dashes) and its function."""

    launcher: Launcher
    name: str
    predict: Callable[[HostView, Job], Prediction]
    page: str


class Request(NamedTuple):
    """What the user said of the job. ``num_ranks`` None: one for each visible GPU."""

    num_ranks: int | None
    visible_gpus: tuple[Gpu, ...]
    visible_devices: str | None
    options: Mapping[str, str]


class Forecast(NamedTuple):
    """A prediction with its ranks placed on the host."""

    launcher: LoadedLauncher
    job: Job
    view: HostView
    prediction: Prediction
    ranks: tuple[PlacedRank, ...]

    @property
    def confidence(self) -> Confidence:
        """The model's, but only ``possible`` where the CPUs of a rank could not be computed."""
        incomplete = any(rank.cpus is None and rank.outcome is Outcome.BINDS for rank in self.ranks)
        return Confidence.POSSIBLE if incomplete else self.prediction.confidence


@cache
def load_launchers() -> dict[str, LoadedLauncher]:
    """Every launcher by name, in order of name."""
    found = discover(KNOWN, "LAUNCHER", Launcher)
    return {stem.replace("_", "-"): _load(stem, launcher) for stem, launcher in found.items()}


def _load(stem: str, launcher: Launcher) -> LoadedLauncher:
    module = importlib.import_module(f"{KNOWN}.{stem}")
    return LoadedLauncher(launcher, stem.replace("_", "-"), module.predict, module.__doc__ or "")


def launcher_named(name: str) -> LoadedLauncher:
    """UsageError, with all names, for one that is not known."""
    launchers = load_launchers()
    if name not in launchers:
        raise UsageError(f"no launcher {name!r}", f"known: all, {', '.join(launchers)}")
    return launchers[name]


def answerable(request: Request) -> list[LoadedLauncher]:
    """The launchers that need no option the request does not have."""
    return [each for each in load_launchers().values() if all(name in request.options for name in each.launcher.needs)]


def forecast(loaded: LoadedLauncher, view: HostView, request: Request) -> Forecast:
    """Predict. UsageError for options or a number of ranks that make no sense."""
    missing = [name for name in loaded.launcher.needs if not request.options.get(name)]
    if missing:
        raise UsageError(f"{loaded.name} needs --set {missing[0]}=...")
    options = chosen_options(loaded.launcher.options, request.options)
    job = Job(_num_ranks(loaded, view, request), _served(loaded, request), options, request.visible_devices)
    prediction = _predicted(loaded, view, job)
    return Forecast(loaded, job, view, prediction, place(view, job, prediction))


def _served(loaded: LoadedLauncher, request: Request) -> tuple[Gpu, ...]:
    return request.visible_gpus if loaded.launcher.serves_gpus else ()


def _num_ranks(loaded: LoadedLauncher, view: HostView, request: Request) -> int:
    if request.num_ranks is not None:
        return request.num_ranks
    return len(request.visible_gpus) if loaded.launcher.serves_gpus else max(len(view.cpu_nodes), 1)


def _predicted(loaded: LoadedLauncher, view: HostView, job: Job) -> Prediction:
    try:
        return loaded.predict(view, job)
    except NotKnownError as error:
        return Prediction(same_for_all(job, unknown(str(error))))
