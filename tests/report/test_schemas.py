"""What the commands print follows the schemas that ship, closed: no key more, no key less."""

import json
from datetime import date
from importlib.resources import files

import jsonschema
import pytest

from numaaudit.compare.diff import compare
from numaaudit.compare.from_host import snapshot_of
from numaaudit.report.as_json import report_document
from numaaudit.report.compare_json import compare_document
from numaaudit.report.host_json import host_document
from numaaudit.report.view import Input
from numaaudit.rules.engine import audit
from numaaudit.rules.finding import Outcome
from numaaudit.rules.waiver import Waiver


def closed(schema):
    """The same schema with nothing allowed that it does not name."""
    if isinstance(schema, list):
        return [closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {key: closed(value) for key, value in schema.items()}
    return {**inner, "additionalProperties": False} if "properties" in inner else inner


def schema(name):
    return closed(json.loads((files("numaaudit") / "report" / "schemas" / f"numaaudit.{name}.schema.json").read_text()))


@pytest.fixture(params=["2p-2n-2g", "2p-2n-2g-rank-off-node", "2p-2n-2g-window", "2p-2n-2g-sampled"])
def any_host(request, host):
    return host(request.param)


def test_the_model_follows_its_schema(any_host):
    jsonschema.validate(host_document(any_host), schema("host-1"))


def test_the_report_follows_its_schema(any_host):
    waivers = (Waiver("NA2*", "*", None, "known", "on-call", None, "*", 1), Waiver("NA9*", "*", None, "r", "o", date(2026, 1, 1), "*", 2))
    source = Input("x.tar.gz", "bundle", None, "p.yaml", "serving", ("example",))
    document = report_document(audit(any_host, waivers=waivers), any_host, source, frozenset(Outcome))

    jsonschema.validate(document, schema("report-1"))


def test_an_empty_tree_follows_both(build):
    empty = build({})

    jsonschema.validate(host_document(empty), schema("host-1"))
    jsonschema.validate(report_document(audit(empty), empty, Input("", "live", None), frozenset(Outcome)), schema("report-1"))


@pytest.mark.parametrize("count", [2, 3])
def test_a_comparison_follows_its_schema(host, count):
    hosts = [host(name) for name in ("2p-2n-2g", "2p-2n-2g-rank-off-node", "2p-2n-2g")][:count]
    snapshots = tuple(snapshot_of(each, audit(each), "bundle") for each in hosts)
    document = compare_document(compare(snapshots), snapshots, (Input("x.tar.gz", "bundle", None),) * count)

    assert document["differences"]
    jsonschema.validate(document, schema("compare-1"))


def test_a_comparison_of_nothing_follows_its_schema(build):
    empty = build({})
    snapshots = (snapshot_of(empty, audit(empty), "bundle")._replace(findings=None),) * 2

    jsonschema.validate(compare_document(compare(snapshots), snapshots, (Input("", "live", None),) * 2), schema("compare-1"))
