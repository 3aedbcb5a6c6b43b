"""What many tests need: hosts from small YAML files (``tests/fixtures/roots``), and what one rule says of them.

A file maps bundle paths without ``root/`` to texts; keys that begin with ``again/``, ``commands/``, ``logs/`` or ``samples/``
are bundle paths as they are. ``"@target"`` is a symbolic link, ``!dir`` a directory, ``!binary`` bytes; ``!refused``,
``!gone``, ``!timeout`` and ``!cut TEXT`` are what the manifest says of a path. ``base: NAME`` at the top starts from another
file, whose keys are then replaced, or removed by ``null``.
"""

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from hypothesis import settings

from numaaudit.bundle.tree import Gap, Leaf, Link, Members, Tree
from numaaudit.core.cpuset import CpuSet
from numaaudit.model.host import Host, build_host
from numaaudit.rules.engine import audit, load_rules
from numaaudit.rules.finding import Judgement

# A busy machine is no failure, and the same change gives the same result.
settings.register_profile("house", deadline=None, derandomize=True)
settings.load_profile("house")

ROOTS = Path(__file__).parent / "fixtures" / "roots"
PLAIN = ("again/", "commands/", "logs/", "samples/", "pasted/")


class Missing(str):
    """A path the collector could not have; the text is the kind of gap."""

    __slots__ = ()


class Cut(str):
    """A file of which only this text was kept."""

    __slots__ = ()


class Directory:
    """An empty directory."""


class Loader(yaml.SafeLoader):
    """YAML with the tags of fixture roots."""


Loader.add_constructor("!refused", lambda loader, value: Missing("refused"))
Loader.add_constructor("!gone", lambda loader, value: Missing("gone"))
Loader.add_constructor("!timeout", lambda loader, value: Missing("timed-out"))
Loader.add_constructor("!dir", lambda loader, value: Directory())
Loader.add_constructor("!cut", lambda loader, value: Cut(loader.construct_scalar(value)))
Loader.add_constructor("!binary", lambda loader, value: base64.b64decode(loader.construct_scalar(value)))


def read_root(name: str) -> dict[str, Any]:
    """The entries of a fixture root by bundle path, those of its base included."""
    entries = yaml.load((ROOTS / f"{name}.yaml").read_text(encoding="utf-8"), Loader)  # noqa: S506  (our own loader, safe)
    base = read_root(entries.pop("base")) if "base" in entries else {}
    own = {path if path.startswith(PLAIN) else f"root/{path}": entry for path, entry in entries.items()}
    return {path: entry for path, entry in {**base, **own}.items() if entry is not None}


def make_tree(entries: dict[str, Any]) -> Tree:
    """A tree of fixture entries."""
    members, gaps = Members(), {}
    for path, entry in entries.items():
        if isinstance(entry, Missing | Cut):
            gaps[path] = Gap("cut" if isinstance(entry, Cut) else str(entry), path, "as the fixture says")
        if isinstance(entry, Missing):
            continue
        if isinstance(entry, Directory):
            members.add(path, None)
        elif isinstance(entry, str) and entry.startswith("@"):
            members.add(path, Link(entry[1:]))
        else:
            data = entry if isinstance(entry, bytes) else str(entry).encode()
            members.add(path, Leaf(path, lambda data=data: data))
    return Tree(members, gaps=gaps)


def host_of(entries: dict[str, Any]) -> Host:
    """The model of fixture entries."""
    tree = make_tree(entries)
    return build_host(tree, gaps=tuple(tree.gaps.values()))


def make_sample(
    entries: dict[str, Any], pid: int, head: str, strata: dict[str, tuple[int, dict[int, int]]], **resident: int
) -> dict[str, Any]:
    """The entries with a process whose pages were sampled: ``head`` is its policy, ``strata`` are kind to (MiB, pages drawn by NUMA
    node; what was drawn from -1 is not present), ``resident`` is MiB by the names of /proc/PID/status where the sample lacks some."""
    of_status = {"RssAnon": ("anon", "file"), "RssShmem": ("pinned", "shm", "named-shm"), "HugetlbPages": ("hugetlb",)}
    start_ticks = int(entries[f"root/proc/{pid}/stat"].rpartition(")")[2].split()[19])
    sample = {
        "format": "numaaudit.pages/1",
        "pid": pid,
        "start_ticks": start_ticks,
        "page_bytes": 4096,
        "resident_bytes": {
            name: resident.get(name, sum(strata[kind][0] for kind in kinds if kind in strata)) << 20 for name, kinds in of_status.items()
        },
        "strata": [
            {
                "kind": kind,
                "pages": mib << 8,
                "asked": sum(drawn.values()),
                "present_by_node": {str(number): count for number, count in drawn.items() if number >= 0},
            }
            for kind, (mib, drawn) in strata.items()
        ],
    }
    return entries | {f"root/proc/{pid}/numa_maps": Cut(f"00400000 {head}\n"), f"samples/pages-{pid}.json": json.dumps(sample)}


def judgements(host: Host, code: str) -> list[Judgement]:
    """What one rule says of a host."""
    rules = [loaded for loaded in load_rules() if loaded.rule.code == code]
    assert rules, f"no rule {code}"
    rules = [loaded._replace(rule=loaded.rule._replace(experimental=False)) for loaded in rules]
    result = audit(host, rules=rules)
    assert result.crashes == ()
    return [finding.judgement for finding in result.findings]


class Machine(NamedTuple):
    """A host by its shape. Each entry of ``numa_nodes`` and ``packages`` is a cpulist, of ``cores`` and ``caches`` a set of CPUs."""

    numa_nodes: tuple[str, ...]
    packages: tuple[str, ...]
    cores: tuple[CpuSet, ...]
    caches: tuple[CpuSet, ...]
    gpu_nodes: tuple[int, ...]

    def renumbered(self, new: dict[int, int]) -> "Machine":
        """The same host with other CPU ids."""

        def moved(cpus: CpuSet) -> CpuSet:
            return CpuSet(new[cpu] for cpu in cpus)

        def listed(lists: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(str(moved(CpuSet.parse(cpus))) for cpus in lists)

        return Machine(
            listed(self.numa_nodes), listed(self.packages), tuple(map(moved, self.cores)), tuple(map(moved, self.caches)), self.gpu_nodes
        )

    def entries(self) -> dict[str, Any]:
        """What its kernel exports."""
        cpu, numa_node = "root/sys/devices/system/cpu", "root/sys/devices/system/node"
        entries = {f"{cpu}/online": str(CpuSet(number for core in self.cores for number in core))}
        for number, core in enumerate(self.cores):
            package = next(which for which, cpus in enumerate(self.packages) if not core.isdisjoint(CpuSet.parse(cpus)))
            for thread in core:
                entries[f"{cpu}/cpu{thread}/topology/physical_package_id"] = str(package)
                entries[f"{cpu}/cpu{thread}/topology/core_id"] = str(number)
                entries[f"{cpu}/cpu{thread}/topology/core_cpus_list"] = str(core)
        for cache in self.caches:
            for thread in cache:
                entries[f"{cpu}/cpu{thread}/cache/index3/level"] = "3"
                entries[f"{cpu}/cpu{thread}/cache/index3/shared_cpu_list"] = str(cache)
        for number, cpus in enumerate(self.numa_nodes):
            entries[f"{numa_node}/node{number}/cpulist"] = cpus
            entries[f"{numa_node}/node{number}/meminfo"] = f"Node {number} MemTotal: 1048576 kB\nNode {number} MemFree: 524288 kB\n"
        return {**entries, **self._gpus()}

    def _gpus(self) -> dict[str, Any]:
        entries = {}
        for number, numa_node in enumerate(self.gpu_nodes):
            address = f"0000:{number + 16:02x}:00.0"
            device, driver = f"root/sys/bus/pci/devices/{address}", f"root/proc/driver/nvidia/gpus/{address}"
            for name, text in (("class", "0x030200"), ("vendor", "0x10de"), ("device", "0x2330"), ("numa_node", str(numa_node))):
                entries[f"{device}/{name}"] = text
            everything = str(CpuSet(cpu for core in self.cores for cpu in core))
            entries[f"{device}/local_cpulist"] = self.numa_nodes[numa_node] if numa_node >= 0 else everything
            entries[f"{driver}/information"] = f"Model: \t\t NVIDIA H100\nBus Location: \t {address}\nDevice Minor: \t {number}\n"
        return entries


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the expected outputs of sample_bundles/expected anew")


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Whether expected outputs are to be written instead of compared."""
    return bool(request.config.getoption("--update-golden"))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A test that was skipped has not passed."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter and reporter.stats.get("skipped") and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture
def root() -> Callable[[str], dict[str, Any]]:
    """Entries of a fixture root by name; a test may change its copy."""
    return read_root


@pytest.fixture
def tree() -> Callable[[str], Tree]:
    """The tree of a fixture root by name."""
    return lambda name: make_tree(read_root(name))


@pytest.fixture
def host() -> Callable[[str], Host]:
    """The model of a fixture root by name."""
    return lambda name: host_of(read_root(name))


@pytest.fixture
def build() -> Callable[[dict[str, Any]], Host]:
    """The model of entries."""
    return host_of


@pytest.fixture
def outcomes() -> Callable[[Host, str], set[tuple[str, str]]]:
    """The exact set of (subject, outcome) one rule gives."""
    return lambda host, code: {(each.subject, each.outcome.value) for each in judgements(host, code)}


@pytest.fixture
def judge() -> Callable[[Host, str], list[Judgement]]:
    """The judgements of one rule."""
    return judgements


@pytest.fixture
def sampled() -> Callable[..., dict[str, Any]]:
    """Make the pages of a process of some entries a sample."""
    return make_sample


@pytest.fixture
def machine() -> Callable[..., Machine]:
    """Machine by its shape: a host without a file of its own."""
    return Machine


@pytest.fixture
def two_packages() -> Machine:
    """2 packages with a NUMA node and 4 cores of 2 threads each, siblings at +8; GPUs on nodes 0, 0, 0 and 1."""
    cores = tuple(CpuSet((core, core + 8)) for core in range(8))
    halves = ("0-3,8-11", "4-7,12-15")
    return Machine(halves, halves, cores, tuple(map(CpuSet.parse, halves)), (0, 0, 0, 1))
