"""CPUs and packages as the kernel lists them."""

import pytest

from numaaudit.core.cpuset import CpuSet
from numaaudit.model.kernel_cpus import Package
from numaaudit.model.sections.topology import Topology

CPU = "root/sys/devices/system/cpu"


def cpu(number, package="0", core="0", siblings="0", **more):
    folder = f"{CPU}/cpu{number}"
    files = {"physical_package_id": package, "core_id": core, "core_cpus_list": siblings, **more}
    return {f"{folder}/topology/{name}": f"{text}\n" for name, text in files.items() if text is not None}


def topology(build, *entries):
    return build({path: text for each in entries for path, text in each.items()}).section(Topology)


def test_texts_that_end_in_a_nul_byte_are_read(build):
    found = topology(build, {f"{CPU}/online": "0-1\n\0"}, cpu(0, siblings="0-1"), cpu(1, siblings="0-1"))

    assert (found.online, found.cores, found.threads_per_core) == (CpuSet.parse("0-1"), 1, 2)


def test_without_online_the_directories_count_but_for_those_switched_off(build):
    found = topology(build, cpu(0), cpu(1), {f"{CPU}/cpu1/online": "0\n"})

    assert (found.online, found.present) == (CpuSet([0]), CpuSet.parse("0-1"))
    assert [gap.path for gap in found.gaps if gap.path.startswith(CPU)] == [f"{CPU}/online"]


def test_a_package_id_of_minus_one_is_none(build):
    found = topology(build, {f"{CPU}/online": "0-1"}, *(cpu(number, "-1", package_cpus_list="0-1") for number in (0, 1)))

    assert found.packages == (Package(None, CpuSet.parse("0-1")),)
    assert f"{CPU}/cpu*/topology/physical_package_id" in [gap.path for gap in found.gaps]


def test_cores_are_counted_by_core_id_where_siblings_are_not_listed(build):
    found = topology(build, {f"{CPU}/online": "0-3"}, *(cpu(number, "0", str(number // 2), None) for number in range(4)))

    assert (found.cores, found.threads_per_core) == (2, 2)


def test_threads_per_core_are_unknown_where_cores_differ(build):
    found = topology(build, {f"{CPU}/online": "0-2"}, cpu(0, siblings="0-1"), cpu(1, siblings="0-1"), cpu(2, siblings="2"))

    assert (found.cores, found.threads_per_core) == (2, None)


@pytest.mark.parametrize("text", ["", "x", "0-99999999"])
def test_an_unreadable_list_is_no_list(build, text):
    assert topology(build, {f"{CPU}/online": "0"}, cpu(0, siblings=text)).siblings == ()
