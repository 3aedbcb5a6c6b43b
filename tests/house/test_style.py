"""What no linter checks: sizes, and the one word that means two things."""

import ast
from collections.abc import Iterator
from pathlib import Path

MAX_FILE_LINES = 300
MAX_FUNCTION_LINES = 40


def test_files_are_short(source: Path):
    assert len(source.read_text(encoding="utf-8").splitlines()) <= MAX_FILE_LINES


def test_functions_are_short(source: Path):
    functions = [each for each in ast.walk(_tree(source)) if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)]
    long = [f"{each.name}: {_length(each)} lines" for each in functions if _length(each) > MAX_FUNCTION_LINES]
    assert long == []


def test_nothing_is_called_just_node(source: Path):
    """A machine is a host, a memory domain a numa_node."""
    assert [f"line {line}" for line, name in _identifiers(_tree(source)) if name.lower() == "node"] == []


def _tree(source: Path) -> ast.Module:
    return ast.parse(source.read_text(encoding="utf-8"))


def _length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return (function.end_lineno or function.lineno) - function.lineno + 1


def _identifiers(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Names of variables, arguments, functions, classes and fields, where they are set."""
    for each in ast.walk(tree):
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
            yield each.lineno, each.id
        elif isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store):
            yield each.lineno, each.attr
        elif isinstance(each, ast.arg):
            yield each.lineno, each.arg
        elif isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield each.lineno, each.name
