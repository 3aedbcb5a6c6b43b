"""Pseudonyms: what a name is called in a bundle for those who may not know it.

Each is HMAC-SHA256 (RFC 2104) of kind and name under the content of a key file: the same in all bundles of one key, unlinkable and
not to be guessed without it. Ids keep their shape, so that a cgroup path still parses as that of a pod's container.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from typing import Dict, List, Match, Optional, Pattern, Set, Tuple

from numaaudit.bundle.pseudonym_lists import COMMON_WORDS

HOST, USER, POD, CONTAINER, PATH, GPU = "host", "user", "pod", "container", "path", "gpu"
KEY_BYTES = 16  # at least: a name can be guessed, so the key must not

_DIGITS = 10  # of a short pseudonym: among 10,000 names two are the same once in 20,000 times
UUID = r"[0-9a-fA-F]{8}([-_]?)[0-9a-fA-F]{4}\1[0-9a-fA-F]{4}\1[0-9a-fA-F]{4}\1[0-9a-fA-F]{12}"
_HEX_ID = r"[0-9a-f]{64}"
_BARE_UUID = re.compile(r"(?:(?<![\w-])|(?<=pod))" + UUID + r"(?![\w-])")
_BARE_HEX_ID = re.compile(r"(?<![0-9A-Za-z])" + _HEX_ID + r"(?![0-9A-Za-z])")
_GPU_ID = re.compile(r"(?<=GPU-|MIG-)[0-9a-f][0-9a-f-]{3,35}(?![0-9A-Za-z-])")
_SEPARATORS = re.compile(r"[-_]")
_BEGIN = r"(?<![^\W_])"  # of a word
_AFTER_COLOUR = r"(?:%s|(?<=\[m)|(?<=[\[;][0-9]m)|(?<=[\[;][0-9][0-9]m))" % _BEGIN  # ESC [ 1 ; 31 m; it takes ten times as long
_LETTER = re.compile(r"[^\W\d_]")  # without one it is a number, of which texts have many
_TO_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}  # of ASCII: no text gets longer


class Pseudonyms:
    """Names are learned from all files first, then replaced in all of them: where a name is told need not be where it is used."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._names: Dict[str, Set[str]] = {}
        self._known: Dict[str, str] = {}
        self._gpus: Set[str] = set()
        self._expressions: Optional[Tuple[Pattern[str], Pattern[str]]] = None  # for texts without and with colours

    @property
    def counts(self) -> Dict[str, int]:
        """How many names of each kind there are."""
        return {kind: len(names) for kind, names in sorted(self._names.items())}

    def name(self, kind: str, name: str) -> str:
        """``host-3f2a9c01bd``. A host's name is the same in capitals (RFC 4343)."""
        name = _folded(name) if kind == HOST else name
        self._names.setdefault(kind, set()).add(name)
        return "%s-%s" % (kind, self.digest(kind, name)[:_DIGITS])

    def uuid(self, text: str, kind: str = POD) -> str:
        """A UUID as one of the same punctuation; that of a pod is written with ``-``, ``_`` or nothing between its parts."""
        digits = _SEPARATORS.sub("", text).lower()
        self._names.setdefault(kind, set()).add(digits)
        replaced = iter(self.digest(kind, digits))
        return "".join(char if char in "-_" else next(replaced) for char in text)

    def hex_id(self, text: str) -> str:
        """A container's id; its first 12 digits, which tools print, become the first 12."""
        self._names.setdefault(CONTAINER, set()).add(text)
        replaced = self.digest(CONTAINER, text)
        self.learn(text[:12], replaced[:12])
        return replaced

    def digest(self, kind: str, name: str) -> str:
        """64 hexadecimal digits."""
        return hmac.new(self._key, b"%s\0%s" % (kind.encode(), name.encode("utf-8", "backslashreplace")), hashlib.sha256).hexdigest()

    def learn(self, name: str, pseudonym: str) -> None:
        """Replace a name wherever it is a word of a text, in capitals or not, unless it is a word of everybody's."""
        if len(name) > 2 and name.lower() not in COMMON_WORDS and _LETTER.search(name):
            self._known.setdefault(_folded(name), pseudonym)

    def learn_name(self, kind: str, name: str) -> str:
        """The pseudonym of a name, which is replaced in texts from now on."""
        known = self._known.get(_folded(name), "")
        if known.startswith(kind + "-"):
            return known
        replaced = self.name(kind, name)
        self.learn(name, replaced)
        return replaced

    def learn_host(self, hostname: str) -> None:
        """The name of this host, which texts may have with or without its domain; and that, which other names may have."""
        own, _, domain = hostname.partition(".")
        self.learn(own, self.learn_name(HOST, hostname))
        if "." in domain:
            self.learn_name(HOST, domain)

    def learn_gpus(self, text: str) -> None:
        """The UUIDs of GPUs in a text, of which a process's environment may hold the first digits only."""
        self._gpus.update(uuid for uuid in _GPU_ID.findall(text) if len(uuid) == 36)

    def settle(self) -> None:
        """Every name has been met: ``words`` knows them all from now on, and none before."""
        names = "|".join(re.escape(name) for name in sorted(self._known, key=lambda name: (-len(name), name)))
        whole = r"%s(?:%s)(?:\.[a-z][\w-]*){0,8}(?![^\W_])"
        self._expressions = (re.compile(whole % (_BEGIN, names)), re.compile(whole % (_AFTER_COLOUR, names))) if names else None

    def words(self, text: str) -> str:
        """The text with every known name replaced; a host's name also with the domain after it.

        ``gpu7-ib0`` and ``ada_train`` have a name in them, ``gpu70`` has not.
        """
        if self._expressions is None:
            return text
        expression = self._expressions["\x1b" in text]
        kept, place = [], 0
        for match in expression.finditer(_folded(text)):  # an expression that ignores case takes several times as long
            kept += [text[place : match.start()], self._word(match[0], text[match.start() : match.end()])]
            place = match.end()
        return "".join([*kept, text[place:]])

    def _word(self, folded: str, whole: str) -> str:
        end = next(end for end in _ends(folded) if folded[:end] in self._known)
        replaced = self._known[folded[:end]]
        return replaced if replaced.startswith(HOST + "-") else replaced + whole[end:]

    def ids(self, text: str) -> str:
        """The text with the UUIDs of pods and GPUs and the ids of containers replaced."""
        text = _GPU_ID.sub(self._gpu, text)
        text = _BARE_HEX_ID.sub(lambda match: self.hex_id(match[0]), text)
        return _BARE_UUID.sub(lambda match: self.uuid(match[0]), text)

    def _gpu(self, match: Match[str]) -> str:
        """``GPU-8932f937`` stands for the only GPU whose UUID begins so (CUDA_VISIBLE_DEVICES)."""
        whole = [uuid for uuid in self._gpus if uuid.startswith(match[0])]
        return self.uuid(whole[0] if len(whole) == 1 else match[0].ljust(36, "0"), GPU)[: len(match[0])]


def _folded(text: str) -> str:
    return text.translate(_TO_LOWER)


def _ends(text: str) -> List[int]:
    """The longest first."""
    return [len(text)] + [index for index in range(len(text) - 1, 0, -1) if text[index] == "."]
