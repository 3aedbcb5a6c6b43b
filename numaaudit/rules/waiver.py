"""A waiver: somebody answers for a failure that is known, until a date."""

from collections.abc import Mapping
from datetime import date
from enum import Enum
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import NamedTuple


class Waiver(NamedTuple):
    """``rule`` (code or name), ``subject`` and ``scope`` (host name) are shell patterns; ``fingerprint`` stands for rule and subject.

    ``expires`` is the last day on which it holds. ``line`` is its place in the policy file.
    """

    rule: str
    subject: str
    fingerprint: str | None
    reason: str
    owner: str
    expires: date | None
    scope: str
    line: int

    @property
    def target(self) -> str:
        """``NA201@rank:4``, or the fingerprint."""
        return self.fingerprint or f"{self.rule}@{self.subject}"

    def covers(self, codes: tuple[str, str], subject: str, fingerprint: str) -> bool:
        """Whether it is about a finding; ``codes`` are its rule's code and name."""
        if self.fingerprint:
            return self.fingerprint == fingerprint
        return any(fnmatchcase(code, self.rule) for code in codes) and fnmatchcase(subject, self.subject)


class Standing(str, Enum):
    """What became of a waiver on one host."""

    USED = "used"
    UNMATCHED = "unmatched"
    EXPIRED = "expired"
    UNDATED = "undated"  # it expires, and when the evidence was collected is not known
    OUT_OF_SCOPE = "out-of-scope"


class Waivers(NamedTuple):
    """Every waiver of the policy with what became of it; empty without a policy. A rule asks for it as for a section."""

    standings: Mapping[Waiver, Standing] = MappingProxyType({})
