"""What holds for every rule and every host: less evidence never acquits, and the numbers of CPUs do not matter."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from numaaudit.core.cpuset import CpuSet
from numaaudit.model.host import Host
from numaaudit.rules.engine import audit, load_rules
from numaaudit.rules.finding import Outcome

Entries = dict[str, Any]
Build = Callable[[Entries], Host]

NUM_CPUS = 8
MASKS = ("0-1,4-5", "2-3,6-7", "0-7", "1-2", "0-1", "3")
SPEED = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
LESS = (Outcome.PASS, Outcome.NOT_APPLICABLE)


def outcomes_of(host: Host, codes: frozenset[str] | None = None) -> dict[tuple[str, str], Outcome]:
    """(rule, subject) to outcome."""
    result = audit(host, rules=[loaded for loaded in load_rules() if codes is None or loaded.rule.code in codes])
    assert result.crashes == ()
    return {(finding.rule.code, finding.judgement.subject): finding.judgement.outcome for finding in result.findings}


class Change:
    """A host made from a fixture root: masks of ranks and threads, where memory lies, a claim in a log, a cpuset."""

    def __init__(self, masks: tuple[str, ...], pages: tuple[int, int], claim: str | None, cpuset: str | None) -> None:
        self.masks, self.pages, self.claim, self.cpuset = masks, pages, claim, cpuset

    def __repr__(self) -> str:
        return f"Change({self.masks}, {self.pages}, {self.claim}, {self.cpuset})"

    def _within_cpuset(self, mask: str) -> str:
        """As the kernel keeps masks: cut by the cpuset, or all of it where nothing is left."""
        limit = CpuSet.parse(self.cpuset or f"0-{NUM_CPUS - 1}")
        return str(CpuSet.parse(mask) & limit or limit)

    def of(self, entries: Entries) -> Entries:
        changed = dict(entries)
        tasks = ("100", "100/task/110", "101", "101/task/111")
        for task, mask in zip(tasks, map(self._within_cpuset, self.masks), strict=True):
            for path in (f"root/proc/{task}/status", f"root/proc/{task}/task/{task}/status"):
                if path in changed:
                    text = re.sub(r"Cpus_allowed:\t.*\n", "", changed[path])
                    changed[path] = re.sub(r"Cpus_allowed_list:\t.*", f"Cpus_allowed_list:\t{mask}", text)
        lines = f"7f0000000000 default anon=1 N0={self.pages[0]} N1={self.pages[1]} kernelpagesize_kB=4\n"
        changed["root/proc/101/numa_maps"] = "00400000 default file=/usr/bin/python3 mapped=5 N0=5 kernelpagesize_kB=4\n" + lines
        if self.claim:
            numbers = ", ".join(map(str, CpuSet.parse(self.claim)))
            changed["logs/deepinfer.log"] = f"bind_cpu gpu_id: 1, cpus: [{numbers}].\n"
        if self.cpuset:
            changed["root/sys/fs/cgroup/work/cpuset.cpus.effective"] = f"{self.cpuset}\n"
        return changed


changes = st.builds(
    Change,
    st.tuples(*[st.sampled_from(MASKS)] * 4),
    st.tuples(st.sampled_from((0, 1000, 100_000, 200_000)), st.sampled_from((0, 1000, 100_000))),
    st.sampled_from((None, *MASKS)),
    st.sampled_from((None, "0-7", "0-1,4-5", "0-3")),
)


@pytest.fixture
def removable(root) -> list[str]:
    """Paths of one host, and folders of them; not those that are the host's proof that there are two NUMA nodes."""
    paths = list(root("2p-2n-2g"))
    folders = ["root/proc/101/task/", "root/proc/101/fd/", "root/sys/fs/cgroup/", "again/1/", "commands/", "root/proc/driver/"]
    return [*paths, *folders, "root/proc/101/numa_maps", "logs/deepinfer.log"]


@SPEED
@given(change=changes, data=st.data())
def test_removing_evidence_never_turns_a_failure_into_a_pass(root, build: Build, removable, change, data):
    entries = change.of(root("2p-2n-2g"))
    before = outcomes_of(build(entries))
    gone = data.draw(st.sampled_from(removable))

    after = outcomes_of(
        build({path: entry for path, entry in entries.items() if path != gone and not (gone.endswith("/") and path.startswith(gone))})
    )

    acquitted = {key for key, outcome in before.items() if outcome is Outcome.FAIL and after.get(key) in LESS}
    assert acquitted == set(), f"without {gone}"


def renumbered(entries: Entries, new: tuple[int, ...]) -> Entries:
    """The same host with CPU ``n`` called ``new[n]`` in every file."""

    def listed(text: str) -> str:
        return str(CpuSet(new[cpu] for cpu in CpuSet.parse(text)))

    def mask(text: str) -> str:
        return f"{sum(1 << new[cpu] for cpu in CpuSet.from_mask(text)):x}"

    changed: Entries = {}
    for path, entry in entries.items():
        moved = re.sub(r"/system/cpu/cpu(\d+)/", lambda match: f"/system/cpu/cpu{new[int(match[1])]}/", path)
        changed[moved] = entry
        if (
            re.search(r"/(?:cpulist|local_cpulist|core_cpus_list|online|present|possible|cpuset\.cpus\.effective)$", path)
            and "/node/online" not in path
        ):
            changed[moved] = listed(entry) + "\n"
        elif path.endswith("/cpumap"):
            changed[moved] = mask(entry) + "\n"
        elif path.endswith("/status") and "Cpus_allowed" in entry:
            changed[moved] = re.sub(
                r"(Cpus_allowed_list:\t)(.*)", lambda match: match[1] + listed(match[2]), re.sub(r"Cpus_allowed:\t.*\n", "", entry)
            )
        elif path.startswith("logs/"):
            changed[moved] = re.sub(
                r"\[([\d, ]+)\]", lambda match: "[" + ", ".join(map(str, CpuSet.parse(listed(match[1].replace(" ", ""))))) + "]", entry
            )
        elif path.endswith("/stat"):
            fields = entry.split(" ")
            changed[moved] = " ".join([*fields[:38], str(new[int(fields[38])]), *fields[39:]])
    return changed


@SPEED
@given(change=changes, new=st.permutations(range(NUM_CPUS)))
def test_numbering_cpus_otherwise_changes_no_verdict(root, build: Build, change, new):
    codes = frozenset(loaded.rule.code for loaded in load_rules() if not loaded.rule.about_numbering)
    entries = change.of(root("2p-2n-2g"))

    assert outcomes_of(build(renumbered(entries, tuple(new))), codes) == outcomes_of(build(entries), codes)
