"""NA640: what a systemd unit allows, and what its processes have."""

import pytest

from numaaudit.rules.finding import Severity

UNIT = "/system.slice/train.service"
SUBJECT = f"cgroup:{UNIT}"


@pytest.fixture
def shown(root):
    """Rank 1 (pid 101, CPUs 2-3,6-7) in a unit, as systemctl 252 prints it."""

    def made(allowed, affinity="", group=UNIT, cgroup=f"0::{UNIT}/worker\n"):
        text = f"Slice=system.slice\nControlGroup={group}\nAllowedCPUs={allowed}\nCPUAffinity={affinity}\nId=train.service\n"
        return root("2p-2n-2g") | {"commands/systemctl_show_train.service.out": text, "root/proc/101/cgroup": cgroup}

    return made


@pytest.mark.parametrize("allowed", ["2-3 6-7", "0-7"])
def test_silent_where_its_processes_stay_within(shown, build, outcomes, allowed):
    assert outcomes(build(shown(allowed)), "NA640") == {(SUBJECT, "pass")}


@pytest.mark.parametrize("cgroup", [f"0::{UNIT}\n", f"3:cpuset:/\n1:name=systemd:{UNIT}\n"])
def test_a_setting_that_does_not_hold(shown, build, outcomes, judge, cgroup):
    host = build(shown("0 2", cgroup=cgroup))

    assert outcomes(host, "NA640") == {(SUBJECT, "fail")}
    (failure,) = judge(host, "NA640")
    assert (failure.severity, failure.related) == (None, ("rank:1",))
    assert [str(failure.facts[name]) for name in ("unit", "allowed", "pid", "num_outside", "cpus")] == [
        "train.service",
        "0,2",
        "101",
        "1",
        "2-3,6-7",
    ]
    assert [each.text for each in failure.evidence] == ["AllowedCPUs=0 2", "Cpus_allowed_list:\t2-3,6-7"]


def test_low_where_no_rank_is_concerned(shown, removed, build, judge):
    entries = removed(shown("0 2"), "compute-apps", "/fd/", "/environ")

    assert [each.severity for each in judge(build(entries), "NA640")] == [Severity.LOW]


@pytest.mark.parametrize(("allowed", "affinity", "group"), [("", "0", UNIT), ("0", "", "/system.slice/other.service")])
def test_silent_about_units_that_allow_everything_or_have_no_process_here(shown, build, outcomes, allowed, affinity, group):
    assert outcomes(build(shown(allowed, affinity, group)), "NA640") == set()


def test_unknown_without_a_mask(shown, build, outcomes):
    entries = shown("0 2")
    status = entries["root/proc/101/status"]
    entries["root/proc/101/status"] = "\n".join(line for line in status.splitlines() if "Cpus_allowed" not in line)

    assert outcomes(build(entries), "NA640") == {(SUBJECT, "unknown")}
