import pytest

from numaaudit.bundle.limits import LIMITS
from numaaudit.core.errors import ParseError
from numaaudit.parse.json_text import by_numa_node, optional, read_object, required, texts, typed


def test_what_follows_the_object_is_not_looked_at() -> None:
    assert read_object('\n {"a": 1}]$ ') == {"a": 1}


@pytest.mark.parametrize("text", ["", "{", "[1]", "7", '{"a": ', "[" * 100_000, '{"a":' * 50_000, '{"a": %s}' % ("9" * 5000)])
def test_what_is_no_object_is_refused(text: str) -> None:
    with pytest.raises(ParseError):
        read_object(text)


def test_a_document_above_the_limit_is_refused_unread() -> None:
    with pytest.raises(ParseError, match="more than"):
        read_object(" " * (LIMITS.document_bytes + 1))


def test_the_error_names_the_line() -> None:
    with pytest.raises(ParseError) as caught:
        read_object('{\n"a" 1}')
    assert caught.value.line == 2


def test_members_are_typed_and_null_is_missing() -> None:
    owner = {"a": 1, "b": None, "c": True}
    assert (required(owner, "a", int), optional(owner, "b", int), optional(owner, "d", str), required(owner, "c", bool)) == (
        1,
        None,
        None,
        True,
    )


@pytest.mark.parametrize(("value", "kind"), [("1", int), (1, str), (True, int), (None, dict), ([], dict)])
def test_a_value_of_another_type_is_refused(value: object, kind: type) -> None:
    with pytest.raises(ParseError, match="x is not of type"):
        typed(value, kind, "x")


def test_a_list_of_texts_holds_only_texts() -> None:
    with pytest.raises(ParseError):
        texts(["a", 1], "ids")


def test_what_goes_by_numa_node_is_read_by_number() -> None:
    assert list(by_numa_node({"pages": {"10": 2, "9": 1}}, "pages").items()) == [(9, 1), (10, 2)]


@pytest.mark.parametrize("name", ["", "-1", "01", "4096", "10000", "\u00b2", "x", " 1"])
def test_another_name_than_a_numa_nodes_is_refused(name: str) -> None:
    with pytest.raises(ParseError, match="pages does not go by NUMA node"):
        by_numa_node({"pages": {name: 1}}, "pages")
