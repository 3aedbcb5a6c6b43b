import pytest

from numaaudit.core.errors import ParseError
from numaaudit.parse.parsers.proc_limits import ProcLimits, ResourceLimit, parse

HEAD = "Limit                     Soft Limit           Hard Limit           Units     \n"
LOCKED = "Max locked memory         8388608              unlimited            bytes     \n"
NICE = "Max nice priority         0                    20                   \n"


def test_the_table_gives_the_limits() -> None:
    assert parse(HEAD + LOCKED + NICE) == ProcLimits(
        (ResourceLimit("Max locked memory", 8388608, None, "bytes"), ResourceLimit("Max nice priority", 0, 20, ""))
    )


def test_a_limit_this_kernel_lacks_is_none() -> None:
    assert parse(HEAD + LOCKED).get("Max realtime timeout") is None


@pytest.mark.parametrize("text", ["", HEAD, HEAD + "Max locked memory", HEAD + LOCKED.replace("8388608", "many"), "some prose\n"])
def test_a_text_without_limits_is_refused(text: str) -> None:
    with pytest.raises(ParseError):
        parse(text)
