"""Run every rule on a host and decide the gates."""

import importlib
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import NamedTuple

from numaaudit.bundle.tree import Gap
from numaaudit.core.plugins import discover
from numaaudit.model.host import Host
from numaaudit.model.join import needs_of, supply
from numaaudit.rules.finding import Finding, Gate, Judgement, Outcome, Rule, Severity

CHECKS = "numaaudit.rules.checks"


class LoadedRule(NamedTuple):
    """A rule's file: its constant, its function, its sentences and its page."""

    rule: Rule
    name: str
    check: Callable[..., Iterable[Judgement]]
    message: str
    fix: str
    page: str
    messages: dict[str, str]

    def template(self, judgement: Judgement) -> str:
        """The sentence of a judgement: MESSAGE, or the one of MESSAGES that it names."""
        return self.messages[judgement.message] if judgement.message else self.message


class Audit(NamedTuple):
    """Everything the rules said of one host. ``verdict`` is the worst of the gates that were assessed."""

    findings: tuple[Finding, ...]
    gates: dict[Gate, str]
    verdict: str
    rules: tuple[LoadedRule, ...]
    crashes: tuple[str, ...] = ()

    def count(self, outcome: Outcome) -> int:
        """(rule, subject) pairs with this outcome."""
        return sum(finding.judgement.outcome is outcome for finding in self.findings)

    def failing(self, at_least: Severity) -> list[Finding]:
        return [
            finding for finding in self.findings if finding.judgement.outcome is Outcome.FAIL and finding.severity.rank <= at_least.rank
        ]

    def rule_named(self, name: str) -> LoadedRule:
        return next(loaded for loaded in self.rules if loaded.name == name)


@cache
def load_rules() -> tuple[LoadedRule, ...]:
    """Every rule of the package in order of code. ValueError where two have one code."""
    loaded = [load_rule(f"{CHECKS}.{stem}", rule) for stem, rule in discover(CHECKS, "RULE", Rule).items()]
    codes = [each.rule.code for each in loaded]
    if len(set(codes)) != len(codes):
        raise ValueError(f"two rules have one code: {sorted(codes)}")
    return tuple(sorted(loaded, key=lambda each: each.rule.code))


def load_rule(module_name: str, rule: Rule) -> LoadedRule:
    """The rule in a module; its name is the module's with dashes."""
    module = importlib.import_module(module_name)
    name = module_name.rpartition(".")[2].replace("_", "-")
    return LoadedRule(rule, name, module.check, module.MESSAGE, module.FIX, module.__doc__ or "", getattr(module, "MESSAGES", {}))


def audit(host: Host, fail_on: Severity = Severity.MEDIUM, rules: Iterable[LoadedRule] | None = None) -> Audit:
    """Judge a host. A rule that crashes gives ``error`` and its traceback in ``crashes``; the others go on."""
    chosen = tuple(load_rules() if rules is None else rules)
    findings: list[Finding] = []
    crashes: list[str] = []
    for loaded in chosen:
        if loaded.rule.experimental:
            continue
        try:
            findings += [_finding(loaded, judgement) for judgement in _judge(loaded, host)]
        except Exception:  # noqa: BLE001 - a rule is a plug-in: one that crashes must not take the others' verdicts with it
            import traceback

            crashes.append(traceback.format_exc())
            findings.append(_finding(loaded, Judgement(Outcome.ERROR, "host")))
    gates = {gate: _gate(gate, findings, fail_on) for gate in Gate}
    ordered = tuple(sorted(findings, key=_order))
    return Audit(ordered, gates, _worst(gates.values()), chosen, tuple(crashes))


def _judge(loaded: LoadedRule, host: Host) -> Iterator[Judgement]:
    needs = needs_of(loaded.check)
    missing = [need.kind.__name__ for need in needs if need.shape == "section" and host.sections.get(need.kind) is None]
    if missing:
        yield Judgement(Outcome.UNKNOWN, "host", gaps=tuple(Gap("absent", "", f"no {name.lower()} in the evidence") for name in missing))
        return
    yield from loaded.check(*(supply(need, host.sections, host.records) for need in needs))


def _finding(loaded: LoadedRule, judgement: Judgement) -> Finding:
    return Finding(loaded.rule, loaded.name, judgement, judgement.severity or loaded.rule.severity)


def _gate(gate: Gate, findings: list[Finding], fail_on: Severity) -> str:
    own = [finding for finding in findings if finding.rule.gate is gate]
    outcomes = {finding.judgement.outcome for finding in own}
    if any(finding.judgement.outcome is Outcome.FAIL and finding.severity.rank <= fail_on.rank for finding in own):
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
