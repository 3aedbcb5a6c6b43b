"""What every rule has to have, whoever wrote it."""

import re
import string
from pathlib import Path

import pytest

from numaaudit.model.join import needs_of
from numaaudit.rules.engine import LoadedRule, load_rules
from numaaudit.rules.finding import CATEGORIES
from numaaudit.rules.page import sections, title

CHECKS = Path(__file__).parent / "checks"
RULES = load_rules()
# Words of a remedy: a rule is named after what is wrong.
REMEDIES = re.compile(r"^(?:use|set|enable|disable|avoid|ensure|should|must)-|-(?:should|must)(?:-|$)")


def of_each(rule: LoadedRule) -> str:
    return rule.name


every_rule = pytest.mark.parametrize("loaded", RULES, ids=of_each)


def fields(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


@every_rule
def test_its_page_is_whole_and_titled_with_name_and_code(loaded):
    assert sections(loaded.page)
    assert title(loaded.page) == f"{loaded.name} ({loaded.rule.code})"


@every_rule
def test_its_page_begins_with_a_sentence_and_cites_sources(loaded):
    assert re.fullmatch(r"[A-Z][^\n]*(?:\n[^\n]+)*\.", loaded.page.split("\n\n")[1].strip())
    assert all(re.fullmatch(r"- https://\S+", line) for line in sections(loaded.page)["References"].splitlines())


@every_rule
def test_its_page_names_its_thresholds_with_their_values(loaded):
    page = " ".join(sections(loaded.page)["What it checks"].split())
    defaults = loaded.thresholds._asdict() if loaded.thresholds else {}

    assert [f"`{name}` ({value})" for name, value in defaults.items() if f"`{name}` ({value})" not in page] == []


@every_rule
def test_its_thresholds_are_given_to_it_so_that_a_policy_can_change_them(loaded):
    assert not hasattr(__import__(loaded.check.__module__, fromlist=["RULE"]), "THRESHOLDS")
    assert (type(loaded.thresholds) in [need.kind for need in needs_of(loaded.check)]) == bool(loaded.thresholds)


@every_rule
def test_its_name_states_the_problem(loaded):
    assert re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)+", loaded.name)
    assert not REMEDIES.search(loaded.name)


@every_rule
def test_its_code_category_and_sentences_are_well_formed(loaded):
    assert re.fullmatch(r"NA[1-9]\d\d", loaded.rule.code)
    assert loaded.rule.category in CATEGORIES
    assert all(text.endswith(".") for text in (loaded.message, loaded.fix, *loaded.messages.values()))


@every_rule
def test_it_has_tests_for_all_three_outcomes(loaded):
    text = (CHECKS / f"test_{loaded.name.replace('-', '_')}.py").read_text(encoding="utf-8")

    assert loaded.rule.code in text
    assert [word for word in ("silent", "unknown") if f"def test_{word}" not in text and f"_{word}" not in text] == []


def test_codes_are_not_used_twice():
    codes = [loaded.rule.code for loaded in RULES]

    assert codes == sorted(set(codes))


HUNDREDS = {
    "1": {"asymmetric-slots", "numa-node-unknown", "device-order", "identity-drift", "offline-cpus"},
    "2": {"rank-core-mismatch", "thread-mask-leak", "oversubscription", "smt-sharing", "offline-cpus", "scheduler-binding"},
    "3": {"memory-remote", "memory-policy", "memory-tier", "hugepages", "node-memory", "numa-balancing"},
    "4": {"device-order", "nic-gpu-distance", "system-setting", "memory-tier"},
    "5": {"irq-remote", "nic-gpu-distance", "storage-remote"},
    "6": {"cpuset-clip", "kubernetes-policy", "scheduler-binding", "oversubscription", "system-setting"},
    "7": {"launcher-defect", "device-order", "scheduler-binding"},
    "8": {"evidence-gap", "numa-node-unknown"},
    "9": {"identity-drift", "application", "system-setting", "numa-balancing"},
}


@every_rule
def test_its_code_is_of_the_right_hundred(loaded):
    assert loaded.rule.category in HUNDREDS[loaded.rule.code[2]]
