"""What holds for every collector, whichever there are."""

import pytest

from numaaudit.bundle.pseudonym_texts import Texts
from numaaudit.bundle.pseudonyms import Pseudonyms
from numaaudit.bundle.tree import braces
from numaaudit.collect.collector import collectors, declared_paths
from numaaudit.collect.host_files import is_glob

EACH = sorted(collectors().items())


@pytest.mark.parametrize(("name", "unit"), EACH)
def test_a_collector_declares_evidence_below_its_scope(name, unit):
    patterns = [plain for pattern in unit.files + unit.links + unit.devices for plain in braces(pattern)]

    assert patterns or unit.commands
    assert unit.scope in ("host", "process", "thread", "cgroup")
    assert not [pattern for pattern in patterns if pattern.startswith("/") or ".." in pattern or "{" in pattern]


@pytest.mark.parametrize(("name", "unit"), EACH)
def test_the_files_of_a_process_are_named_and_only_links_are_searched(name, unit):
    searched = [pattern for pattern in unit.files if is_glob(pattern)] if unit.scope in ("process", "thread") and not unit.links else []

    assert searched == []


def test_what_takes_the_memory_lock_is_marked():
    marked = {pattern for _, unit in EACH if unit.locks_memory for pattern in unit.files}
    taking = {"cmdline", "environ", "maps", "smaps", "smaps_rollup", "numa_maps", "auxv"}
    declared = {pattern for _, unit in EACH if unit.scope in ("process", "thread") for pattern in unit.files}

    assert marked == declared & taking


def test_no_file_is_declared_by_two_collectors():
    plain = [(unit.scope, path) for _, unit in EACH for pattern in unit.files for path in braces(pattern)]

    assert len(plain) == len(set(plain))


def test_no_command_is_declared_twice():
    commands = [argv for _, unit in EACH for argv in unit.commands]

    assert len(commands) == len(set(commands))


def test_a_window_reads_again_what_was_read():
    for _, unit in EACH:
        files = {plain for pattern in unit.files for plain in braces(pattern)}
        again = {plain for pattern in unit.window_ends + unit.window_ticks for plain in braces(pattern)}
        assert again <= files
        assert not again or unit.scope in ("host", "cgroup")


def test_pseudonyms_leave_what_is_declared_where_it_is_looked_for():
    """Whatever a glob matches is taken for somebody's name; the rest of a path, and a command, are ours."""
    texts = Texts(Pseudonyms(b"sixteen bytes or more"), declared_paths(collectors()))
    declared = {plain for pattern in declared_paths(collectors()) for plain in braces(pattern)}
    of_cgroups = {plain for _, unit in EACH if unit.scope == "cgroup" for pattern in unit.files for plain in braces(pattern)}

    for path in declared:
        kept = texts.paths.file("/" + path).split("/")[1:]
        assert [(had, has) for had, has in zip(path.split("/"), kept, strict=True) if had != has and not is_glob(had)] == []
    assert {name for name in of_cgroups if not texts.paths.file("/sys/fs/cgroup/" + name).endswith("/" + name)} == set()
    assert [word for _, unit in EACH for argv in unit.commands for word in argv if texts.argument(word) != word] == []
