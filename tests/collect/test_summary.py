from numaaudit.bundle.manifest import CommandRun, Entry, Manifest
from numaaudit.collect.collector import NOT_HERE
from numaaudit.collect.summary import summary

EMPTY = Manifest("0", "0", "gpu-7", "", "", "2026-11-29T10:15:00Z")


def guarded(pid):
    return "more than 1 GiB is resident; run: numaaudit collect --pid %d --pages full" % pid


def test_it_says_what_was_selected_why_what_is_missing_and_where_it_is():
    manifest = EMPTY._replace(
        selection=({"pid": 7, "why": "holds /dev/nvidia0"}, {"pid": 8, "why": "holds /dev/nvidia1"}),
        entries=(
            Entry("root/dev/nvidia0", "absent", reason=NOT_HERE),
            Entry("root/proc/7/numa_maps", "cut", reason=guarded(7)),
            Entry("root/proc/7/status", size=9, sha256="x"),
            Entry("root/proc/7/task", size=9, sha256="x", files=3),
            Entry("root/proc/8/environ", "refused", reason="not yours"),
            Entry("root/proc/8/numa_maps", "cut", reason=guarded(8)),
            Entry("root/sys/class/net/eth0", link="x"),
        ),
        commands=(CommandRun(("nvidia-smi", "-L"), "a", "absent", reason="nvidia-smi is not in PATH"), CommandRun(("lscpu",), "b")),
    )

    assert summary(manifest, "e.tar.gz", 1536) == [
        "Selected 2 processes:",
        "  7: holds /dev/nvidia0",
        "  8: holds /dev/nvidia1",
        "Could not be read:",
        "  absent, 1 time (nvidia-smi): nvidia-smi is not in PATH",
        "  cut, 2 times (root/proc/*/numa_maps): more than 1 GiB is resident",
        "    run: numaaudit collect --pages full --pid 7 --pid 8",
        "  refused, 1 time (root/proc/*/environ): not yours",
        "e.tar.gz: 1.5 KiB, 5 files",
    ]


def test_a_long_selection_is_shortened():
    manifest = EMPTY._replace(selection=tuple({"pid": pid, "why": "--all"} for pid in range(1, 31)))

    lines = summary(manifest, "e.tar.gz", 0)

    assert (lines[0], lines[20], lines[21]) == ("Selected 30 processes:", "  20: --all", "  and 10 more")


def test_an_interrupted_collection_of_the_host_only_says_so():
    assert summary(EMPTY._replace(interrupted=True), "e.tar.gz", 0) == [
        "Selected no process, only the host.",
        "Interrupted: what was not read by then is recorded as not run.",
        "e.tar.gz: 0 B, 0 files",
    ]


def test_of_a_container_it_says_what_cannot_be_seen_from_there():
    manifest = EMPTY._replace(collector={"namespaces": {"pid": "pid:[4026532178]", "cgroup": "cgroup:[4026531835]"}})
    mounts = "proc /proc proc rw 0 0\nlxcfs /proc/cpuinfo fuse.lxcfs rw 0 0\ndamaged\n"

    assert summary(manifest, "e.tar.gz", 0, mounts)[1:-1] == [
        "Collected in a container, so not seen are:",
        "  processes outside of this PID namespace",
        "  the host's own /proc/cpuinfo: lxcfs stands in for it",
        "  what the host has can be found wrong from here, but not right; collect on the host",
    ]


def test_what_was_sampled_is_not_what_could_not_be_read():
    def sampled(pid, pages):
        command = "numaaudit collect --pid %d --pages full" % pid
        reason = "sampled %d random pages; all of them: %s (holds the process up by about 9 ms per GiB)" % (pages, command)
        return Entry("root/proc/%d/numa_maps" % pid, "cut", size=9, sha256="x", reason=reason)

    manifest = EMPTY._replace(entries=(sampled(7, 2500), sampled(8, 2400), Entry("samples/pages-9.json", "timed-out", reason="no answer")))

    assert summary(manifest, "e.tar.gz", 0)[1:-1] == [
        (
            "Sampled 4900 random pages of 2 processes; all of them: numaaudit collect --pages full --pid 7 --pid 8 "
            "(holds the process up by about 9 ms per GiB)"
        ),
        "Could not be read:",
        "  timed-out, 1 time (samples/pages-9.json): no answer",
    ]
