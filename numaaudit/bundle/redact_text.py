"""Free text: logs the user named, output of commands, pasted tickets.

Nobody can know every secret in free text. What has a known shape goes: keys, tokens, passwords, credentials in URLs, private
keys, mail addresses, names of home folders, values of environment variables that are not listed; process names in tables of
ps(1), top(1) and nvidia-smi are reduced as command lines are. Lines stay lines, so that evidence keeps its line numbers.
"""

from __future__ import annotations

import re
from typing import Callable, List, Match, NamedTuple, Tuple, Union

from numaaudit.bundle.redact_argv import redact_words
from numaaudit.bundle.redact_lists import ENVIRONMENT
from numaaudit.bundle.redact_maps import redact_maps, redact_numa_maps

MARK = b"[redacted]"

_PRIVATE_KEY = rb"(?s)-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----.*?(?:-----END [A-Z ]{0,30}PRIVATE KEY-----|\Z)"
_NVIDIA_NAME = re.compile(rb"^([ \t]+Name +: |[ \t]*<process_name>)([^<\r\n]+)", re.M)
_NVIDIA_TYPES = (b"C", b"G", b"C+G", b"M+C", b"M")
_PS_COLUMNS = (b"COMMAND", b"CMD", b"ARGS")
_BLANKS = re.compile(rb"([ \t]+)")

SECRET_WORDS = (
    rb"api[_-]?key|(?:access|private)[_-]?key|secret|token|passw(?:or)?d|passphrase|passcode|credentials?|auth(?:orization)?|cookie"
)
_SECRET = rb"(?i:" + SECRET_WORDS + rb")(?![A-Za-z])"
_LOWER_CASE_NAME = re.compile(rb"(?:" + SECRET_WORDS + rb")(?![a-z])")
# quoted, quoted inside of quotes, a list, one word; colours (ECMA-48 SGR) come before and after
_VALUE = rb"(\"(?:[^\"\\\n]|\\.)*\"?|'[^'\n]*'?|\\\"[^\"\n]*\"?|\\'[^'\n]*'?|\[[^\]\n]{0,4096}\]?|[^\s\"',;&\x1b]+)"
_COLOUR = rb"(?:\x1b\[[\d;]{0,16}m){0,4}"
_COUNT = rb"[\"']?[+-]?\d[\d.,]{0,20} ?[A-Za-z/%]{0,8}[\"']?"
_HARMLESS = rb"(?i)[\"']?(?:[\d.,:x|-]{1,4096}|true|false|yes|no|on|off|none|null)[\"']?"
_TOKEN_MARKS = tuple(b"hf_ sk- ghp_ gho_ ghu_ ghs_ ghr_ github_ glpat- nvapi- xox aiza akia asia eyj".split())
TOKENS = (
    rb"(?<![\w-])(?:hf_[A-Za-z0-9]{8,}|sk-[\w-]{16,}|gh[pousr]_[A-Za-z0-9]{16,}|github_pat_\w{16,}|glpat-[\w-]{16,}"
    rb"|nvapi-[\w-]{16,}|xox[abeoprs]-[\w-]{8,}|AIza[\w-]{30,}|(?:AKIA|ASIA)[A-Z0-9]{16}|eyJ[\w-]{8,}\.[\w-]{2,}\.[\w-]*)"
)


def redact_text(data: bytes) -> bytes:
    """Take what has the shape of a secret or of somebody's name out of a text."""
    if b" file=" in data:
        data = redact_numa_maps(data)
    if b"-p " in data or b"-s " in data:
        data = redact_maps(data)
    data = _NVIDIA_NAME.sub(_command, data)
    if b"PRIVATE KEY" in data:
        data = re.sub(_PRIVATE_KEY, lambda match: b"\n".join([MARK] * (match[0].count(b"\n") + 1)), data)
    tables = _Tables()
    return b"\n".join([_line(tables.line(line)) for line in data.split(b"\n")])


def _line(line: bytes) -> bytes:
    lowered = line.lower()
    for marks, expression, replacement in _PATTERNS:
        for mark in marks:
            if mark in lowered:
                line = re.sub(expression, replacement, line)
                break
    return re.sub(_NAMED_SECRET, _secret, line) if _LOWER_CASE_NAME.search(lowered) else line


def _command(match: Match[bytes]) -> bytes:
    return match[1] + _words(match[2])


def _words(text: bytes) -> bytes:
    return redact_words(text.decode("latin-1")).encode("latin-1")


def _secret(match: Match[bytes]) -> bytes:
    """``"api_key": "abc"``, ``--api-key abc``; a count of tokens is no secret."""
    name = re.search(_SECRET, match[1])
    if not name or (name[0].lower() == b"token" and re.fullmatch(_COUNT, match[2])):
        return match[0]
    return match[1] + _mark(match[2])


def _variable(match: Match[bytes]) -> bytes:
    if match[1].decode() in ENVIRONMENT or re.fullmatch(_HARMLESS, match[2]):
        return match[0]
    return match[1] + b"=" + _mark(match[2])


def _mark(value: bytes) -> bytes:
    """The mark, in the quotes the value had."""
    for quote in (b'"', b"'", b'\\"', b"\\'"):
        if value.startswith(quote) and value.endswith(quote) and len(value) >= 2 * len(quote):
            return quote + MARK + quote
    return MARK


class _Pattern(NamedTuple):
    """What is looked for in lines that have one of the marks, which are in lower case and cheap to find.

    Few texts have any, so that re compiles an expression at its first use.
    """

    marks: Tuple[bytes, ...]
    expression: bytes
    replacement: Union[bytes, Callable[[Match[bytes]], bytes]]


_NAMED_SECRET = (
    rb"(" + _SECRET + rb"[\w.-]{0,40}(?:\\?[\"'])?" + _COLOUR + rb"[ \t]{0,3}[=:]>?[ \t]{0,3}" + _COLOUR
    + rb"(?:(?i:bearer|basic|token)[ \t]{1,3})?)" + _VALUE
)  # fmt: skip
_PATTERNS = (
    _Pattern((b"://",), rb"://[^\s/@]+@", b"://[redacted]@"),
    _Pattern((b"--",), rb"(?<![\w-])(--[A-Za-z][\w-]{0,60}(?:\\?[\"'],)?[ \t]{1,3})(?!\\?[\"']?-)" + _VALUE, _secret),
    _Pattern((b"cookie:",), rb"((?i:cookie):[ \t]{0,3}).+", rb"\1[redacted]"),
    _Pattern((b"bearer ",), rb"([Bb]earer )[\w.~+/=-]{8,}", rb"\1[redacted]"),
    _Pattern((b"=",), rb"(?<![\w-])([A-Z_][A-Z0-9_]{2,127})=" + _VALUE, _variable),
    _Pattern(_TOKEN_MARKS, TOKENS, MARK),
    _Pattern((b"@",), rb"(?<![\w.+-])[\w.+-]+@[A-Za-z0-9-]{1,63}\.[A-Za-z][A-Za-z0-9.-]*", MARK),
    _Pattern((b"/home/", b"/users/"), rb"(/home/|/Users/)[^\s/\"':,;)]+", rb"\1[redacted]"),
)


class _Tables:
    """Goes through the lines of a text and reduces the commands in tables of processes."""

    def __init__(self) -> None:
        self._ps: List[bytes] = []  # the header's words while its rows last
        self._csv: List[bytes] = []

    def line(self, line: bytes) -> bytes:
        if line[:1] == b"|" and line.rstrip()[-1:] == b"|":
            return _nvidia_row(line)
        if b"process_name" in line and b"," in line and b"<" not in line:
            self._csv = [name.strip() for name in line.split(b",")]
            return line
        if self._csv:
            return self._csv_row(line)
        return self._ps_line(line)

    def _csv_row(self, line: bytes) -> bytes:
        """``nvidia-smi --query-compute-apps=…,process_name,… --format=csv``; the name may hold commas itself."""
        before = self._csv.index(b"process_name") if b"process_name" in self._csv else 0
        after = len(self._csv) - before - 1
        cells = line.split(b",")
        if len(cells) < len(self._csv):
            self._csv = []
            return line
        name = b",".join(cells[before : len(cells) - after])
        blank = name[: len(name) - len(name.lstrip())]
        return b",".join(cells[:before] + [blank + _words(name.strip())] + cells[len(cells) - after :])

    def _ps_line(self, line: bytes) -> bytes:
        words = line.split()
        if b"PID" in words and any(name in words for name in _PS_COLUMNS):
            self._ps = words
            return line
        if not self._ps:
            return line
        pid = self._ps.index(b"PID")
        if len(words) <= pid or not words[pid].isdigit():
            self._ps = []
            return line
        before = min(self._ps.index(name) for name in _PS_COLUMNS if name in self._ps)
        parts = _BLANKS.split(line)
        start = 2 * before + (2 if not parts[0] else 0)
        return b"".join(parts[:start]) + _words(b"".join(parts[start:]))


def _nvidia_row(line: bytes) -> bytes:
    """``|    0   N/A  N/A      4242      C   /usr/bin/python3 -m x      1234MiB |``"""
    parts = _BLANKS.split(line)
    for place in range(2, len(parts) - 6, 2):
        if parts[place] in _NVIDIA_TYPES and parts[place - 2].isdigit():
            last = len(parts) - 4  # the memory used, a blank, the bar
            return b"".join(parts[: place + 2]) + _words(b"".join(parts[place + 2 : last])) + b"".join(parts[last:])
    return line
