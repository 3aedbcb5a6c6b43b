"""Snapshots of earlier outputs."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from numaaudit.compare.diff import compare
from numaaudit.compare.from_document import read_document, snapshot_of_document
from numaaudit.core.errors import InputError
from numaaudit.report.as_json import report_document
from numaaudit.report.host_json import host_document
from numaaudit.report.view import Input
from numaaudit.rules.engine import audit
from numaaudit.rules.finding import Outcome


@pytest.fixture
def model(build):
    return lambda changes: snapshot_of_document(json.loads(json.dumps(host_document(build(changes.entries)))), "x.json")


@pytest.fixture
def report(build):
    def make(changes):
        host = build(changes.entries)
        document = report_document(audit(host), host, Input("x", "bundle", None), frozenset({Outcome.FAIL, Outcome.UNKNOWN}))
        return snapshot_of_document(json.loads(json.dumps(document)), "x.json")

    return make


def test_a_model_tells_placement(same, model, rows):
    made = compare((model(same), model(same.restarted().masked(801, "0-1,4-5"))))

    assert made.identity == "same"
    assert rows(made) == {("rank:1", "allowed_cpus", "2-3,6-7", "0-1,4-5", "changed")}
    assert (made.findings, made.verdict) == (None, "undecidable")


def test_a_model_is_like_the_bundle_it_was_made_of(same, model, snapshot):
    made = compare((snapshot(same), model(same)))

    assert (made.rows, made.identity, made.verdict) == ((), "same", "equal")


def test_a_report_tells_findings_only(same, report):
    made = compare((report(same), report(same.masked(101, "0-1,4-5"))))

    assert (made.identity, made.verdict) == ("unknown", "worse")
    assert [(row.finding.rule, row.state) for row in made.findings] == [("NA201", "new")]


def test_reports_without_anything_new_decide_nothing(same, report):
    assert compare((report(same), report(same.restarted().masked(801, "2-3,6-7")))).verdict == "equal"
    assert compare((report(same.masked(101, "0-7")), report(same))).verdict == "undecidable"


@pytest.mark.parametrize("text", ["", "{", "[]", '{"schema": "other/1"}', "schema: x", "\x1f\x8b\x08"])
def test_what_is_none_of_our_documents_is_left_to_others(tmp_path, text):
    path = tmp_path / "x"
    path.write_text(text)

    assert read_document(str(path)) is None


def test_a_damaged_document_is_one_clear_line(tmp_path):
    path = tmp_path / "x.json"
    path.write_text('{"schema": "numaaudit.host/1", ')

    with pytest.raises(InputError, match=r"x\.json"):
        read_document(str(path))


@pytest.mark.parametrize("schema", ["numaaudit.predict/1", "numaaudit.host/2"])
def test_another_document_is_refused(schema):
    with pytest.raises(InputError, match="cannot be compared"):
        snapshot_of_document({"schema": schema}, "x.json")


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("host",), []),
        (("cpus", "online"), "0-"),
        (("numa_nodes", 0, "memory_bytes"), 1 << 4000),
        (("numa_nodes", 0, "id"), "0"),
        (("distances", "nodes"), [[0]]),
        (("gpus", 0), 1),
        (("gpus", 0, "gpu_uuid"), []),
        (("processes", 0, "gpus"), 5),
        (("processes", 0, "gpus"), [5]),
        (("processes", 0, "anon_bytes_by_node"), {"x": 1}),
        (("processes", 0, "anon_bytes_by_node"), {"0": -1}),
        (("processes", 0, "threads"), [5]),
    ],
    ids=str,
)
def test_a_damaged_model_is_refused(text, path, value):
    document = json.loads(text)
    owner = document
    for key in path[:-1]:
        owner = owner[key]
    owner[path[-1]] = value

    with pytest.raises(InputError, match=r"x\.json: not a whole numaaudit\.host/1"):
        snapshot_of_document(document, "x.json")


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@pytest.fixture
def text(same, build):
    return json.dumps(host_document(build(same.entries)))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_whatever_a_document_holds_it_is_read_or_refused(text, data):
    """One value anywhere in a model is replaced by any other."""
    document = owner = json.loads(text)
    while True:
        key = data.draw(st.sampled_from(sorted(owner) if isinstance(owner, dict) else range(len(owner))))
        if not owner[key] or not isinstance(owner[key], dict | list) or data.draw(st.booleans()):
            break
        owner = owner[key]
    owner[key] = data.draw(values)
    document["schema"] = "numaaudit.host/1"

    try:
        snapshot = snapshot_of_document(document, "x.json")
    except InputError:
        return
    assert compare((snapshot, snapshot)).rows == ()


@pytest.mark.parametrize(("mark", "expected"), [("control", "control"), (None, None), ("<b>", None)])
def test_the_mark_is_one_of_those_that_there_are(text, mark, expected):
    document = json.loads(text)
    document["host"]["mark"] = mark

    assert snapshot_of_document(document, "x.json").mark == expected
