"""NA205: pinned threads on siblings of one core."""

import pytest

from numaaudit.rules.finding import Outcome

BOTH_PASS = {("rank:0", "pass"), ("rank:1", "pass")}
ALL = "0-7"


@pytest.fixture
def entries(root, masked, removed):
    """Rank 1 alone, with all CPUs, and four busy threads beside its main thread."""
    changed = masked(removed(root("2p-2n-2g"), "proc/100/"), 101, ALL)
    main = changed["root/proc/101/status"]
    changed["root/proc/101/status"] = main.replace("Threads:\t2", "Threads:\t6")
    for tid in (112, 113, 114, 115):
        for path in [path for path in changed if "/101/task/101/" in path]:
            changed[path.replace("/task/101/", f"/task/{tid}/")] = changed[path].replace("Pid:\t101\n", f"Pid:\t{tid}\n")
    return changed


def pinned(entries, masked, *cpus):
    """The four threads, each on one CPU."""
    for tid, cpu in zip((112, 113, 114, 115), cpus, strict=True):
        entries = masked(entries, 101, str(cpu), tids=(tid,))
    return entries


def test_silent_where_nothing_is_pinned(entries, build, outcomes):
    assert outcomes(build(entries), "NA205") == {("rank:1", "pass")}


def test_silent_with_one_thread_a_core(entries, masked, build, outcomes):
    assert outcomes(build(pinned(entries, masked, 0, 1, 2, 3)), "NA205") == {("rank:1", "pass")}


def test_pairs_on_siblings_with_cores_empty(entries, masked, build, outcomes, judge):
    host = build(pinned(entries, masked, 0, 4, 1, 5))

    assert outcomes(host, "NA205") == {("rank:1", "fail")}
    (failure,) = judge(host, "NA205")
    assert failure.outcome is Outcome.FAIL
    facts = {name: str(failure.facts[name]) for name in ("num_threads", "cpus", "num_cores", "num_empty", "empty_cpus")}
    assert facts == {"num_threads": "4", "cpus": "0-1,4-5", "num_cores": "2", "num_empty": "2", "empty_cpus": "2-3,6-7"}
    assert failure.thresholds == {"busy_part": 0.25, "least_pinned": 4}
    assert [(each.path, each.text) for each in failure.evidence] == [
        ("root/proc/101/task/112/status", "Cpus_allowed_list:\t0"),
        ("root/proc/101/task/113/status", "Cpus_allowed_list:\t4"),
        ("root/proc/101/status", "Cpus_allowed_list:\t0-7"),
    ]


def test_silent_where_no_core_is_empty(entries, masked, build, outcomes):
    narrow = pinned(masked(entries, 101, "0-1,4-5"), masked, 0, 4, 1, 5)

    assert outcomes(build(narrow), "NA205") == {("rank:1", "pass")}


def test_silent_where_the_empty_cores_are_another_processs(entries, root, masked, build, outcomes):
    other = {path: text for path, text in masked(root("2p-2n-2g"), 100, "2-3,6-7").items() if "proc/100/" in path}

    assert outcomes(build(pinned(entries, masked, 0, 4, 1, 5) | other), "NA205") == BOTH_PASS


def test_unknown_where_threads_were_not_read(entries, removed, build, outcomes):
    assert outcomes(build(removed(entries, "/101/task/111/", "/101/task/112/")), "NA205") == {("rank:1", "unknown")}


def test_unknown_without_siblings(entries, masked, removed, build, outcomes):
    host = build(removed(pinned(entries, masked, 0, 4, 1, 5), "core_cpus_list"))

    assert outcomes(host, "NA205") == {("rank:1", "unknown")}


def test_does_not_apply_with_one_thread_a_core(entries, build, outcomes):
    single = {path: f"{path.split('/cpu')[-1].split('/')[0]}\n" if path.endswith("core_cpus_list") else e for path, e in entries.items()}

    assert outcomes(build(single), "NA205") == {("rank:1", "not_applicable")}
