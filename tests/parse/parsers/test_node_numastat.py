import pytest

from numaaudit.core.errors import ParseError
from numaaudit.parse.parsers.node_numastat import NumaNodeNumastat, parse

TEXT = "numa_hit 18273645121\nnuma_miss 5\nnuma_foreign 7\ninterleave_hit 20114\nlocal_node 18273645000\nother_node 126\n"
RECORD = NumaNodeNumastat(18273645121, 5, 7, 20114, 18273645000, 126)


@pytest.mark.parametrize("text", [TEXT, TEXT + "\0", TEXT + "brand_new_counter 3\n", "\n" + TEXT])
def test_the_counters_give_the_record(text: str) -> None:
    assert parse(text) == RECORD


@pytest.mark.parametrize("text", ["", "numa_hit 5\n", TEXT.replace("126", "-126"), TEXT.replace("126", "1.5"), TEXT[:-4]])
def test_a_cut_or_impossible_text_is_refused(text: str) -> None:
    with pytest.raises(ParseError):
        parse(text)
