"""What holds of every comparison: nothing differs from itself, and the other way round is the mirror."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from numaaudit.bundle.opening import open_input
from numaaudit.compare.diff import compare
from numaaudit.compare.from_host import snapshot_of
from numaaudit.compare.snapshot import of_any_host
from numaaudit.model.host import build_host
from numaaudit.rules.engine import audit

SAMPLES = sorted((Path(__file__).parents[2] / "sample_bundles").glob("*.tar.gz"))
MIRROR = {"new": "fixed", "fixed": "new", "better": "worse", "worse": "better"}
SPEED = settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(params=SAMPLES, ids=lambda path: path.name)
def sample(request):
    opened = open_input(str(request.param))
    host = build_host(opened.tree, opened.manifest, opened.gaps)
    return snapshot_of(host, audit(host), opened.kind)


def test_a_sample_differs_in_nothing_from_itself(sample):
    later = sample._replace(collected_at="2026-11-30T00:00:00Z")

    for made in (compare((sample, later)), compare((of_any_host(sample), of_any_host(later)))):
        assert (made.verdict, made.identity, made.rows, made.notes, made.unseen) == ("equal", "same", (), (), ())
        assert {row.state for row in made.findings} <= {"unchanged"}


def test_a_sample_is_restored_by_itself(sample):
    made = compare((sample, sample._replace(collected_at="1"), sample._replace(collected_at="2")))

    assert (made.verdict, made.rows) == ("restored", ())


masks = st.sampled_from(("0-1,4-5", "2-3,6-7", "0-7", "1-2"))
pages = st.tuples(st.integers(0, 4), st.integers(0, 4)).filter(any)
kept = st.sampled_from(("", "/numa_maps", "/task/", "commands/", "/proc/101/", "nvidia", "/pci", "boot_id"))
states = st.tuples(masks, masks, pages, kept, st.booleans())


@pytest.fixture
def made_of(same, snapshot):
    def make(state):
        one, other, gib, lacking, is_restarted = state
        changes = same.masked(100, one).masked(101, other).paged(101, *gib)
        changes = changes.restarted() if is_restarted else changes
        return snapshot(changes.without(lacking) if lacking else changes)

    return make


@SPEED
@given(a=states, b=states)
def test_the_other_way_round_is_the_mirror(made_of, a, b):
    sides = made_of(a), made_of(b)
    there, back = compare(sides), compare(sides[::-1])

    assert {(row.subject, row.aspect, row.state, str(row.values[::-1])) for row in there.rows} == {
        (row.subject, row.aspect, row.state, str(row.values)) for row in back.rows
    }
    assert {(row.finding.key, row.outcomes[::-1], MIRROR.get(row.state, row.state)) for row in there.findings} == {
        (row.finding.key, row.outcomes, row.state) for row in back.findings
    }
    assert (there.identity, there.unseen) == (back.identity, back.unseen)
    assert {(note.kind, note.subject) for note in there.notes} == {(note.kind, note.subject) for note in back.notes}
    if "undecidable" not in (there.verdict, back.verdict):
        assert MIRROR.get(there.verdict, there.verdict) == back.verdict


@pytest.mark.parametrize("lacking", ["", "/numa_maps", "/task/", "commands/", "/proc/1501/", "nvidia", "/pci", "boot_id", "/status"])
def test_less_evidence_never_claims_that_a_rollback_restored(same, snapshot, lacking):
    """Of a rollback that left pages and masks of the change behind."""
    base = snapshot(same.masked(101, "0-7").paged(101, 4, 0))
    after = snapshot(same.restarted().paged(801, 0, 4))
    rollback = same.restarted(95_000, 1400).paged(1501, 0, 4)

    made = compare((base, after, snapshot(rollback.without(lacking) if lacking else rollback)))

    assert made.verdict in ("not-restored", "partly-restored", "undecidable", "refused")
