"""Two and three states of one host: identity first, then placement, findings and the verdict."""

import re

import pytest

from numaaudit.compare.diff import compare
from numaaudit.compare.snapshot import of_any_host

HOME, OTHER, ALL = "2-3,6-7", "0-1,4-5", "0-7"  # of rank 1
GPU = "root/sys/devices/pci0000:97/0000:97:01.0/0000:98:00.0"
DRIVER = "root/sys/module/nvidia/version"


def test_equal_where_only_pids_counters_and_times_differ(same, compared):
    made = compared(same, same.restarted())

    assert (made.verdict, made.identity, made.rows, made.notes, made.unseen) == ("equal", "same", (), (), ())


def test_worse_names_the_rank_by_its_number(same, compared, rows):
    made = compared(same, same.restarted().masked(801, OTHER))

    assert made.verdict == "worse"
    assert rows(made) == {("rank:1", "allowed_cpus", HOME, OTHER, "changed")}
    assert [(row.finding.rule, row.finding.subject, row.outcomes, row.state) for row in made.findings] == [
        ("NA201", "rank:1", ("pass", "fail"), "new")
    ]


def test_better_is_its_mirror(same, compared, rows):
    made = compared(same.masked(101, OTHER), same.restarted())

    assert made.verdict == "better"
    assert rows(made) == {("rank:1", "allowed_cpus", OTHER, HOME, "changed")}


def test_changed_where_no_finding_is_new_or_fixed(same, compared, rows):
    made = compared(same, same.restarted().masked(801, "2-3"))

    assert made.verdict == "changed"
    assert rows(made) == {("rank:1", "allowed_cpus", HOME, "2-3", "changed")}


def test_a_finding_that_cannot_be_judged_any_more_is_not_fixed(same, compared):
    after = same.restarted().without("/proc/801/task/", "sys/devices/system/node/node1/cpu")

    assert compared(same.masked(101, OTHER), after).verdict == "undecidable"


def test_a_rank_that_does_not_run_makes_nothing_better(same, compared):
    made = compared(same.masked(101, OTHER), same.restarted().without("/proc/801/"))

    assert made.verdict == "undecidable"
    assert ("rank:1", "presence") in {(row.subject, row.aspect) for row in made.rows}


class TestIdentity:
    def test_a_gpu_that_is_missing_is_refused_and_named(self, same, compared):
        made = compared(same, same.without("0000:98:00.0"))

        assert (made.verdict, made.identity) == ("refused", "different")
        assert [(row.subject, row.aspect, row.values[1]) for row in made.rows if row.subject == "gpu:0000:98:00.0"] == [
            ("gpu:0000:98:00.0", "presence", "not there")
        ]

    def test_a_card_in_another_slot_is_refused(self, same, compared, rows):
        uuids = "0000:17:00.0/information", "0000:98:00.0/information"
        paths = [f"root/proc/driver/nvidia/gpus/{each}" for each in uuids]
        texts = [same.entries[path] for path in paths]
        lines = [next(line for line in text.splitlines() if "UUID" in line) for text in texts]
        swapped = {paths[0]: texts[0].replace(lines[0], lines[1]), paths[1]: texts[1].replace(lines[1], lines[0])}

        made = compared(same.without("commands/"), (same | swapped).without("commands/"))

        assert made.verdict == "refused"
        assert {aspect for _, aspect, *_ in rows(made)} == {"slot"}

    def test_another_host_is_refused_where_no_card_has_a_name(self, same, compared, rows):
        anonymous = same.without("nvidia")
        made = compared(anonymous, anonymous | {"root/proc/sys/kernel/hostname": "gpu-other\n"})

        assert made.verdict == "refused"
        assert rows(made) == {("host", "hostname", "gpu-host", "gpu-other", "changed")}

    def test_numa_nodes_that_the_firmware_cut_otherwise_are_refused(self, same, compared):
        numa_node = "root/sys/devices/system/node/node0"

        assert compared(same, same | {f"{numa_node}/cpulist": "0-1\n", f"{numa_node}/cpumap": "3\n"}).verdict == "refused"

    def test_a_cpu_that_is_offline_is_a_setting(self, same, compared, rows):
        cpu, numa_node = "root/sys/devices/system/cpu", "root/sys/devices/system/node/node1"
        changed = {f"{cpu}/online": "0-6\n", f"{numa_node}/cpulist": "2-3,6\n", f"{numa_node}/cpumap": "4c\n"}

        made = compared(same, same | changed)

        assert made.identity == "same"
        assert ("host", "online_cpus", "0-7", "0-6", "changed") in rows(made)

    def test_a_reboot_that_reorders_ordinals_names_the_card(self, same, compared, rows):
        """The minor numbers swap: rank 1 opens /dev/nvidia1, which is the other card now."""
        paths = [f"root/proc/driver/nvidia/gpus/{slot}/information" for slot in ("0000:17:00.0", "0000:98:00.0")]
        minors = {path: same.entries[path].replace(f"Minor: \t {at}", f"Minor: \t {1 - at}") for at, path in enumerate(paths)}
        after = same.restarted() | minors | {"root/proc/sys/kernel/random/boot_id": "00000000-0000-4000-8000-000000000000\n"}

        made = compared(same, after)

        assert made.identity == "same"
        moved = {(aspect, *values) for subject, aspect, *values in rows(made) if subject.startswith("gpu:GPU-")}
        assert moved == {("minor", 0, 1, "changed"), ("minor", 1, 0, "changed")}
        assert {row.group for row in made.rows} >= {"boot", "identity"}

    def test_another_driver_is_named_and_not_refused(self, same, compared, rows):
        made = compared(same | {DRIVER: "570.86.15\n"}, same | {DRIVER: "575.51.03\n"})

        assert (made.verdict, rows(made)) == ("changed", {("host", "driver nvidia", "570.86.15", "575.51.03", "changed")})

    def test_without_devices_on_one_side_nobody_can_tell(self, same, compared):
        made = compared(same, same.without("/pci", "nvidia"))

        assert (made.verdict, made.identity) == ("undecidable", "unknown")


def test_a_card_whose_uuid_is_not_told_is_known_by_its_slot(same, compared, rows):
    after = same.restarted().masked(801, OTHER).without("compute-apps")
    nameless = {path: re.sub(r"GPU UUID:.*\n", "", text) for path, text in after.entries.items() if path.endswith("/information")}

    made = compared(same.masked(101, OTHER), after | nameless)

    assert (made.identity, rows(made)) == ("same", set())
    assert [row.state for row in made.findings if row.finding.rule == "NA201"] == ["unchanged"]


class TestAcrossHosts:
    def test_two_hosts_of_one_class_are_compared_by_slot_and_rank(self, same, snapshot):
        other = {path: str(entry).replace("GPU-", "GPU-ffff") for path, entry in same.entries.items()}
        other["root/proc/sys/kernel/hostname"] = "gpu-other\n"
        sides = tuple(map(snapshot, (same, type(same)(other))))

        assert compare(sides).verdict == "refused"
        assert compare(tuple(map(of_any_host, sides))).verdict == "equal"

    def test_hosts_of_two_classes_are_refused_all_the_same(self, same, snapshot):
        sides = tuple(of_any_host(snapshot(each)) for each in (same, same.without("0000:98:00.0")))

        assert compare(sides).verdict == "refused"


class TestRollback:
    @pytest.fixture
    def base(self, same):
        return same.masked(101, ALL).paged(101, 3, 1)

    @pytest.fixture
    def local(self, same):
        return same.restarted(90_000, 700).paged(801, 0, 4)

    def test_restored_where_everything_is_as_it_was(self, base, local, compared, rows):
        made = compared(base, local, base.restarted(99_000, 1400))

        assert made.verdict == "restored"
        assert {(aspect, state) for _, aspect, *_, state in rows(made)} == {("allowed_cpus", "restored"), ("anonymous_pages", "restored")}

    def test_not_restarted_has_old_pages(self, base, local, compared, rows):
        made = compared(base, local, local.masked(801, ALL))

        assert made.verdict == "partly-restored"
        assert {(aspect, state) for _, aspect, *_, state in rows(made)} == {
            ("allowed_cpus", "restored"),
            ("anonymous_pages", "not-restored"),
        }
        assert {(note.kind, note.columns, note.restarted) for note in made.notes} == {
            ("old-pages", (0, 2), False),
            ("live-change", (1, 2), False),
        }

    def test_not_restored_at_all(self, base, local, compared):
        assert compared(base, local, local).verdict == "not-restored"

    def test_undecidable_where_pages_were_not_read(self, base, local, compared):
        made = compared(base, local, base.restarted(99_000, 1400).without("/1501/numa_maps"))

        assert made.verdict == "undecidable"

    def test_undecidable_where_pages_are_never_read(self, base, local, compared):
        """As with pages that collect cuts by default: equal masks alone restore nothing."""
        blind = (each.without("/numa_maps") for each in (base, local, base.restarted(99_000, 1400)))

        made = compared(*blind)

        assert made.verdict == "undecidable"
        assert [each.subjects for each in made.unseen if each.aspect == "masks and pages"] == [("rank:0", "rank:1")]

    def test_refused_where_the_rollback_is_on_other_hardware(self, base, local, compared):
        assert compared(base, local, base.without("0000:17:00.0")).verdict == "refused"

    def test_says_so_where_nothing_was_tested(self, base, compared):
        made = compared(base, base.restarted(), base.restarted(99_000, 1400))

        assert [note.kind for note in made.notes] == ["nothing-changed"]
