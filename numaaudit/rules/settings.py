"""The rules in force: which run, how severe they are, and by which thresholds."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from numaaudit.core.errors import UsageError
from numaaudit.rules.engine import LoadedRule, in_order, load_rules
from numaaudit.rules.finding import Severity
from numaaudit.rules.plugins import load_plugin
from numaaudit.rules.waiver import Waiver


class Change(NamedTuple):
    """What a policy or a profile changes of one rule. None and empty: as the rule has it."""

    severity: Severity | None = None
    enabled: bool | None = None
    thresholds: Mapping[str, float] = MappingProxyType({})


Changes = Mapping[str, Change]  # by code

# Serving: the slowest rank is the p99 of all, so what makes one rank slower than its neighbours counts. Training: bursts of threads
# and what loaders leave behind do little harm in an hour of steps. CPU inference: threads and their cores are all there is.
PROFILES: Mapping[str, Changes] = MappingProxyType(
    {
        "serving": {"NA203": Change(Severity.HIGH), "NA205": Change(Severity.MEDIUM), "NA208": Change(Severity.MEDIUM)},
        "training": {
            "NA203": Change(thresholds={"runnable_per_cpu": 2.0}),
            "NA301": Change(thresholds={"off_node_mib": 1024}),
        },
        "cpu-inference": {"NA203": Change(Severity.HIGH), "NA205": Change(Severity.MEDIUM), "NA207": Change(Severity.HIGH)},
    }
)


class Policy(NamedTuple):
    """What was chosen for a run: ``rules`` are those in force, as changed. ``path`` as typed, empty without a policy file."""

    path: str
    profile: str | None
    plugins: tuple[str, ...]
    rules: tuple[LoadedRule, ...]
    waivers: tuple[Waiver, ...]


def default_policy(plugins: tuple[str, ...] = ()) -> Policy:
    """Every rule that is not experimental, and those of the plug-ins that were named."""
    return Policy("", None, plugins, in_force(all_rules(plugins)), ())


def all_rules(plugins: tuple[str, ...]) -> tuple[LoadedRule, ...]:
    """Our rules and those of plug-ins, by code. UsageError where a plug-in cannot be used with the others."""
    try:
        return in_order([*load_rules(), *(loaded for name in plugins for loaded in load_plugin(name))])
    except ValueError as error:
        raise UsageError(f"plug-ins {', '.join(plugins)}: {error}") from error


def in_force(rules: tuple[LoadedRule, ...], *layers: Changes, experimental: bool = False) -> tuple[LoadedRule, ...]:
    """The rules that run, changed by each layer in turn; with ``experimental`` also those that are off by default."""
    chosen = []
    for loaded in rules:
        changes = [layer[loaded.rule.code] for layer in layers if loaded.rule.code in layer]
        said = [change.enabled for change in changes if change.enabled is not None]
        if said[-1] if said else experimental or not loaded.rule.experimental:
            for change in changes:
                loaded = _changed(loaded, change)  # noqa: PLW2901 - one layer on top of the other
            chosen.append(loaded)
    return tuple(chosen)


def _changed(loaded: LoadedRule, change: Change) -> LoadedRule:
    thresholds = loaded.thresholds._replace(**change.thresholds) if change.thresholds else loaded.thresholds
    return loaded._replace(thresholds=thresholds, severity=change.severity or loaded.severity)
