"""The report as Markdown: what becomes a code span in a sentence."""

import pytest

from numaaudit.report.as_markdown import prose


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
