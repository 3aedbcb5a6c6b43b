"""manifest.json: round trip, later versions, and damage of every kind."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from numaaudit.bundle.manifest import CommandRun, Entry, Manifest, command_path
from numaaudit.bundle.tree import Gap
from numaaudit.core.errors import InputError

MANIFEST = Manifest(
    "0.1.0", "1", "gpu-host", "id", "boot", "2026-11-29T10:15:00Z", ("2026-11-29T10:15:00Z",), arguments=("--pid", "7"),
    selection=({"pid": 7, "why": "--pid"},), collector={"uid": 0}, redactions={"environment variable": 3},
    entries=(Entry("root/proc/7/status", "ok", 3, "ab", "processes", 0.5), Entry("root/proc/7/numa_maps", "refused", reason="no"),
             Entry("root/a", link="b"), Entry("root/proc/7/task", size=9, sha256="cd", files=2)),
    commands=(
        CommandRun(("lscpu",), "commands/lscpu.out", exit_code=0),
        CommandRun(("nvidia-smi", "-L"), "commands/nvidia-smi_-L.out", "not-run"),
    ),
)  # fmt: skip


def changed(**keys) -> bytes:
    return json.dumps({**json.loads(MANIFEST.to_json()), **keys}).encode()


def test_what_is_written_is_what_is_read():
    assert MANIFEST == Manifest.from_json(MANIFEST.to_json())


def test_a_mark_is_kept_and_none_is_not_written():
    marked = MANIFEST._replace(mark="baseline")

    assert Manifest.from_json(marked.to_json()) == marked
    assert b'"mark"' not in MANIFEST.to_json()


def test_unknown_keys_are_ignored():
    assert MANIFEST == Manifest.from_json(changed(later=1))


def test_a_later_format_is_refused():
    with pytest.raises(InputError) as caught:
        Manifest.from_json(changed(format="numaaudit.bundle/2"), "b.tar: manifest.json")

    assert ("b.tar: manifest.json: made by a newer numaaudit (numaaudit.bundle/2)", "update numaaudit") == (
        str(caught.value),
        caught.value.hint,
    )


@pytest.mark.parametrize(
    "data",
    [
        b"", b"{", b"[]", b"null", b"\xff", b"{}", b"[" * 100_000, changed(format=1), changed(hostname=[]), changed(entries={}),
        changed(entries=[1]), changed(entries=[{}]), changed(entries=[{"path": 1}]), changed(entries=[{"path": "a", "size": "1"}]),
        changed(entries=[{"path": "a", "link": 1}]), changed(commands=[{"path": "a"}]), changed(commands=[{"path": "a", "argv": "ls"}]),
        changed(commands=[{"path": "a", "argv": ["ls"], "exit_code": "0"}]), changed(selection=[1]), changed(redactions=[]),
        changed(clock_ticks_per_s=0), changed(page_size_bytes=-1), changed(clock_ticks_per_s="100"),
    ],
)  # fmt: skip
def test_damage_is_refused_in_one_line(data):
    with pytest.raises(InputError) as caught:
        Manifest.from_json(data)
    assert "\n" not in str(caught.value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5), lambda inner: st.lists(inner, max_size=3), max_leaves=5
)


@given(st.sampled_from(sorted(Manifest._fields)), JSON)
def test_any_value_of_any_key_is_read_or_refused(key, value):
    try:
        assert isinstance(Manifest.from_json(changed(**{key: value})), Manifest)
    except InputError:
        pass


def test_gaps_are_the_attempts_that_gave_nothing():
    assert {
        "root/proc/7/numa_maps": Gap("refused", "root/proc/7/numa_maps", "no"),
        "commands/nvidia-smi_-L.out": Gap("not-run", "commands/nvidia-smi_-L.out", ""),
    } == MANIFEST.gaps()


def test_a_command_s_path_is_its_argv_in_safe_characters():
    argv = ("/usr/bin/nvidia-smi", "--query-gpu=index,uuid", "a/b c\u00e9")

    assert "commands/nvidia-smi_--query-gpu=index,uuid_a_b_c_.out" == command_path(argv)
