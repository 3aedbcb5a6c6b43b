"""Rules for people."""

from numaaudit.report.rule_text import page_text, rule_lines
from numaaudit.rules.engine import load_rules


def test_a_rule_that_is_experimental_is_said_to_be_off_in_the_list_and_on_its_page():
    rules = load_rules()
    experimental = [loaded.rule.experimental for loaded in rules]

    assert {True, False} == set(experimental)
    assert [line.endswith("(experimental, off)") for line in rule_lines(rules)] == experimental
    assert ["Experimental: " in page_text(loaded) for loaded in rules] == experimental
    assert all(page_text(loaded).startswith(loaded.page.strip()) for loaded in rules)
