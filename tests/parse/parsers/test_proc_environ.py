import pytest

from numaaudit.parse.parsers.proc_environ import ProcEnviron, parse


@pytest.mark.parametrize(
    ("text", "variables"),
    [
        ("LOCAL_RANK=3\0CUDA_VISIBLE_DEVICES=\0", (("LOCAL_RANK", "3"), ("CUDA_VISIBLE_DEVICES", ""))),
        ("A=b=c\0", (("A", "b=c"),)),
        ("RANK=1\nX\0", (("RANK", "1\nX"),)),
        ("rewritten title\0=x\0RANK=1", (("RANK", "1"),)),
        ("", ()),
    ],
)
def test_an_environment_gives_names_and_values(text: str, variables: tuple[tuple[str, str], ...]) -> None:
    assert parse(text) == ProcEnviron(variables)


def test_of_a_name_that_comes_twice_the_first_value_counts() -> None:
    assert parse("RANK=1\0RANK=2\0").get("RANK") == "1"


def test_a_variable_that_is_not_set_is_none_and_an_empty_one_is_not() -> None:
    environ = parse("CUDA_VISIBLE_DEVICES=\0")
    assert (environ.get("CUDA_VISIBLE_DEVICES"), environ.get("RANK")) == ("", None)
