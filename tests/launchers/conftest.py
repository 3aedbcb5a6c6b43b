"""What tests of launchers need: the forecast of one launcher on a host given by its shape."""

from collections.abc import Callable
from typing import Any

import pytest

from numaaudit.launchers.host_view import HostView, view_of
from numaaudit.launchers.registry import Forecast, Request, forecast, launcher_named
from numaaudit.launchers.request import what_if_of


@pytest.fixture
def view(build: Callable[..., Any]) -> Callable[..., HostView]:
    """The view of a machine; ``more`` replaces or adds entries, ``what_if`` is as on the command line."""
    return lambda machine, what_if=None, more=None: view_of(build({**machine.entries(), **(more or {})}), what_if_of(what_if))


@pytest.fixture
def predict(view: Callable[..., HostView]) -> Callable[..., Forecast]:
    """predict(name, machine, what_if, more, ranks=N, visible="2,3", option=value): underscores in options are dashes."""

    def run(
        name: str,
        machine: Any,
        what_if: str | None = None,
        more: dict[str, Any] | None = None,
        ranks: int | None = None,
        visible: str | None = None,
        **options: str,
    ) -> Forecast:
        seen = view(machine, what_if, more)
        gpus = seen.gpus if visible is None else tuple(seen.gpus[int(number)] for number in visible.split(","))
        given = {key.replace("_", "-"): value for key, value in options.items()}
        return forecast(launcher_named(name), seen, Request(ranks, gpus, visible, given))

    return run


@pytest.fixture
def cpus() -> Callable[[Forecast], list[str]]:
    """The CPUs that each rank is given, as lists; ``refused`` and ``as before`` where it is not."""

    def shown(found: Forecast) -> list[str]:
        words = {"refuses": "refused", "no-effect": "as before"}
        return [words.get(rank.outcome.value, str(rank.cpus)) for rank in found.ranks]

    return shown


@pytest.fixture
def policies() -> Callable[[Forecast], list[str | None]]:
    """Each rank's memory policy."""
    return lambda found: [rank.memory_policy for rank in found.ranks]
