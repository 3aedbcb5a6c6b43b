"""What a report shows of an audit, ready to be written: sentences made, evidence cut to three lines a fact, no markup."""

import hashlib
import re
import shlex
from functools import lru_cache
from typing import Any, NamedTuple

from numaaudit.bundle.tree import File, Gap
from numaaudit.core.cpuset import IdSet
from numaaudit.core.mempolicy import MemPolicy
from numaaudit.core.pci import PciAddress
from numaaudit.model.evidence import Evidence
from numaaudit.rules.engine import Audit, LoadedRule
from numaaudit.rules.finding import Finding, Outcome, Severity

MOST_EVIDENCE_LINES = 3
_ONE_OF_MANY = re.compile(r"\bNUMA nodes (?=\d{1,4}(?!\d|[-,:] ?\d| and \d))")


class Input(NamedTuple):
    """What was judged, and by what. ``path`` as typed, empty for the live host; ``sha256`` of the file's bytes, None where it is no
    file; ``policy`` as typed, empty without one."""

    path: str
    kind: str
    sha256: str | None
    policy: str = ""
    profile: str | None = None
    plugins: tuple[str, ...] = ()


class Shown(NamedTuple):
    """A finding with its sentences."""

    finding: Finding
    message: str
    fix: str
    commands: tuple[str, ...]
    evidence: tuple[Evidence, ...]

    @property
    def outcome(self) -> Outcome:
        return self.finding.judgement.outcome

    @property
    def severity(self) -> Severity:
        return self.finding.severity

    @property
    def subject(self) -> str:
        return self.finding.judgement.subject


def shown(audit: Audit, outcomes: frozenset[Outcome] = frozenset({Outcome.FAIL, Outcome.UNKNOWN, Outcome.ERROR})) -> list[Shown]:
    """The findings with one of these outcomes, in the audit's order."""
    loaded = {rule.name: rule for rule in audit.rules}
    return [show(finding, loaded[finding.name]) for finding in audit.findings if finding.judgement.outcome in outcomes]


def show(finding: Finding, loaded: LoadedRule) -> Shown:
    """One finding in sentences."""
    judgement = finding.judgement
    facts = {name: spoken(value) for name, value in judgement.facts.items()}
    if judgement.outcome is Outcome.FAIL:
        message, fix = singular(loaded.template(judgement).format_map(facts)), singular(loaded.fix.format_map(facts))
    else:
        message, fix = _not_failed(finding, loaded), ""
    commands = tuple(quote(argv) for argv in judgement.commands)
    return Shown(finding, message, fix, commands, judgement.evidence[: 3 * MOST_EVIDENCE_LINES])


def _not_failed(finding: Finding, loaded: LoadedRule) -> str:
    subject, outcome = finding.judgement.subject, finding.judgement.outcome
    if outcome is Outcome.UNKNOWN:
        missing = "; ".join(gap_text(gap) for gap in finding.judgement.gaps) or "evidence is missing"
        return f"{subject}: {loaded.name} cannot be judged: {missing}."
    if outcome is Outcome.ERROR:
        return f"{loaded.name} crashed; this is a bug of numaaudit."
    return f"{subject}: {loaded.name}: {outcome.value.replace('_', ' ')}."


def singular(sentence: str) -> str:
    """``NUMA nodes 0`` is one NUMA node; ``NUMA nodes 0-1`` and ``0,2`` stay as they are."""
    return _ONE_OF_MANY.sub("NUMA node ", sentence)


def gap_text(gap: Gap) -> str:
    """``root/proc/7/numa_maps refused (Permission denied)``; the reason alone where no file is what is missing."""
    if not gap.path and gap.reason:
        return gap.reason
    return f"{gap.path + ' ' if gap.path else ''}{gap.kind}{f' ({gap.reason})' if gap.reason else ''}"


def spoken(value: Any) -> Any:
    """A fact as sentences show it: long lists of every second CPU are shortened."""
    return value.short if isinstance(value, IdSet) else plain(value)


def plain(value: Any) -> Any:
    """A fact as JSON shows it: sets as lists of ids, a memory policy as the kernel prints it, everything else as it is."""
    if isinstance(value, (IdSet, PciAddress, MemPolicy)):
        return str(value)
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    return value


def quote(argv: tuple[str, ...]) -> str:
    """A command line that a shell reads back as these arguments; the only place that makes one."""
    return " ".join(shlex.quote(word) for word in argv)


@lru_cache(maxsize=1024)
def sha256_of(file: File) -> str:
    """The digest of a piece of evidence as it was judged."""
    return hashlib.sha256(file.data).hexdigest()
