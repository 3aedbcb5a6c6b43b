"""Rules for people."""

from numaaudit.report.rule_text import page_text, rule_lines
from numaaudit.rules.engine import load_rules


def test_a_rule_that_is_experimental_is_said_to_be_off_in_the_list_and_on_its_page():
    rules = load_rules()
    experimental = [loaded.rule.experimental for loaded in rules]

    assert {True, False} == set(experimental)
    assert [line.endswith("(experimental, off)") for line in rule_lines(rules)] == experimental
    assert [page_text(loaded).split("\n\n")[1].startswith("Experimental: ") for loaded in rules] == experimental
    assert all(page_text(loaded).endswith(loaded.page.strip().partition("\n")[2]) for loaded in rules)
