"""core, bundle and collect run on Python 3.8 with nothing but its standard library."""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ENVIRONMENT = {**os.environ, "PYENV_VERSION": "3.8"}  # a python3.8 that is pyenv's runs only where it is chosen
PYTHON38 = shutil.which("python3.8")
HAS_PYTHON38 = PYTHON38 is not None and subprocess.run([PYTHON38, "-V"], env=ENVIRONMENT, capture_output=True, check=False).returncode == 0
OPTIONAL = {
    "numaaudit/bundle/compression.py": {"compression", "backports"},  # zstd: of Python 3.14, or its backport
    "numaaudit/collect/processes.py": {"psutil"},  # a walk through /proc stands in
}


def test_the_syntax_is_that_of_python_3_8(portable: Path):
    ast.parse(portable.read_text(encoding="utf-8"), feature_version=(3, 8))


def test_only_the_standard_library_is_imported(portable: Path, project: Path):
    allowed = sys.stdlib_module_names | {"numaaudit"} | OPTIONAL.get(str(portable.relative_to(project)), set())
    assert _imports(ast.parse(portable.read_text(encoding="utf-8"))) - allowed == set()


def test_annotations_are_not_evaluated(portable: Path):
    """So that they may say ``tuple[str, ...]`` and name a class before it is there."""
    tree = ast.parse(portable.read_text(encoding="utf-8"))
    has_code = any(not isinstance(each, ast.Expr) for each in tree.body)
    assert not has_code or any(isinstance(each, ast.ImportFrom) and each.module == "__future__" for each in tree.body)


if HAS_PYTHON38:

    @pytest.mark.slow
    def test_all_of_it_is_imported_by_python_3_8(project: Path):
        files = [file for folder in ("core", "bundle", "collect") for file in (project / "numaaudit" / folder).rglob("*.py")]
        modules = [".".join(file.relative_to(project).with_suffix("").parts).removesuffix(".__init__") for file in sorted(files)]
        code = f"import importlib, sys\nsys.path.insert(0, {str(project)!r})\nfor name in {modules!r}: importlib.import_module(name)"
        run = subprocess.run(["python3.8", "-I", "-c", code], env=ENVIRONMENT, capture_output=True, text=True, check=False)
        assert (run.returncode, run.stderr) == (0, "")


def _imports(tree: ast.Module) -> set[str]:
    """The top-level names of all imported modules."""
    names = {alias.name for each in ast.walk(tree) if isinstance(each, ast.Import) for alias in each.names}
    names |= {each.module or "" for each in ast.walk(tree) if isinstance(each, ast.ImportFrom)}
    return {name.partition(".")[0] for name in names}
