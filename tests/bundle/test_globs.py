import pytest

from numaaudit.bundle.globs import matcher


@pytest.mark.parametrize(
    ("part", "name", "expected"),
    [
        ("cpu*", "cpu0", True),
        ("cpu[0-9]*", "cpuidle", False),
        ("cpu[0-9]*", "cpu12", True),
        ("cpu[0-9]*", "cpu1x", False),
        ("card?", "card12", False),
        ("*", "", True),
        ("node[0-9]", "node3", True),
    ],
)
def test_a_pattern_matches_whole_names(part, name, expected):
    assert bool(matcher(part)(name)) is expected


def test_a_plain_name_is_no_pattern():
    assert matcher("cpulist") is None
