import pytest

from numaaudit.core.errors import ParseError
from numaaudit.parse.parsers.vmstat import Vmstat, parse

NOTHING = Vmstat(*[None] * len(Vmstat._fields))


@pytest.mark.parametrize(
    ("text", "record"),
    [
        ("nr_free_pages 5079178\nnuma_hit 18273645121\nnuma_miss 0\nnuma_hint_faults_local 3\nbrand_new x\n",
         NOTHING._replace(numa_hit=18273645121, numa_miss=0, numa_hint_faults_local=3)),
        ("pgmigrate_success 7\npgmigrate_fail 1\noom_kill 2\n\0", NOTHING._replace(pgmigrate_success=7, pgmigrate_fail=1, oom_kill=2)),
    ],
)  # fmt: skip
def test_known_counters_give_the_record(text: str, record: Vmstat) -> None:
    assert parse(text) == record


@pytest.mark.parametrize("text", ["", "nr_free_pages 5079178\n", "numa_hit\n", "numa_hit -1\n", "numa_hit 1 2\n"])
def test_a_text_without_a_known_counter_is_refused(text: str) -> None:
    with pytest.raises(ParseError):
        parse(text)
