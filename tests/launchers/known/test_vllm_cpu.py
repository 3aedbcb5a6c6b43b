"""vLLM's CPU backend: threads of cores of the r-th memory node."""

import pytest

X86 = {"commands/uname_-a.out": "Linux host 6.1.0 #1 SMP x86_64 GNU/Linux\n"}


def on(arch):
    return {"commands/uname_-a.out": X86["commands/uname_-a.out"].replace("x86_64", arch)}


def test_x86_takes_the_last_thread_of_each_core_and_keeps_one_free(predict, two_packages, cpus, policies):
    found = predict("vllm-cpu", two_packages, more=X86)

    assert (["8-10", "12-14"], ["bind:0", "bind:1"]) == (cpus(found), policies(found))


@pytest.mark.parametrize(
    ("arch", "expected"),
    [("aarch64", ["0-3,8-10", "4-7,12-14"]), ("ppc64le", ["0-3,8-11", "refused"]), ("s390x", ["8-11", "12-14"])],
)
def test_other_architectures_choose_other_threads(predict, two_packages, cpus, arch, expected):
    two_numa_nodes = two_packages._replace(packages=("0-15",))  # on s390x packages would stand for NUMA nodes

    assert expected == cpus(predict("vllm-cpu", two_numa_nodes, more=on(arch)))


def test_books_stand_for_numa_nodes_on_s390x(predict, two_packages, cpus):
    books = {f"root/sys/devices/system/cpu/cpu{cpu}/topology/book_id": str(cpu % 2) for cpu in range(16)}

    found = predict("vllm-cpu", two_packages, more={**on("s390x"), **books}, reserved="0")

    assert ["8,10,12,14", "9,11,13,15"] == cpus(found)


def test_more_ranks_than_memory_nodes_are_refused(predict, two_packages, cpus):
    assert ["refused"] * 3 == cpus(predict("vllm-cpu", two_packages, more=X86, ranks=3))


def test_lists_are_taken_as_they_are(predict, two_packages, cpus, policies):
    found = predict("vllm-cpu", two_packages, more=X86, bind="0-1|4,6")

    assert (["0-1", "4,6"], ["bind:0", "bind:1"]) == (cpus(found), policies(found))


def test_nobind_binds_nothing(predict, two_packages, cpus):
    assert ["as before"] * 2 == cpus(predict("vllm-cpu", two_packages, bind="nobind"))


def test_a_memory_node_without_an_allowed_cpu_is_refused(predict, two_packages, cpus):
    assert "refused" == cpus(predict("vllm-cpu", two_packages, "cpuset=0-3,8-11", more=X86))[1]


def test_without_an_architecture_the_threads_are_not_known(predict, two_packages):
    assert [None, None] == [rank.cpus for rank in predict("vllm-cpu", two_packages).ranks]
