"""Masks and policies that reach a part of a process's threads: what the kernel says of each, and which sentence is said of them."""

from __future__ import annotations

from runs import Run


def test_each_thread_of_a_process_bound_late_has_the_mask_it_was_born_with(two_packages: Run) -> None:
    """In order of birth: main thread, an older thread, one born after mask and policy were set."""
    threads = two_packages.process("bound-late")["threads"]
    assert [(thread["allowed_cpus"], thread["policy"]) for thread in threads] == [("0-7", "bind:0"), ("0-15", "default"), ("0-7", "bind:0")]


def test_cpu_time_is_that_of_the_one_thread_that_works(two_packages: Run) -> None:
    for name in ("bound-late", "main-only"):
        main, busy, *others = two_packages.process(name)["threads"]
        assert busy["cpu_ticks_delta"] > 0, name
        assert [thread["cpu_ticks_delta"] for thread in (main, *others)] == [0, *(0 for _ in others)], name


def test_a_mask_that_came_too_late_is_told_by_dates_of_birth(two_packages: Run) -> None:
    late = two_packages.finding("threads-wider-than-main-thread", "rank:7")
    assert (late["severity"], late["category"]) == ("medium", "thread-mask-leak")
    assert "was bound late: its main thread and the threads born after it have CPUs 0-7" in late["message"]
    assert (late["facts"]["num_threads"], late["facts"]["wide_cpus"], late["facts"]["percent"]) == (1, "0-15", 100)


def test_a_mask_of_the_main_thread_alone_is_told_apart(two_packages: Run) -> None:
    alone = two_packages.finding("threads-wider-than-main-thread", "rank:8")
    assert (alone["severity"], alone["facts"]["percent"]) == ("medium", 100)
    assert "only its main thread is bound, to CPUs 0-7" in alone["message"]


def test_a_wide_thread_that_idles_is_silence(two_packages: Run) -> None:
    assert two_packages.finding("threads-wider-than-main-thread", "rank:3")["outcome"] == "pass"


def test_a_busy_thread_that_the_policy_came_too_late_for_is_named(two_packages: Run) -> None:
    without = two_packages.finding("threads-outside-memory-policy", "rank:7")
    assert (without["severity"], without["facts"]["policy"], without["facts"]["cpus"]) == ("medium", "bind:0", "0-15")
