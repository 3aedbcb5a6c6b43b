"""What a rule says: a judgement of one subject; and what the engine makes of it: a finding."""

import hashlib
from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType
from typing import Any, NamedTuple

from numaaudit.bundle.tree import Gap
from numaaudit.core.confidence import Confidence as Confidence  # noqa: PLC0414 - rules take it from here
from numaaudit.model.evidence import Evidence
from numaaudit.rules.waiver import Waiver


class Outcome(str, Enum):
    """``unknown``: evidence is missing, and the gaps say which. ``not_applicable``: the thing does not exist here."""

    PASS = "pass"
    FAIL = "fail"
    UNKNOWN = "unknown"
    NOT_APPLICABLE = "not_applicable"
    ERROR = "error"


class Severity(str, Enum):
    CRITICAL = "critical"
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
    INFO = "info"

    @property
    def rank(self) -> int:
        """0 for critical to 4 for info."""
        return list(Severity).index(self)


class Gate(str, Enum):
    """The three independent questions: right hardware, right placement, did users notice."""

    IDENTITY = "identity"
    PLACEMENT = "placement"
    APPLICATION = "application"


CATEGORIES = frozenset(
    """rank-core-mismatch asymmetric-slots cpuset-clip numa-node-unknown memory-remote memory-policy thread-mask-leak irq-remote
    nic-gpu-distance storage-remote device-order kubernetes-policy scheduler-binding oversubscription smt-sharing offline-cpus
    memory-tier numa-balancing hugepages node-memory launcher-defect identity-drift system-setting evidence-gap application""".split()
)


class Rule(NamedTuple):
    """A rule's identity. ``decides``: while it is unknown for some subject, its gate cannot pass.

    ``about_numbering``: its verdict depends on how CPUs or GPUs are numbered. ``experimental``: off unless asked for.
    ``caused_by``: codes of the rules whose failure for the same subject explains this one's, the deepest layer first.
    """

    code: str
    gate: Gate
    category: str
    severity: Severity
    decides: bool = False
    about_numbering: bool = False
    experimental: bool = False
    caused_by: tuple[str, ...] = ()


class Judgement(NamedTuple):
    """One rule's answer for one subject; ``facts`` fill the rule's MESSAGE and FIX.

    ``message`` names one of the rule's MESSAGES in place of MESSAGE; ``commands`` are argument vectors of the fix; ``canonical`` is
    the subject over restarts (UUID or PCI address, launcher and rank), for the fingerprint.
    """

    outcome: Outcome
    subject: str
    facts: Mapping[str, Any] = MappingProxyType({})
    related: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    gaps: tuple[Gap, ...] = ()
    severity: Severity | None = None
    confidence: Confidence = Confidence.CERTAIN
    commands: tuple[tuple[str, ...], ...] = ()
    message: str | None = None
    canonical: str | None = None
    thresholds: Mapping[str, float] = MappingProxyType({})  # filled in by the engine


def fail(subject: str, **details: Any) -> Judgement:
    """The subject is wrong. Details named like a field of Judgement go there (related, evidence, severity, confidence, commands,
    message, canonical, ...); all others are facts for the sentences."""
    fields = {name: details.pop(name) for name in Judgement._fields if name in details}
    return Judgement(Outcome.FAIL, subject, details, **fields)


def ok(subject: str, *, related: tuple[str, ...] = (), evidence: tuple[Evidence, ...] = (), **facts: Any) -> Judgement:
    """The subject was judged and is right."""
    return Judgement(Outcome.PASS, subject, facts, related, evidence)


def unknown(subject: str, *gaps: Gap | None, related: tuple[str, ...] = (), **facts: Any) -> Judgement:
    """The subject cannot be judged, because of these gaps."""
    return Judgement(Outcome.UNKNOWN, subject, facts, related, (), tuple(gap for gap in gaps if gap))


def not_applicable(subject: str, **facts: Any) -> Judgement:
    """The question does not arise for the subject."""
    return Judgement(Outcome.NOT_APPLICABLE, subject, facts)


class Finding(NamedTuple):
    """A judgement with the rule it came from, as reports show it. ``message`` and ``fix`` are made by report only.

    ``caused_by`` is the id of the finding that explains it; ``waiver`` the one that lets it pass.
    """

    rule: Rule
    name: str
    judgement: Judgement
    severity: Severity
    caused_by: str | None = None
    waiver: Waiver | None = None

    @property
    def id(self) -> str:
        return f"{self.rule.code}@{self.judgement.subject}"

    @property
    def counts(self) -> bool:
        """Whether it can fail a gate: it failed, and nobody waived it."""
        return self.judgement.outcome is Outcome.FAIL and self.waiver is None

    @property
    def fingerprint(self) -> str:
        """Stable over runs: the rule and the canonical subject (UUID or PCI address, launcher and rank), never a PID or time."""
        subject = self.judgement.canonical or self.judgement.subject
        return hashlib.sha256(f"{self.rule.code} {subject}".encode()).hexdigest()[:16]
