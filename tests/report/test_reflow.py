"""Pages on a terminal."""

import pytest

from numaaudit.report.reflow import reflow
from numaaudit.report.rule_text import page_text
from numaaudit.rules.engine import load_rules

PAGE = """# A title that is longer than the terminal is wide

one two three
four five

- item one two three
  and its end
  - below
1. first

```text
code  that   is longer than the terminal is wide
```
    more code, which is longer too
"""


@pytest.mark.parametrize(
    ("width", "text"),
    [
        (12, ["one two", "three four", "five"]),
        (80, ["one two three four five"]),
        (12, ["- item one", "  two three", "  and its", "  end", "  - below", "1. first"]),
        (80, ["- item one two three and its end", "  - below", "1. first"]),
        (12, ["```text", "code  that   is longer than the terminal is wide", "```", "    more code, which is longer too", ""]),
        (12, ["# A title that is longer than the terminal is wide", ""]),
    ],
)
def test_paragraphs_and_items_are_as_wide_as_the_terminal_and_all_else_as_it_is(width, text):
    lines = reflow(PAGE, width).split("\n")
    at = lines.index(text[0])

    assert lines[at : at + len(text)] == text


@pytest.mark.parametrize("loaded", load_rules(), ids=lambda loaded: loaded.rule.code)
def test_no_word_of_a_rules_page_is_lost(loaded):
    assert reflow(page_text(loaded), 80).split() == page_text(loaded).split()
