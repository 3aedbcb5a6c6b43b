"""``numaaudit collect``: freeze the evidence. Its options are those of ``collect/options.py``, declared there for every front end."""

import inspect
from enum import Enum
from typing import Annotated, Any

import typer

from numaaudit.collect.options import ABOUT, OPTIONS, CollectOptions, Option, typed_or_default


def register(app: typer.Typer) -> None:
    collect.__signature__ = inspect.Signature([_parameter(option) for option in OPTIONS])  # type: ignore[attr-defined]
    collect.__annotations__ = {option.name: _annotation(option) for option in OPTIONS}
    app.command("collect", help=ABOUT)(collect)


def collect(**chosen: Any) -> None:
    """Collect, print what was done, and leave with its exit code."""
    from numaaudit.collect.front import run

    lines, code = run(CollectOptions(**{option.name: _plain(option, chosen[option.name]) for option in OPTIONS}))
    for line in lines:
        typer.echo(line)
    raise typer.Exit(code)


def _plain(option: Option, value: Any) -> Any:
    if option.many:
        return tuple(value or ())
    return value.value if isinstance(value, Enum) else value


def _parameter(option: Option) -> inspect.Parameter:
    default = list(option.default) if option.many else option.default or None
    if option.choices:
        default = _kind(option)(option.default)
    return inspect.Parameter(option.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=_annotation(option))


def _annotation(option: Option) -> Any:
    flags = option.flags if option.kind is not bool else option.flags[:1]
    details = typer.Option(
        *flags,
        help=option.help,
        metavar=option.metavar or None,
        show_default=bool(option.default),
        callback=None if option.choices else lambda typed: typed_or_default(option, typed),
    )
    return Annotated[list[_kind(option)] if option.many else _kind(option), details]  # type: ignore[misc]


_ENUMS: dict[str, Any] = {}


def _kind(option: Option) -> Any:
    if not option.choices:
        return option.kind
    return _ENUMS.setdefault(option.name, Enum(option.name, {choice: choice for choice in option.choices}, type=str))
