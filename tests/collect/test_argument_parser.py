"""The portable front end takes a command line as ``numaaudit collect`` takes it."""

from typing import Any

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st

import numaaudit
from numaaudit.cli.app import app
from numaaudit.collect.argument_parser import parse
from numaaudit.collect.options import OPTIONS, CollectOptions, Option
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
    except (WRONG_USAGE, UsageError):
        return None
    return CollectOptions(**{option.name: tuple(chosen[option.name]) if option.many else chosen[option.name] for option in OPTIONS})


def test_without_words_both_ask_for_the_defaults():
    assert (CollectOptions(), CollectOptions()) == (by_argparse([]), by_typer([]))


def spelled(option: Option, value: str, flag: str) -> list[str]:
    """An option as one may type it: ``--pid 7``, ``-p 7``, ``--pid=7``."""
    if option.kind is bool:
        return [option.flags[0]]
    return [f"{option.flags[0]}={value}"] if flag == "=" else [option.flags[int(flag)], value]


TYPED = st.tuples(st.sampled_from(OPTIONS), st.sampled_from(VALUES), st.sampled_from(["=", "0", "-1"]))
ONCE = st.lists(TYPED, unique_by=lambda typed: typed[0].name)  # one that comes twice: argparse also judges the value that does not count


@given(ONCE, st.lists(st.sampled_from([*FLAGS, *VALUES, "--pi", "--no-all"]), max_size=1))
def test_both_front_ends_take_a_command_line_alike(typed, stray):
    words = [*stray, *(word for each in typed for word in spelled(*each))]

    assert repr(by_typer(words)) == repr(by_argparse(words))


def test_what_may_be_repeated_is_kept_in_order_and_of_the_rest_the_last():
    words = ["--pid", "9", "-p7", "--match", "a", "-m", "b", "--pid=8", "--log", "x", "--log", "--y"]

    assert CollectOptions(pids=(9, 7, 8), match="b", logs=("x", "--y")) == by_argparse(words) == by_typer(words)


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


@pytest.mark.parametrize("flag", ["--pseudonyms", "--sign", "--pod", "--log", "--match", "--every", "-o"])
@pytest.mark.parametrize("parsed", [parse, lambda words: TYPER.commands["collect"].make_context("collect", list(words))])
def test_a_variable_that_is_not_set_does_not_ask_for_less(parsed, flag):
    long = {"-o": "--output"}.get(flag, flag)

    with pytest.raises(UsageError, match=f"^{long}: empty$"):
        parsed([flag, ""])
    with pytest.raises(UsageError, match=f"^{long}: empty$"):
        parsed([f"{long}="])


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
