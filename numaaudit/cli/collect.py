"""``numaaudit collect``: freeze the evidence. Its options are those of ``collect/options.py``, declared there for every front end."""

import inspect
from enum import Enum
from typing import Annotated, Any

import typer

from numaaudit.collect.options import OPTIONS, CollectOptions, Option


def register(app: typer.Typer) -> None:
    collect.__signature__ = inspect.Signature([_parameter(option) for option in OPTIONS])  # type: ignore[attr-defined]
    collect.__annotations__ = {option.name: _annotation(option) for option in OPTIONS}
    app.command("collect")(collect)


def collect(**chosen: Any) -> None:
    """Freeze the evidence of this host in one file, before anyone restarts anything. Reads only.

    Exit codes: 0 written, 2 wrong usage, 4 nothing selected or nothing written, 130 interrupted (what was read is written).
    """
    from numaaudit.collect.front import run

    lines, code = run(CollectOptions(**{option.name: _plain(option, chosen[option.name]) for option in OPTIONS}))
    typer.echo("\n".join(lines))
    raise typer.Exit(code)


def _plain(option: Option, value: Any) -> Any:
    if option.many:
        return tuple(value or ())
    return value.value if isinstance(value, Enum) else value


def _parameter(option: Option) -> inspect.Parameter:
    default = list(option.default) if option.many else option.default
    if option.choices:
        default = _kind(option)(option.default)
    return inspect.Parameter(option.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=_annotation(option))


def _annotation(option: Option) -> Any:
    flags = option.flags if option.kind is not bool else option.flags[:1]
    details = typer.Option(*flags, help=option.help, metavar=option.metavar or None, show_default=bool(option.default))
    return Annotated[list[_kind(option)] if option.many else _kind(option), details]  # type: ignore[misc]


_ENUMS: dict[str, Any] = {}


def _kind(option: Option) -> Any:
    if not option.choices:
        return option.kind
    return _ENUMS.setdefault(option.name, Enum(option.name, {choice: choice for choice in option.choices}, type=str))
