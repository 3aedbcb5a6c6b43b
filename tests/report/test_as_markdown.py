"""The report as Markdown: what becomes a code span in a sentence."""

import pytest

from numaaudit.report.as_markdown import markdown, prose
from numaaudit.report.page import make_page
from numaaudit.report.view import Input
from numaaudit.rules.engine import audit
from numaaudit.rules.finding import Outcome


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Rank 4 (pid 42) may run on CPUs 0-3, 50 % of them.", "Rank 4 (pid 42) may run on CPUs 0-3, 50 % of them."),
        ("in a_b, *here*", "in `a_b,` `*here*`"),
        ("at http://192.0.2.1/x now", "at `http://192.0.2.1/x` now"),
        ("see (www.example.com) x", "see (`www.example.com)` x"),
        ("of naïve x", "of na`ïve` x"),
        ("two  blanks", "two  blanks"),
        ("", ""),
    ],
)
def test_words_that_could_be_markup_become_code(sentence, expected):
    assert prose(sentence) == expected


@pytest.mark.parametrize(("word", "expected"), [("x" * 65536, "x" * 65536), ("x" * 65536 + "@", "`" + "x" * 65536 + "@`")])
def test_a_word_of_64_kib_is_looked_at_once(word, expected):
    assert prose(word) == expected


@pytest.mark.parametrize(
    ("fixes", "lines"),
    [(("Do a.",), ["Fix: Do a.", "", "```text"]), (("Do a.", "Do b."), ["Fix:", "", "- Do a.", "- Do b.", "", "```text"])],
)
def test_several_fixes_are_a_list(host, fixes, lines):
    misplaced = host("2p-2n-2g-rank-off-node")
    page = make_page(audit(misplaced), misplaced, Input("x", "bundle", None), frozenset(Outcome))
    written = markdown(page._replace(blocks=(page.blocks[0]._replace(fixes=fixes),))).splitlines()

    at = written.index(lines[0])
    assert written[at : at + len(lines)] == lines
