import pytest

from numaaudit.core.errors import ParseError
from numaaudit.core.hostlist import expand


@pytest.mark.parametrize(
    ("expression", "names"),
    [
        ("gpu[01-03,7],login", ["gpu01", "gpu02", "gpu03", "gpu7", "login"]),
        ("/dev/nvidia[0-1]", ["/dev/nvidia0", "/dev/nvidia1"]),
        ("a[1]b", ["a1b"]),
        ("gpu-7", ["gpu-7"]),
        ("", []),
    ],
)
def test_names(expression, names):
    assert list(expand(expression)) == names


@pytest.mark.parametrize("expression", ["gpu[1-]", "gpu[-3]", "gpu[0-1024]", "gpu[1--2]"])
def test_what_is_no_list(expression):
    with pytest.raises(ParseError, match="line 3: not a list of names"):
        list(expand(expression, 3))


def test_a_list_of_millions_of_names_is_refused():
    with pytest.raises(ParseError, match="line 3: a list of more than 65536 names"):
        list(expand(",".join(["gpu[0-1023,2000-3023]"] * 1000), 3))
