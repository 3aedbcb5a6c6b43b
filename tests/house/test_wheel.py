"""What is built is complete: the wheel made from the sdist works in a fresh environment."""

import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from numaaudit.collect.portable import portable
from numaaudit.collect.shell.script import script

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def installed(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bin folder of an environment into which the wheel was installed, without any network."""
    folder = tmp_path_factory.mktemp("wheel")
    _run(sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder / "dist"), cwd=project)
    [wheel] = (folder / "dist").glob("*.whl")
    environment = folder / "environment"
    venv.create(environment)
    _borrow_dependencies(environment)
    python = environment / "bin" / "python"
    _run(sys.executable, "-m", "pip", f"--python={python}", "install", "--no-index", "--no-deps", str(wheel), cwd=folder)
    return environment / "bin"


def test_the_command_is_there(installed: Path, tmp_path: Path):
    shown = _run(str(installed / "numaaudit"), "--help", cwd=tmp_path)
    assert [name for name in ("collect", "inspect", "verify", "check") if name not in shown] == []


def test_the_package_is_the_installed_one(installed: Path, tmp_path: Path):
    place = _run(str(installed / "python"), "-c", "import numaaudit; print(numaaudit.__file__)", cwd=tmp_path)
    assert Path(place.strip()).is_relative_to(installed.parent)


def test_templates_are_in_the_wheel(installed: Path, project: Path, tmp_path: Path):
    names = sorted(file.name for file in (project / "templates").iterdir() if file.is_file())
    assert names
    for name in names:
        code = f"import sys; from numaaudit.core.resources import template; sys.stdout.write(template({name!r}))"
        assert _run(str(installed / "python"), "-c", code, cwd=tmp_path) == (project / "templates" / name).read_text(encoding="utf-8")


def test_the_demo_finds_its_sample(installed: Path, tmp_path: Path):
    assert "rank" in _run(str(installed / "numaaudit"), "demo", cwd=tmp_path)


def test_the_installed_collector_writes_the_portable_one_of_the_checkout(installed: Path, tmp_path: Path):
    _run(str(installed / "numaaudit"), "collect", "--emit-portable", "collect.pyz", cwd=tmp_path)

    assert (tmp_path / "collect.pyz").read_bytes() == portable()


def test_the_installed_collector_writes_the_shell_script_of_the_checkout(installed: Path, tmp_path: Path):
    _run(str(installed / "numaaudit"), "collect", "--emit-shell", "collect.sh", cwd=tmp_path)

    assert (tmp_path / "collect.sh").read_text(encoding="utf-8") == script()


def _borrow_dependencies(environment: Path) -> None:
    """Let the environment find the packages of this one; a package installed as editable is not found that way."""
    [site] = environment.glob("lib/python3*/site-packages")
    (site / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")


def _run(*argv: str, cwd: Path) -> str:
    run = subprocess.run(argv, cwd=cwd, capture_output=True, text=True, timeout=300, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout
