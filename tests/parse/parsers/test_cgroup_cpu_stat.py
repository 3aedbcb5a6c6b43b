import pytest

from numaaudit.core.errors import ParseError
from numaaudit.parse.parsers.cgroup_cpu_stat import CgroupCpuStat, parse


@pytest.mark.parametrize(
    ("text", "record"),
    [
        ("usage_usec 118220431\nuser_usec 1\nnr_periods 4567\nnr_throttled 3115\nthrottled_usec 201922880\n",
         CgroupCpuStat(118220431, 4567, 3115, 201922880)),
        ("nr_periods 0\nnr_throttled 0\nthrottled_time 2999\n\0", CgroupCpuStat(None, 0, 0, 2)),
        ("usage_usec 5\n", CgroupCpuStat(5, None, None, None)),
    ],
)  # fmt: skip
def test_both_versions_give_the_record(text: str, record: CgroupCpuStat) -> None:
    assert parse(text) == record


@pytest.mark.parametrize("text", ["", "prose\n", "nr_periods x\n", "brand_new 5\n"])
def test_a_text_without_a_known_key_is_refused(text: str) -> None:
    with pytest.raises(ParseError):
        parse(text)
