"""Roles across restarts."""

from numaaudit.compare.roles import match
from numaaudit.compare.snapshot import Role


def role(number=None, gpus=(), command=None, comm="python3"):
    return Role(number, gpus, comm, command, None, {})


def subjects(*columns):
    return [(each.subject, tuple(one is not None for one in each.roles)) for each in match(columns).matched]


def test_by_rank_before_gpu():
    before, after = (role(0, ("A",)), role(1, ("B",))), (role(0, ("B",)), role(1, ("A",)))

    assert [[each.gpus for each in matched.roles] for matched in match((before, after)).matched] == [[("A",), ("B",)], [("B",), ("A",)]]


def test_by_gpu_where_two_jobs_have_the_same_ranks():
    jobs = (role(0, ("A",)), role(0, ("B",)))

    assert subjects(jobs, jobs[::-1]) == [("gpu:A", (True, True)), ("gpu:B", (True, True))]


def test_by_command_then_by_name():
    before = (role(command="serve --port 1", comm="serve"), role(command="route", comm="route"))
    after = (role(command="route --verbose", comm="route"), role(command="serve --port 1", comm="serve"))

    assert subjects(before, after) == [("process:route", (True, True)), ("process:serve", (True, True))]


def test_in_order_of_pid_where_all_are_alike():
    alike = (role(command="worker"), role(command="worker"))

    assert subjects(alike, alike) == [("process:python3#1", (True, True)), ("process:python3#2", (True, True))]


def test_ambiguous_where_their_number_differs():
    made = match(((role(command="worker"),) * 2, (role(command="worker"),) * 3))

    assert (made.matched, made.ambiguous) == ((), ("process:python3",))


def test_gone_and_new():
    assert subjects((role(0), role(1)), (role(0), role(2))) == [
        ("rank:0", (True, True)),
        ("rank:1", (True, False)),
        ("rank:2", (False, True)),
    ]


def test_a_column_without_roles_matches_nothing():
    assert subjects((role(0),), None) == [("rank:0", (True, False))]
