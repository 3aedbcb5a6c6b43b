"""Run every rule on a host and decide the gates."""

import importlib
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

from numaaudit.bundle.tree import Gap
from numaaudit.core.plugins import discover
from numaaudit.model.host import Host
from numaaudit.model.join import needs_of, supply
from numaaudit.model.sections.system import System
from numaaudit.rules.causes import refuse_circles, with_causes
from numaaudit.rules.finding import Finding, Gate, Judgement, Outcome, Rule, Severity
from numaaudit.rules.viewpoint import seen_from
from numaaudit.rules.waiver import Waiver, Waivers
from numaaudit.rules.waiving import waive

CHECKS = "numaaudit.rules.checks"


class LoadedRule(NamedTuple):
    """A rule's file: its constant, its function, its sentences, its page and its thresholds (``Thresholds``, a NamedTuple of defaults).

    ``severity``: the policy's in place of the rule's.
    """

    rule: Rule
    name: str
    check: Callable[..., Iterable[Judgement]]
    message: str
    fix: str
    page: str
    messages: dict[str, str]
    thresholds: Any = ()
    severity: Severity | None = None

    def template(self, judgement: Judgement) -> str:
        """The sentence of a judgement: MESSAGE, or the one of MESSAGES that it names."""
        return self.messages[judgement.message] if judgement.message else self.message


class Audit(NamedTuple):
    """Everything the rules said of one host. ``verdict`` is the worst of the gates that were assessed, which fail from ``fail_on`` on."""

    findings: tuple[Finding, ...]
    gates: dict[Gate, str]
    verdict: str
    rules: tuple[LoadedRule, ...]
    crashes: tuple[str, ...] = ()
    fail_on: Severity = Severity.MEDIUM

    def count(self, outcome: Outcome) -> int:
        """(rule, subject) pairs with this outcome."""
        return sum(finding.judgement.outcome is outcome for finding in self.findings)

    @property
    def num_waived(self) -> int:
        """How many of the failures somebody answers for."""
        return sum(finding.waiver is not None for finding in self.findings)

    def failing(self, at_least: Severity) -> list[Finding]:
        """The failures at or above a severity that nobody waived."""
        return [finding for finding in self.findings if finding.counts and finding.severity.rank <= at_least.rank]


@cache
def load_rules() -> tuple[LoadedRule, ...]:
    """Every rule of the package in order of code."""
    return in_order(load_package(CHECKS))


def load_package(package: str) -> list[LoadedRule]:
    """The rule of each module of a package, as far as its name is public."""
    return [load_rule(f"{package}.{stem}", rule) for stem, rule in discover(package, "RULE", Rule).items()]


def in_order(rules: Iterable[LoadedRule]) -> tuple[LoadedRule, ...]:
    """The rules by code. ValueError where two have one code, or name each other as causes."""
    ordered = tuple(sorted(rules, key=lambda each: each.rule.code))
    doubled = [each.rule.code for each, after in pairwise(ordered) if each.rule.code == after.rule.code]
    if doubled:
        raise ValueError(f"two rules have the code {doubled[0]}")
    refuse_circles(each.rule for each in ordered)
    return ordered


def load_rule(module_name: str, rule: Rule) -> LoadedRule:
    """The rule in a module; its name is the module's with dashes."""
    module = importlib.import_module(module_name)
    name = module_name.rpartition(".")[2].replace("_", "-")
    thresholds = module.Thresholds() if hasattr(module, "Thresholds") else ()
    return LoadedRule(
        rule, name, module.check, module.MESSAGE, module.FIX, module.__doc__ or "", getattr(module, "MESSAGES", {}), thresholds
    )


def audit(
    host: Host, fail_on: Severity = Severity.MEDIUM, rules: Iterable[LoadedRule] | None = None, waivers: tuple[Waiver, ...] = ()
) -> Audit:
    """Judge a host by these rules, or by all that are not experimental.

    A rule that crashes gives ``error`` and its traceback in ``crashes``; the others go on.
    """
    chosen = tuple((each for each in load_rules() if not each.rule.experimental) if rules is None else rules)
    crashes: list[str] = []
    findings = _run([each for each in chosen if not _is_about_waivers(each)], host, crashes)
    findings, standings = waive(findings, waivers, host.section(System))
    about = host._replace(sections={**host.sections, Waivers: standings})
    findings = with_causes([*findings, *_run([each for each in chosen if _is_about_waivers(each)], about, crashes)])
    gates = {gate: _gate(gate, findings, fail_on) for gate in Gate}
    return Audit(tuple(sorted(findings, key=_order)), gates, _worst(gates.values()), chosen, tuple(crashes), fail_on)


def _is_about_waivers(loaded: LoadedRule) -> bool:
    """Whether it has to wait until the other rules have judged."""
    return any(need.kind is Waivers for need in needs_of(loaded.check))


def _run(rules: Iterable[LoadedRule], host: Host, crashes: list[str]) -> list[Finding]:
    findings: list[Finding] = []
    system = host.section(System)
    for loaded in rules:
        try:
            findings += [_finding(loaded, seen_from(system, loaded.rule, judgement)) for judgement in _judge(loaded, host)]
        except Exception:  # noqa: BLE001 - a rule is a plug-in: one that crashes must not take the others' verdicts with it
            import traceback

            crashes.append(traceback.format_exc())
            findings.append(_finding(loaded, Judgement(Outcome.ERROR, "host")))
    return findings


def _judge(loaded: LoadedRule, host: Host) -> Iterator[Judgement]:
    needs, supplied = needs_of(loaded.check), {**host.sections, type(loaded.thresholds): loaded.thresholds}
    missing = [need.kind.__name__ for need in needs if need.shape == "section" and supplied.get(need.kind) is None]
    if missing:
        yield Judgement(Outcome.UNKNOWN, "host", gaps=tuple(Gap("absent", "", f"no {name.lower()} in the evidence") for name in missing))
        return
    yield from loaded.check(*(supply(need, supplied, host.records) for need in needs))


def _finding(loaded: LoadedRule, judgement: Judgement) -> Finding:
    if loaded.thresholds:
        judgement = judgement._replace(thresholds=loaded.thresholds._asdict())
    return Finding(loaded.rule, loaded.name, judgement, _severity(loaded, judgement))


def _severity(loaded: LoadedRule, judgement: Judgement) -> Severity:
    """The policy's where there is one; what the rule itself calls milder than its default stays no worse than that."""
    default = loaded.rule.severity
    own = judgement.severity or default
    if loaded.severity is None:
        return own
    return max(own, loaded.severity, key=lambda each: each.rank) if own.rank > default.rank else loaded.severity


def _gate(gate: Gate, findings: list[Finding], fail_on: Severity) -> str:
    own = [finding for finding in findings if finding.rule.gate is gate]
    outcomes = {finding.judgement.outcome for finding in own if finding.rule.category != "evidence-gap"}  # these judge no host
    if any(finding.counts and finding.severity.rank <= fail_on.rank for finding in own):
        return "fail"
    judged = outcomes & {Outcome.PASS, Outcome.FAIL}
    if gate is Gate.APPLICATION and not judged:
        return "not_assessed"
    if not judged or any(finding.rule.decides and finding.judgement.outcome in (Outcome.UNKNOWN, Outcome.ERROR) for finding in own):
        return "unknown"
    return "pass"


def _worst(gates: Iterable[str]) -> str:
    order = ("fail", "unknown", "pass")
    return min((gate for gate in gates if gate in order), key=order.index, default="unknown")


def _order(finding: Finding) -> tuple[object, ...]:
    """Failures by severity first, then what is unknown; within them by rule and subject, numbers by value."""
    outcomes = list(Outcome)
    rank = {Outcome.FAIL: 0, Outcome.ERROR: 1, Outcome.UNKNOWN: 2}.get(
        finding.judgement.outcome, 3 + outcomes.index(finding.judgement.outcome)
    )
    kind, _, value = finding.judgement.subject.partition(":")
    return (rank, finding.severity.rank, finding.rule.code, kind, int(value) if value.isdigit() else -1, value)
