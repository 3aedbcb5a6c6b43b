"""Tool outputs and machines recorded by others, where NUMAAUDIT_CORPORA names the folder that holds corpus/ and machines/."""

import os
import tarfile
from pathlib import Path

import pytest
import yaml

from numaaudit.bundle.opening import open_input
from numaaudit.core.cpuset import CpuSet
from numaaudit.model.host import build_host
from numaaudit.model.sections.devices import Devices
from numaaudit.model.sections.topology import Topology
from numaaudit.report.as_json import dump
from numaaudit.report.host_json import host_document

CORPORA = Path(os.environ["NUMAAUDIT_CORPORA"])
TEXTS = sorted(CORPORA.glob("corpus/*/*.txt"))
MACHINES = sorted([*CORPORA.glob("machines/*/*.tar.*"), *CORPORA.glob("machines/*_xml/*.xml")])


def host_of(path: Path):
    opened = open_input(str(path))
    return build_host(opened.tree, opened.manifest, opened.gaps)


def labelled(kind: str):
    """(text, label) of every sample of a kind."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    texts = [path for path in TEXTS if path.parent.name == kind]
    labels = [yaml.load(path.with_suffix(".yaml").read_text(), loader) for path in texts]  # noqa: S506  (both are safe)
    return [pytest.param(path, label["expected"], id=path.name) for path, label in zip(texts, labels, strict=True)]


@pytest.mark.parametrize("text", TEXTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_text_becomes_a_document_and_the_same_one_twice(text):
    assert dump(host_document(host_of(text))) == dump(host_document(host_of(text)))


@pytest.mark.parametrize(("text", "label"), labelled("topo"))
def test_a_matrix_puts_each_gpu_where_its_row_says(text, label):
    printed = {row["index"]: str(row["numa_affinity"]) for row in label["gpus"] if str(row["numa_affinity"]).isdigit()}
    found = {gpu.index: str(gpu.numa_node) for gpu in host_of(text).section(Devices).gpus}

    assert set(found) == {row["index"] for row in label["gpus"]}
    assert {index: found[index] for index in printed} == printed


@pytest.mark.parametrize(("text", "label"), labelled("lscpu"))
def test_lscpu_tells_the_cpus_of_each_numa_node(text, label):
    found = host_of(text).section(Topology)
    online = CpuSet.parse(str(label["online"]))

    assert {each.id: each.cpus for each in found.numa_nodes} == {
        number: CpuSet.parse(str(cpus)) & online for number, cpus in label["numa_nodes"].items()
    }


@pytest.mark.parametrize(("text", "label"), labelled("numactl"))
def test_numactl_tells_sizes(text, label):
    found = {each.id: each.memory_bytes for each in host_of(text).section(Topology).numa_nodes}

    assert {number: found[number] for number in label["nodes"]} == {number: row["size_mb"] << 20 for number, row in label["nodes"].items()}


@pytest.mark.parametrize("machine", MACHINES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_cpu_of_a_numa_node_is_online(machine):
    found = host_of(machine).section(Topology)
    listed = [cpu for each in found.numa_nodes for cpu in each.cpus or ()]

    assert found.online is None or set(listed) <= found.online.ids()
    assert machine.suffix == ".xml" or tarfile.is_tarfile(machine)
