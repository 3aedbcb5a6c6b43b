"""Command lines: names of programs, modules and listed options stay; every other word becomes ``[redacted]`` in its place."""

from __future__ import annotations

import re
from typing import List, Optional, Pattern

from numaaudit.bundle.redact_lists import (
    ASSIGNMENT,
    CODE,
    ENVIRONMENT,
    FLAG,
    LIST,
    LONG_OPTIONS,
    MODULE,
    SHORT_OPTIONS,
    STARTERS,
    SUBCOMMANDS,
    WORD,
)

REDACTED = "[redacted]"
_FIRST_NAME = re.compile(r"-?[\w.(<][\w.:+()<>@-]{0,63}", re.A)
_NAME = re.compile(r"[A-Za-z_][\w.:+-]{0,63}", re.A)
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w{0,127})(=?)(.*)", re.A | re.S)
_PLAIN_VALUE = re.compile(r"[\w.,:;+=|*@%(){}\[\]<>!^/ -]{0,8192}", re.A)
_FAMILY = re.compile(r"(python|llama)[\w.-]*", re.A)
_NUMBERS = re.compile(r"[!+-]?\d[\d.,:/*|x()-]{0,8191}|0x[0-9a-fA-Fx,]{1,8191}|all|same|auto|none|nobind")
_VALUES = {
    LIST: _NUMBERS,
    WORD: re.compile(r"[\w.,:;+=*/|()-]{1,8192}", re.A),
    MODULE: re.compile(r"[A-Za-z_][\w.]{0,127}", re.A),
}
_BLANKS = re.compile(r"([ \t\n]+)")


def redact_argv(data: bytes) -> bytes:
    """Redact ``/proc/PID/cmdline``: NUL-separated words, or one string with blanks where the process set its own title."""
    text = data.decode("latin-1")
    body = text.rstrip("\0")
    if "\0" not in body:
        return (redact_words(body) + text[len(body) :]).encode("latin-1")
    line = CommandLine()
    return ("\0".join([line.keep(word) for word in body.split("\0")]) + text[len(body) :]).encode("latin-1")


def redact_words(text: str) -> str:
    """Redact a command line whose words are separated by blanks, as ps(1) prints it."""
    line = CommandLine()
    return "".join([line.keep(part) if index % 2 == 0 else part for index, part in enumerate(_BLANKS.split(text))])


def _plain_setting(value: str) -> str:
    """The value of a listed variable: a path is reduced to its last component, text that is no plain setting goes."""
    if not _PLAIN_VALUE.fullmatch(value):
        return REDACTED
    return base_name(value) if value.startswith("/") else value


def base_name(path: str) -> str:
    return path.rpartition("/")[2]


class CommandLine:
    """Reads the words of one command line from left to right and says what of each may stay.

    Once a word has been redacted no later bare word is taken for a program: it may belong to the hidden option's value.
    """

    def __init__(self) -> None:
        self._first = True
        self._program = ""
        self._wants_program = True
        self._follows_program = False
        self._awaits: Optional[str] = None

    def keep(self, word: str) -> str:
        """The word as it may be stored."""
        if not word:
            self._awaits = None
            return word
        follows, self._follows_program = self._follows_program, False
        kept = self._judge(word, follows)
        self._first = False
        if kept == REDACTED:
            self._wants_program, self._awaits = False, None
        return kept

    def _judge(self, word: str, follows_program: bool) -> str:
        if self._first:
            return self._start(base_name(word), _FIRST_NAME)
        if word == "--":
            return word
        if word[0] == "-" and not _NUMBERS.fullmatch(word):
            return self._option(word)
        if self._awaits:
            return self._awaited(word)
        if follows_program and word in SUBCOMMANDS:
            self._follows_program = True
            return word
        return self._bare(word) if self._wants_program else REDACTED

    def _option(self, word: str) -> str:
        name, equals, value = word.partition("=")
        short = SHORT_OPTIONS.get(self._program, {})
        kind = LONG_OPTIONS.get(name.replace("_", "-")) or short.get(name)
        self._awaits = None
        if kind is None:
            attached = short.get(word[:2]) == LIST and _NUMBERS.fullmatch(word[2:])
            return word if attached else REDACTED
        if equals:
            return name + "=" + _fitting(LIST if kind == FLAG else kind, value)
        if kind == CODE:
            self._wants_program = False
        elif kind != FLAG:
            self._awaits = kind
        return word

    def _awaited(self, word: str) -> str:
        kind, self._awaits = self._awaits or "", None
        if kind == LIST and _NUMBERS.fullmatch(word):
            self._awaits = "more"
            return word
        if kind == "more":
            self._awaits = "more" if _NUMBERS.fullmatch(word) else None
            return word if self._awaits else self._judge(word, False)
        kept = _fitting(kind, word)
        if kind == MODULE and kept != REDACTED:
            self._program, self._wants_program = word.partition(".")[0], False
        return kept

    def _bare(self, word: str) -> str:
        if "=" in word:
            return _fitting(ASSIGNMENT, word)
        name = base_name(word)
        return name if _NUMBERS.fullmatch(name) else self._start(name, _NAME)

    def _start(self, name: str, allowed: Pattern[str]) -> str:
        if not allowed.fullmatch(name):
            return REDACTED
        family = _FAMILY.fullmatch(name)
        self._program = family[1] if family else name
        self._wants_program = self._program in STARTERS
        self._follows_program = True
        return name


def _fitting(kind: str, value: str) -> str:
    """The value of an option if it has the form that option takes."""
    if kind == ASSIGNMENT:
        match = _ASSIGNMENT.fullmatch(value)
        return match[1] + match[2] + _plain_setting(match[3]) if match and match[1] in ENVIRONMENT else REDACTED
    form = _VALUES.get(kind)
    if form is None or not form.fullmatch(value):
        return REDACTED
    return (base_name(value) or REDACTED) if kind == WORD else value


def kept_variables(entries: List[str]) -> List[str]:
    """Of ``NAME=VALUE`` strings those whose name is listed, in their order."""
    kept = [_fitting(ASSIGNMENT, entry) for entry in entries if "=" in entry]
    return [entry for entry in kept if entry != REDACTED]
