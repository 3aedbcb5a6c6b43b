from numaaudit.bundle.manifest import CommandRun, Entry, Manifest
from numaaudit.bundle.tree import Members, Tree
from numaaudit.collect.collector import NOT_HERE
from numaaudit.collect.summary import summary

EMPTY = Manifest("0", "0", "gpu-7", "", "", "2026-11-29T10:15:00Z")


def told(manifest, files=(), size_bytes=0, program="numaaudit collect"):
    members = Members()
    for path, text in dict(files).items():
        members.add_bytes(path, text.encode())
    return summary(manifest, Tree(members), "e.tar.gz", size_bytes, program)


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

    assert told(manifest, size_bytes=1536) == [
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


READ = (Entry("root/proc/1/status", size=9, sha256="x"),)


def test_a_long_selection_is_shortened():
    manifest = EMPTY._replace(selection=tuple({"pid": pid, "why": "holds /dev/nvidia%d" % pid} for pid in range(1, 31)), entries=READ)

    lines = told(manifest)

    assert (lines[0], lines[20], lines[21]) == ("Selected 30 processes:", "  20: holds /dev/nvidia20", "  and 10 more")


def test_many_processes_chosen_for_one_reason_are_one_line():
    chosen = [{"pid": pid, "why": "has memory, as asked for by --all"} for pid in range(1, 21)] + [{"pid": 30, "why": "named by --pid"}]

    assert told(EMPTY._replace(selection=tuple(chosen), entries=READ))[:3] == [
        "Selected 21 processes:",
        "  20 processes: has memory, as asked for by --all",
        "  30: named by --pid",
    ]


def test_a_process_is_told_with_its_redacted_command_line_or_its_name():
    files = {
        "root/proc/7/cmdline": "python\0hog.py\0[redacted]\0",
        "root/proc/8/cmdline": "",
        "root/proc/8/status": "Name:\tkworker\n",
        "root/proc/9/cmdline": "[redacted] " * 9,
    }
    chosen = tuple({"pid": pid, "why": "named by --pid"} for pid in (7, 8, 9, 10))

    assert told(EMPTY._replace(selection=chosen, entries=READ), files)[1:5] == [
        "  7 python hog.py [redacted]: named by --pid",
        "  8 kworker: named by --pid",
        "  9 %s...: named by --pid" % ("[redacted] " * 9)[:60],
        "  10: named by --pid",
    ]


def test_where_nothing_was_read_of_the_processes_the_first_line_says_so():
    missed = tuple(Entry("root/proc/7%s" % name, "not-run", reason="no time was left") for name in ("", "/cmdline"))
    host = Entry("root/proc/version", size=9, sha256="x")
    manifest = EMPTY._replace(selection=({"pid": 7, "why": "named by --pid"},), entries=(*missed, host))

    assert told(manifest)[0] == "Nothing was read of what was selected: no time was left"


def test_what_to_run_has_the_name_this_was_called_by():
    refused = Entry("root/proc/8/environ", "refused", reason="not yours; run: sudo numaaudit collect --pid 8")

    assert told(EMPTY._replace(entries=(refused,)), program="python3 c.pyz")[-2] == "    run: sudo python3 c.pyz --pid 8"


def test_an_interrupted_collection_of_the_host_only_says_so():
    assert told(EMPTY._replace(interrupted=True)) == [
        "Selected no process, only the host.",
        "Interrupted: what was not read by then is recorded as not run.",
        "e.tar.gz: 0 B, 0 files",
    ]


def test_of_a_container_it_says_what_cannot_be_seen_from_there():
    manifest = EMPTY._replace(collector={"namespaces": {"pid": "pid:[4026532178]", "cgroup": "cgroup:[4026531835]"}})
    mounts = "proc /proc proc rw 0 0\nlxcfs /proc/cpuinfo fuse.lxcfs rw 0 0\ndamaged\n"

    assert told(manifest, {"root/proc/mounts": mounts})[1:-1] == [
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

    assert told(manifest)[1:-1] == [
        (
            "Sampled 4900 random pages of 2 processes; all of them: numaaudit collect --pages full --pid 7 --pid 8 "
            "(holds the process up by about 9 ms per GiB)"
        ),
        "Could not be read:",
        "  timed-out, 1 time (samples/pages-9.json): no answer",
    ]
