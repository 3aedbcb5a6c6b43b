"""The command line of the portable collector: the options of ``options.py`` for argparse, taken as ``numaaudit collect`` takes them."""

from __future__ import annotations

import argparse
from typing import Any, Dict, Iterator, NoReturn, Sequence

import numaaudit
from numaaudit.collect.options import ABOUT, OPTIONS, CollectOptions, Option, typed_or_default
from numaaudit.core.errors import UsageError

PROGRAM = "numaaudit-collect"
_HINT = "%s --help lists the options" % PROGRAM


def parse(words: Sequence[str]) -> CollectOptions:
    """The options that were typed. UsageError if they make no sense; SystemExit once help or the version was printed."""
    chosen = vars(_parser().parse_args(list(_joined(words))))
    return CollectOptions(**{option.name: _value(option, chosen[option.name]) for option in OPTIONS})


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(message, _HINT)


def _parser() -> _Parser:
    parser = _Parser(prog=PROGRAM, description=ABOUT, allow_abbrev=False)
    parser.add_argument("--version", action="version", version="%s %s" % (PROGRAM, numaaudit.__version__))
    for option in OPTIONS:
        parser.add_argument(*option.flags, dest=option.name, **_details(option))
    return parser


def _details(option: Option) -> Dict[str, Any]:
    text = option.help.replace("%", "%%")
    if option.kind is bool:
        return {"action": "store_true", "help": text}
    details: Dict[str, Any] = {"type": option.kind, "help": text + (" [default: %s]" % option.default if option.default else "")}
    if option.many:
        return {**details, "action": "append", "metavar": option.metavar}
    return {**details, "choices": option.choices or None, "metavar": option.metavar or "<%s>" % "|".join(option.choices)}


def _value(option: Option, value: Any) -> Any:
    value = typed_or_default(option, value)
    return tuple(value) if option.many else value


def _joined(words: Sequence[str]) -> Iterator[str]:
    """Each option in one word with its value, which is the next word even if that starts with a dash (``--match --port``)."""
    long = {flag: option.flags[0] for option in OPTIONS if option.kind is not bool for flag in option.flags}
    rest = iter(words)
    for word in rest:
        value = next(rest, None) if word in long else None
        joined = word if value is None else "%s=%s" % (long[word], value)
        if joined.endswith("=--"):  # argparse makes an empty list of it, up to Python 3.12
            raise UsageError("%s: -- is no value" % joined, _HINT)
        yield joined
