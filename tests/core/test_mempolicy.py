import pytest

from numaaudit.core.cpuset import NodeSet
from numaaudit.core.mempolicy import MemPolicy

LONG = "prefer (many)=static:0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30"  # 63 characters: all the kernel's buffer holds


def nodes(text: str) -> NodeSet:
    return NodeSet.parse(text)


@pytest.mark.parametrize(
    ("text", "mode", "flags", "numa_nodes"),
    [
        ("default", "default", (), ""),
        ("local", "local", (), ""),
        ("prefer:1", "preferred", (), "1"),
        ("prefer (many):0-2", "preferred_many", (), "0-2"),
        ("bind:0-1,3", "bind", (), "0-1,3"),
        ("bind=static:1", "bind", ("static",), "1"),
        ("bind=static|balancing:0-1", "bind", ("static", "balancing"), "0-1"),
        ("interleave=relative:0-1", "interleave", ("relative",), "0-1"),
        ("weighted interleave:0-1", "weighted_interleave", (), "0-1"),
    ],
)
def test_every_policy_the_kernel_prints_is_known(text: str, mode: str, flags: tuple[str, ...], numa_nodes: str) -> None:
    assert MemPolicy.parse(text) == MemPolicy(text, mode, flags, nodes(numa_nodes), True)


@pytest.mark.parametrize("text", ["unknown", "brand new:0-1", "bind:3-1", "bind:99999", "", "bind:0-1 ", "BIND:0"])
def test_a_policy_of_another_kernel_is_kept_as_text(text: str) -> None:
    assert MemPolicy.parse(text) == MemPolicy(text, None, (), NodeSet(), False)


def test_a_policy_as_long_as_the_kernels_buffer_may_lack_nodes_and_digits() -> None:
    assert MemPolicy.parse(LONG) == MemPolicy(LONG, "preferred_many", ("static",), nodes("0,2,4,6,8,10,12,14,16,18,20,22,24,26,28"), False)


@pytest.mark.parametrize(
    ("text", "mode", "numa_nodes", "complete"),
    [("bind:1", "bind", "", False), ("bind:0,1", "bind", "0", False), ("bin", None, "", False), ("prefer", None, "", False)],
)
def test_of_a_cut_policy_the_last_number_is_not_believed(text: str, mode: str | None, numa_nodes: str, complete: bool) -> None:
    assert MemPolicy.parse(text, cut=True) == MemPolicy(text, mode, (), nodes(numa_nodes), complete)


def test_a_policy_prints_as_the_kernel_does() -> None:
    assert str(MemPolicy.parse("bind=static:0-1")) == "bind=static:0-1"
