"""Policies for people: a commented file to start from, and what a policy changes."""

from collections.abc import Iterator

from numaaudit.core.units import counted
from numaaudit.core.visible import one_line
from numaaudit.rules.engine import LoadedRule
from numaaudit.rules.settings import PROFILES, Policy, all_rules

_HEAD = """\
# numaaudit.yaml: what is judged, and how. Read with --policy by check, report and explain.
# Every line is a comment: as it stands the file changes nothing. Take the first # off a line to change it.

# A named set of the changes below, one of {profiles}; what the file says itself comes on top.
#profile: serving

# Also the rules that are off because too little is known of them.
#experimental: true

# Installed packages with rules of their own; none is looked for unless it is named.
#plugins: [name]

# Rules by code or name. severity: critical, high, medium, low or info; what a rule itself calls milder than its own stays so.
#rules:
"""
_TAIL = """\

# Failures that somebody answers for: they fail no gate and are listed as waived. rule, subject and scope (the host's name) are
# shell patterns; fingerprint, from check --format json, stands for rule and subject. expires is the last day, or never; it is
# compared with the day on which the evidence was collected. A waiver that has expired or matches nothing is reported (NA810).
#waivers:
#  - rule: NA201
#    subject: rank:4
#    scope: gpu-*
#    reason: bound by hand until the board is replaced
#    owner: on-call
#    expires: 2027-01-31
"""


def commented_policy(rules: tuple[LoadedRule, ...]) -> str:
    """A policy file that names every rule and every threshold with its default, all of it commented out."""
    return _HEAD.format(profiles=", ".join(PROFILES)) + "".join(f"{line}\n" for rule in rules for line in _entry(rule)) + _TAIL


def _entry(loaded: LoadedRule) -> Iterator[str]:
    yield f"#  {loaded.rule.code}:  # {loaded.name}"
    yield f"#    severity: {loaded.rule.severity.value}"
    yield f"#    enabled: {str(not loaded.rule.experimental).lower()}"
    if loaded.thresholds:
        yield "#    thresholds:"
        yield from (f"#      {name}: {value}" for name, value in loaded.thresholds._asdict().items())


def policy_lines(policy: Policy) -> Iterator[str]:
    """What a policy changes, one line each."""
    yield f"{policy.path}: {counted(len(policy.rules), 'rule')} in force, {counted(len(policy.waivers), 'waiver')}"
    if policy.profile:
        yield f"profile {policy.profile}"
    yield from (f"plug-in {one_line(name)}" for name in policy.plugins)
    in_force = {loaded.rule.code: loaded for loaded in policy.rules}
    for loaded in all_rules(policy.plugins):
        yield from _changes(loaded, in_force.get(loaded.rule.code))
    for waiver in policy.waivers:
        until = f"until {waiver.expires}" if waiver.expires else "for good"
        yield one_line(f"waiver {waiver.target} on {waiver.scope} by {waiver.owner} {until}: {waiver.reason}")


def _changes(loaded: LoadedRule, now: LoadedRule | None) -> Iterator[str]:
    if now is None:
        if not loaded.rule.experimental:
            yield f"{loaded.rule.code} off"
        return
    if loaded.rule.experimental:
        yield f"{loaded.rule.code} on (experimental)"
    if now.severity:
        yield f"{loaded.rule.code} severity {now.severity.value} (default {loaded.rule.severity.value})"
    if now.thresholds:
        before = loaded.thresholds._asdict()
        changed = {name: value for name, value in now.thresholds._asdict().items() if value != before[name]}
        yield from (f"{loaded.rule.code} {name} {value} (default {before[name]})" for name, value in changed.items())
