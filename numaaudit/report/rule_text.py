"""Rules for people: the list, one page, and why a rule did or did not fire for each subject."""

from collections.abc import Iterator

from numaaudit.core.errors import UsageError
from numaaudit.core.visible import one_line
from numaaudit.model.host import Host
from numaaudit.model.sections.cut_cpus import CutCpus
from numaaudit.report.cut_text import layer_lines
from numaaudit.report.view import plain, show
from numaaudit.rules.engine import LoadedRule, audit
from numaaudit.rules.finding import Outcome
from numaaudit.rules.page import summary
from numaaudit.rules.settings import Policy, all_rules

_EXPERIMENTAL = """

Experimental: no recorded host or kernel backs its verdict yet, so it is off. A policy turns it on, with `experimental: true` for
all such rules, or `enabled: true` for this one."""


def rule_lines(rules: tuple[LoadedRule, ...]) -> list[str]:
    """``NA201  high    placement  rank-cpus-off-gpu-node  None of the CPUs …``."""
    width = max(len(loaded.name) for loaded in rules)
    return [
        f"{loaded.rule.code}  {loaded.rule.severity.value:<8}  {loaded.rule.gate.value:<11}  {loaded.name:<{width}}  {summary(loaded.page)}"
        + ("  (experimental, off)" if loaded.rule.experimental else "")
        for loaded in rules
    ]


def page_of(code: str, policy: Policy) -> LoadedRule:
    """A rule by code or name, in any letter case, as the policy changes it; also one that is off. UsageError if there is none."""
    wanted = code.lower()
    rules = {loaded.rule.code: loaded for loaded in (*all_rules(policy.plugins), *policy.rules)}
    found = next((loaded for loaded in rules.values() if wanted in (loaded.rule.code.lower(), loaded.name)), None)
    if found is None:
        raise UsageError(f"no rule {code}", "numaaudit rules lists them")
    return found


def page_text(loaded: LoadedRule) -> str:
    """A rule's page; one that is experimental says so under its title."""
    title, rest, text = loaded.page.strip().partition("\n")
    return f"{title}{_EXPERIMENTAL if loaded.rule.experimental else ''}{rest}{text}"


def why_lines(loaded: LoadedRule, host: Host) -> Iterator[str]:
    """For each subject the outcome, the facts that were compared and their lines."""
    findings = audit(host, rules=[loaded]).findings
    if not findings:
        yield "Nothing in this evidence is a subject of the rule."
    if loaded.thresholds:
        yield f"thresholds: {', '.join(f'{name} {value}' for name, value in loaded.thresholds._asdict().items())}"
    cuts = host.section(CutCpus)
    for finding in findings:
        item, judgement = show(finding, loaded), finding.judgement
        yield f"{judgement.outcome.value.replace('_', ' ')}  {one_line(judgement.subject)}"
        if judgement.outcome in (Outcome.FAIL, Outcome.UNKNOWN):
            yield f"  {one_line(item.message)}"
        elif judgement.facts:
            yield "  " + one_line(", ".join(f"{name.replace('_', ' ')} {plain(value)}" for name, value in judgement.facts.items()))
        for evidence in item.evidence:
            where = f"{evidence.path}:{evidence.line}" if evidence.line else evidence.path
            yield f"    {one_line(where)}: {one_line(evidence.text)}"
        if judgement.outcome is Outcome.FAIL and (cut := cuts.by_subject(judgement.subject)):
            yield from (f"    {line}" for line in layer_lines(cut))
