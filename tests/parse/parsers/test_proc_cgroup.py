import pytest

from numaaudit.core.errors import ParseError
from numaaudit.parse.parsers.proc_cgroup import CgroupMembership, ProcCgroup, parse


@pytest.mark.parametrize(
    ("text", "memberships"),
    [
        ("0::/user.slice\n", (CgroupMembership(0, (), "/user.slice", False),)),
        ("0::/../x\n", (CgroupMembership(0, (), "/../x", False),)),
        ("4:cpuset:/a:b\n", (CgroupMembership(4, ("cpuset",), "/a:b", False),)),
        ("5:cpu,cpuacct:/ (deleted)\n", (CgroupMembership(5, ("cpu", "cpuacct"), "/", True),)),
        ("1:name=systemd:/init.scope\n0::/init.scope\n",
         (CgroupMembership(1, ("name=systemd",), "/init.scope", False), CgroupMembership(0, (), "/init.scope", False))),
        ("", ()),
    ],
)  # fmt: skip
def test_the_lines_give_the_memberships(text: str, memberships: tuple[CgroupMembership, ...]) -> None:
    assert parse(text) == ProcCgroup(memberships)


@pytest.mark.parametrize("text", ["cpuset", "4:cpuset", "x:cpuset:/a", "-1::/"])
def test_a_line_of_another_form_is_refused(text: str) -> None:
    with pytest.raises(ParseError):
        parse(text)


def test_a_hybrid_host_has_a_path_in_both_versions() -> None:
    cgroup = parse("12:cpuset:/docker/f00\n5:cpu,cpuacct:/b\n0::/unified\n")
    assert (cgroup.path_of("cpuset"), cgroup.path_of("cpuacct"), cgroup.path_of("memory"), cgroup.unified_path) == (
        "/docker/f00",
        "/b",
        None,
        "/unified",
    )


def test_a_v1_host_has_no_unified_path() -> None:
    assert parse("12:cpuset:/\n").unified_path is None
