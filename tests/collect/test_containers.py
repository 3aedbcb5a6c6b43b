import pytest

from numaaudit.collect.containers import find_container
from numaaudit.core.errors import CollectError, NothingSelectedError, UsageError

A, B = "a1" * 32, "a1b2" * 16


CGROUPS = ["0::/docker/%s\n" % A, "0::/docker/%s\n" % B, "0::/\n"]


@pytest.mark.parametrize("typed", [A, A[:12], "a1a", "containerd://" + A])
def test_a_full_or_short_id_finds_it(typed):
    assert find_container(typed, CGROUPS) == A


def test_an_id_that_several_begin_with_is_not_guessed():
    with pytest.raises(CollectError, match="several containers begin with a1: a1a1a1a1a1a1, a1b2a1b2a1b2"):
        find_container("a1", CGROUPS)


def test_an_unknown_id_names_the_closest():
    with pytest.raises(NothingSelectedError) as caught:
        find_container("a1b3", CGROUPS)

    assert (str(caught.value), caught.value.hint) == ("no process is in container a1b3", "closest: a1b2a1b2a1b2, a1a1a1a1a1a1")


def test_on_a_host_without_containers_that_is_said():
    with pytest.raises(NothingSelectedError) as caught:
        find_container("a1", ["0::/user.slice\n"])

    assert caught.value.hint == "no process of this host is in a container"


@pytest.mark.parametrize("typed", ["web", "A1", "a1/b2", "", "a" * 65])
def test_a_name_is_no_id(typed):
    with pytest.raises(UsageError, match="not an id"):
        find_container(typed, CGROUPS)
