"""``numaaudit predict`` as a user meets it."""

import json
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest

from numaaudit.launchers.registry import load_launchers
from numaaudit.report.predict_json import predict_document
from numaaudit.report.predict_text import forecast_lines
from numaaudit.report.terminal import Style

SAMPLES = Path(__file__).parents[2] / "sample_bundles"
ASYMMETRIC = str(SAMPLES / "asymmetric-5-3.tar.gz")
INTERLEAVED = str(SAMPLES / "interleaved-numbering.tar.gz")
SCHEMA = json.loads((files("numaaudit") / "report" / "schemas" / "numaaudit.predict-1.schema.json").read_text())


def numaaudit(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "numaaudit", "predict", *arguments], capture_output=True, text=True, check=False, timeout=120
    )


def closed(schema):
    inner = {key: closed(value) if isinstance(value, dict) else value for key, value in schema.items()}
    return {"additionalProperties": False, **inner} if "properties" in inner else inner


def test_the_fifth_rank_of_the_asymmetric_sample_is_remote():
    done = numaaudit(ASYMMETRIC, "--launcher", "deepinfer", "--format", "json")

    document = json.loads(done.stdout)
    assert (0, [4]) == (done.returncode, [rank["rank"] for rank in document["ranks"] if rank["placement"] != "local"])
    assert {"cpus": "32-39", "effective_cpus": "32-39", "offnode_cpus": "32-39", "gpu_numa_node": 0, "memory_policy": "bind:0"}.items() <= (
        document["ranks"][4].items()
    )


def test_all_launchers_are_json_lines_that_follow_the_schema():
    done = numaaudit(ASYMMETRIC, "--launcher", "all", "--format", "json", "--what-if", "cpuset=0-39,mems=0")

    documents = [json.loads(line) for line in done.stdout.splitlines()]
    assert set(load_launchers()) - {"command"} == {document["launcher"] for document in documents}
    for document in documents:
        jsonschema.validate(document, closed(SCHEMA))


@pytest.mark.parametrize(
    "arguments",
    [
        ["--launcher", "none"],
        ["--launcher", "command"],
        ["--launcher", "torchrun", "--set", "mode"],
        ["--launcher", "torchrun", "--ranks", "0"],
        ["--what-if", "cpuset=9999999"],
        ["--visible-devices", "64"],
    ],
)
def test_wrong_usage_is_exit_2_and_two_lines_at_most(arguments):
    done = numaaudit(ASYMMETRIC, *arguments)

    assert (2, "") == (done.returncode, done.stdout)


@pytest.mark.parametrize("width", [80, 200])
@pytest.mark.parametrize("name", [name for name in load_launchers() if name != "command"])
def test_a_table_fits_the_terminal(predict_on, name, width):
    lines = forecast_lines([predict_on(name)], Style(width, False, True))

    assert [line for line in lines if len(line) > width] == []
    assert "rank" == lines[[line.startswith("rank ") for line in lines].index(True)].split()[0]


def test_the_table_shows_every_rank_and_why_one_is_refused(predict_on):
    found = predict_on("deepinfer", "cpuset=0-15")._replace(ranks=predict_on("deepinfer", "cpuset=0-15").ranks[:3])

    assert [
        "deepinfer  (article; likely)",
        "options   threads=worker so-builder-cpus=4",
        "REFUSES   bind_cpu ends the worker with ValueError: CPU number 16 is not",
        "          eligible",
        "cpuset    CPUs 0-15, memory of NUMA nodes 0-1",
        "rank  GPU           NUMA  placement   memory  CPUs",
        "0     0000:1b:00.0  0     straddling  bind:0  0-7",
        "1     0000:2c:00.0  0     straddling  bind:0  8-15",
        "2     0000:3d:00.0  0     refused     bind:0  16-23",
        "3 ranks: 2 straddling, 1 refused",
    ] == forecast_lines([found], Style(80, False, True))


@pytest.fixture
def predict_on():
    """The forecast of a launcher on the sample whose lists of CPUs are longest."""
    from numaaudit.cli.source import load
    from numaaudit.launchers.request import Typed, forecasts

    host = load(INTERLEAVED).host
    return lambda name, what_if=None: forecasts(host, Typed(name, None, None, None, (), what_if))[0]


def test_documents_of_equal_forecasts_are_equal(predict_on):
    assert predict_document(predict_on("torchrun")) == predict_document(predict_on("torchrun"))
