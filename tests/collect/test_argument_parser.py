"""The portable front end takes a command line as ``numaaudit collect`` takes it."""

from typing import Any

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st

import numaaudit
from numaaudit.cli.app import app
from numaaudit.collect.argument_parser import parse
from numaaudit.collect.options import OPTIONS, CollectOptions
from numaaudit.core.errors import UsageError

TYPER: Any = typer.main.get_command(app)
WRONG_USAGE = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")
FLAGS = [flag for option in OPTIONS for flag in option.flags]
VALUES = ["7", "-1", "07", "1e3", "nan", "full", "none", "", "-", "--match", "-x y", "é=", "a b", "@file", "%s", "\udcff"]


def by_argparse(words: list[str]) -> CollectOptions | None:
    """What the words ask for; None if they make no sense."""
    try:
        return parse(words)
    except UsageError:
        return None


def by_typer(words: list[str]) -> CollectOptions | None:
    try:
        chosen = TYPER.commands["collect"].make_context("collect", list(words)).params
    except WRONG_USAGE:
        return None
    return CollectOptions(**{option.name: tuple(chosen[option.name]) if option.many else chosen[option.name] for option in OPTIONS})


def test_without_words_both_ask_for_the_defaults():
    assert (CollectOptions(), CollectOptions()) == (by_argparse([]), by_typer([]))


JOINED = ["%s=%s" % (flag, value) for flag in FLAGS if flag.startswith("--") for value in VALUES]  # of "-p=7" getopt keeps the "="


@given(st.lists(st.sampled_from([*FLAGS, *JOINED, *VALUES])))
def test_both_front_ends_take_a_command_line_alike(words):
    assert repr(by_typer(words)) == repr(by_argparse(words))


@given(st.lists(st.tuples(st.sampled_from(OPTIONS), st.sampled_from(VALUES))))
def test_values_are_read_alike(chosen):
    words = [word for option, value in chosen for word in ((option.flags[-1],) if option.kind is bool else (option.flags[-1], value))]

    assert repr(by_typer(words)) == repr(by_argparse(words))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--pid", "x"], "argument --pid/-p: invalid int value: 'x'"),
        (["--pi", "7"], "unrecognized arguments: --pi 7"),
        (["7"], "unrecognized arguments: 7"),
        (["--match", "--"], "--match=--: -- is no value"),
        (["--match=--"], "--match=--: -- is no value"),
        (["--output"], "argument --output/-o: expected one argument"),
    ],
)
def test_wrong_usage_is_one_line(words, message):
    with pytest.raises(UsageError) as wrong:
        parse(words)
    assert (message, "numaaudit-collect --help lists the options") == (str(wrong.value), wrong.value.hint)


def test_help_says_of_each_option_what_the_other_front_end_says(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "400")
    with pytest.raises(SystemExit) as ended:
        parse(["--help"])
    shown = capsys.readouterr().out

    assert 0 == ended.value.code
    for option in OPTIONS:
        default = f" [default: {option.default}]" if option.default else ""
        assert f"{option.help}{default}\n" in shown


def test_the_version_is_that_of_the_package(capsys):
    with pytest.raises(SystemExit) as ended:
        parse(["--version"])

    assert (0, f"numaaudit-collect {numaaudit.__version__}\n") == (ended.value.code, capsys.readouterr().out)
