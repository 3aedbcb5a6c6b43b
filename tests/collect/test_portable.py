"""The portable collector: the same bundles as the installed one's, on every Python there is, and whatever state the host is in."""

import ast
import io
import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import tarfile
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest

import numaaudit
from numaaudit.bundle.verify import verify_bundle
from numaaudit.collect.__main__ import called_as
from numaaudit.collect.portable import emit, portable
from numaaudit.core.errors import TargetExistsError

PROJECT = Path(__file__).resolve().parents[2]
PYENV = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
NEWEST = 20  # minor versions of Python 3 that are looked for
TIMES = ("collected_at", "readings")
VERSIONS = ("tool_version", "rule_set")


def version_of(python: str) -> tuple[int, ...]:
    """(3, 8) for Python 3.8; empty if it does not run, as a shim of pyenv whose version is not chosen."""
    argv = [python, "-c", "import sys; sys.stdout.write('%d %d' % sys.version_info[:2])"]
    ended = subprocess.run(argv, capture_output=True, text=True, check=False)
    return tuple(map(int, ended.stdout.split())) if ended.returncode == 0 else ()


def pythons() -> dict[tuple[int, ...], str]:
    """One Python of each version that is here, the one that runs the tests among them."""
    in_path = [shutil.which(f"python3.{minor}") for minor in range(NEWEST)]
    found = [*filter(None, in_path), *map(str, PYENV.glob("versions/*/bin/python3"))]
    return {**{version: python for python in found if (version := version_of(python))}, sys.version_info[:2]: sys.executable}


ALL = pythons()
PYTHONS = {"%d.%d" % version: python for version, python in sorted(ALL.items()) if version >= (3, 8)}
OLD_PYTHONS = [python for version, python in sorted(ALL.items()) if version < (3, 8)]


def run(*argv: object, code: int = 0, **more: Any) -> str:
    """What a command prints; it has to end with this exit code and to say nothing else."""
    ended = subprocess.run(list(map(str, argv)), capture_output=True, text=True, check=False, timeout=120, **more)
    assert (code, "") == (ended.returncode, ended.stderr)
    return ended.stdout


@pytest.fixture(scope="module")
def pyz(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("a folder with blanks") / "numaaudit-collect.pyz"
    emit(str(target))
    return target


@pytest.fixture(scope="module")
def invented_host(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The root of a sample's host, with eight ranks."""
    folder = tmp_path_factory.mktemp("host")
    with tarfile.open(PROJECT / "sample_bundles" / "asymmetric-5-3.tar.gz") as sample:
        for member in sample.getmembers():
            if member.name.startswith("root/"):
                sample.extract(member, folder, filter="tar")
    return folder / "root"


@pytest.fixture(scope="module")
def target():
    """A process that sleeps."""
    process = subprocess.Popen(["sleep", "600"])
    yield process.pid
    process.kill()
    process.wait()


@pytest.fixture(scope="module")
def reference(invented_host, target, tmp_path_factory) -> dict[str, Path]:
    """What the installed collector makes of the invented host and of this one."""
    folder = tmp_path_factory.mktemp("reference")
    made = {"invented": folder / "invented.tar", "live": folder / "live.tar"}
    run(sys.executable, "-m", "numaaudit", "collect", "--root", invented_host, "-o", made["invented"])
    run(sys.executable, "-m", "numaaudit", "collect", "--pid", target, "-o", made["live"])
    return made


def contents(bundle: Path) -> tuple[list[str], dict[str, bytes], dict[str, Any]]:
    """The names of the members in their order, their bytes or targets, and the manifest without times."""
    with tarfile.open(bundle) as archive:
        members = archive.getmembers()
        files = {each.name: archive.extractfile(each).read() if each.isreg() else each.linkname.encode() for each in members}
    manifest = json.loads(files.pop("manifest.json"))
    for run_or_entry in manifest["entries"] + manifest["commands"]:
        run_or_entry.pop("duration_ms", None)
    return [each.name for each in members], files, {name: value for name, value in manifest.items() if name not in TIMES}


@pytest.mark.slow
@pytest.mark.parametrize("python", PYTHONS.values(), ids=PYTHONS)
def test_a_bundle_of_an_invented_host_is_the_installed_collectors(python, pyz, invented_host, reference, tmp_path):
    run(python, "-S", "-E", pyz, "--root", invented_host, "-o", tmp_path / "e.tar")

    assert contents(reference["invented"]) == contents(tmp_path / "e.tar")
    assert verify_bundle(str(tmp_path / "e.tar")).intact


@pytest.mark.slow
@pytest.mark.parametrize("python", PYTHONS.values(), ids=PYTHONS)
def test_a_bundle_of_this_host_differs_in_nothing_but_what_counts_on(python, pyz, target, reference, tmp_path):
    run(python, "-S", "-E", pyz, "--pid", target, "-o", tmp_path / "e.tar")

    (names, files, manifest), (own_names, own_files, own_manifest) = contents(reference["live"]), contents(tmp_path / "e.tar")
    assert names == own_names
    for each in (manifest, own_manifest):
        for entry in each["entries"]:
            entry.pop("size", None), entry.pop("sha256", None)
    assert manifest == own_manifest
    still = re.compile(rf"root/(proc/{target}/(cmdline|environ|cgroup)|sys/devices/system/cpu/.*|proc/version)$")
    assert {name for name in files if still.match(name) and files[name] != own_files[name]} == set()
    assert {"cmdline", "cgroup", "core_id"} <= {name.rpartition("/")[2] for name in files if still.match(name)}


@pytest.mark.parametrize("python", PYTHONS.values(), ids=PYTHONS)
def test_it_writes_itself_anew_with_the_same_bytes(python, pyz, tmp_path):
    printed = run(python, pyz, "--emit-portable", tmp_path / "again.pyz")

    assert printed.startswith(f"{tmp_path}/again.pyz: ")
    assert (tmp_path / "again.pyz").read_bytes() == pyz.read_bytes()


def test_the_version_in_a_bundle_is_that_of_the_file(pyz, invented_host, tmp_path):
    """What bundles may differ in: here the file is of another version than the package."""
    other = tmp_path / "other.pyz"
    with zipfile.ZipFile(pyz) as archive, zipfile.ZipFile(other, "w") as changed:
        for name in archive.namelist():
            data = archive.read(name)
            changed.writestr(name, b'__version__ = "9.9.9"\n' if name == "numaaudit/__init__.py" else data)
    run(sys.executable, other, "--root", invented_host, "-o", tmp_path / "e.tar")

    assert {"9.9.9"} == {contents(tmp_path / "e.tar")[2][name] for name in VERSIONS}


def test_it_holds_the_collector_and_nothing_else(pyz):
    with zipfile.ZipFile(pyz) as archive:
        members = archive.infolist()
        names = [member.filename for member in members]

    assert ["__main__.py", *sorted(names[1:])] == names
    assert {"__init__.py", "core", "bundle", "collect"} == {name.split("/")[1] for name in names[1:]}
    assert {((1980, 1, 1, 0, 0, 0), zipfile.ZIP_STORED)} == {(member.date_time, member.compress_type) for member in members}
    assert [name for name in names if not name.endswith((".py", ".sh"))] == []


def test_it_is_a_program(pyz):
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"

    assert 0o755 == stat.S_IMODE(pyz.stat().st_mode)
    assert f"numaaudit-collect {numaaudit.__version__}\n" == run(pyz, "--version", env={"PATH": path})


def test_it_is_a_program_whatever_the_umask(tmp_path):
    before = os.umask(0o077)
    emit(str(tmp_path / "c.pyz"))
    os.umask(before)

    assert 0o755 == stat.S_IMODE((tmp_path / "c.pyz").stat().st_mode)


def test_no_file_is_replaced(tmp_path):
    (tmp_path / "c.pyz").write_text("precious")

    with pytest.raises(TargetExistsError, match="c.pyz: exists already"):
        emit(str(tmp_path / "c.pyz"))
    assert "precious" == (tmp_path / "c.pyz").read_text()


def test_the_installed_command_writes_it(tmp_path):
    run(sys.executable, "-m", "numaaudit", "collect", "--emit-portable", tmp_path / "c.pyz")

    assert portable() == (tmp_path / "c.pyz").read_bytes()


def test_what_runs_first_is_syntax_of_long_ago(pyz):
    with zipfile.ZipFile(pyz) as archive:
        ast.parse(archive.read("__main__.py"), feature_version=(3, 4))


@pytest.mark.parametrize("python", [sys.executable, *OLD_PYTHONS])
def test_an_older_python_is_told_in_one_line(python, pyz):
    code = "import runpy, sys; sys.version_info = min(sys.version_info, (3, 7, 17)); runpy.run_path(sys.argv[1], run_name='__main__')"
    ended = subprocess.run([python, "-c", code, str(pyz)], capture_output=True, text=True, check=False)

    version = min(version_of(python), (3, 7))
    assert (4, "numaaudit: Python 3.8 or newer is needed, and this is Python %d.%d\n" % version) == (ended.returncode, ended.stderr)


def test_a_python_without_compression_but_zlib_collects(pyz, invented_host, tmp_path):
    code = (
        "import runpy, sys; sys.modules.update(bz2=None, lzma=None, _bz2=None, _lzma=None); "
        "sys.argv.pop(0); runpy.run_path(sys.argv[0], run_name='__main__')"
    )
    run(sys.executable, "-c", code, pyz, "--root", invented_host, "-o", tmp_path / "e.tar.gz")

    assert verify_bundle(str(tmp_path / "e.tar.gz")).intact


def test_it_signs(pyz, invented_host, tmp_path):
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(tmp_path / "key")], check=True)
    (tmp_path / "signers").write_text(f"oncall@example.org {(tmp_path / 'key.pub').read_text()}")
    run(sys.executable, "-S", "-E", pyz, "--root", invented_host, "-o", tmp_path / "e.tar.gz", "--sign", tmp_path / "key")

    verified = run(sys.executable, "-m", "numaaudit", "verify", tmp_path / "e.tar.gz", "--allowed-signers", tmp_path / "signers")
    assert "verified (signed by oncall@example.org)\n" == verified


def test_a_psutil_of_the_host_is_left_alone(pyz, target, tmp_path):
    (tmp_path / "psutil.py").write_text("raise SystemExit('of 2009')\n")

    run(sys.executable, pyz, "--pid", target, "-o", tmp_path / "e.tar", env={**os.environ, "PYTHONPATH": str(tmp_path)})


@pytest.mark.parametrize("locale", ({"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, {"LC_ALL": "POSIX"}, {}))
def test_neither_a_home_nor_a_locale_nor_a_folder_to_write_to_is_needed(pyz, invented_host, tmp_path, locale):
    """/proc is a folder in which not even root can make a file."""
    bundle = tmp_path / "bündle.tar"
    printed = run(sys.executable, pyz, "--root", invented_host, "-o", bundle, cwd="/proc", env={"PATH": "/usr/bin:/bin", **locale})

    assert printed.encode("utf-8", "surrogateescape").splitlines()[-1].startswith(b"/")
    assert verify_bundle(str(bundle)).intact


@pytest.mark.parametrize(
    ("words", "code", "line"),
    [
        (["--pid", "x"], 2, "numaaudit: argument --pid/-p: invalid int value: 'x'"),
        (["--deadline", "0"], 2, "numaaudit: --deadline 0.0: not a number of seconds above 0"),
        (["--pid", "4194304"], 4, "numaaudit: no such process: 4194304"),
        (["-o", "/nonexistent/e.tar"], 4, "numaaudit: /nonexistent: no such directory"),
    ],
)
def test_an_error_is_one_line_and_the_exit_code_of_the_other_front_end(pyz, words, code, line):
    ended = subprocess.run([sys.executable, str(pyz), *words], capture_output=True, text=True, check=False, timeout=120)
    other = subprocess.run([sys.executable, "-m", "numaaudit", "collect", *words], capture_output=True, text=True, check=False, timeout=120)

    assert (code, "", line) == (ended.returncode, ended.stdout, ended.stderr.splitlines()[0])
    assert other.returncode == code
    assert code == 2 or other.stderr == ended.stderr


def test_help_into_a_closed_pipe_ends_quietly(pyz):
    ended = subprocess.run(["sh", "-c", '"$0" "$1" --help | true', sys.executable, str(pyz)], capture_output=True, text=True, check=False)

    assert ("", "") == (ended.stdout, ended.stderr)


def test_interrupted_once_it_writes_what_it_has(pyz, tmp_path):
    bundle, started = tmp_path / "e.tar", tmp_path / "started"
    (tmp_path / "nvidia-smi").write_text(f"#!/bin/sh\n: > {started}\nexec sleep 30\n")
    (tmp_path / "nvidia-smi").chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    process = subprocess.Popen([sys.executable, str(pyz), "--host-only", "-o", str(bundle)], stdout=subprocess.PIPE, env=environment)
    for _ in range(600):
        if started.exists():
            break
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)

    assert 130 == process.returncode
    assert verify_bundle(str(bundle)).intact


def test_the_file_is_a_zip_behind_one_line(pyz):
    data = pyz.read_bytes()

    assert b"#!/usr/bin/env python3" == data.splitlines()[0]
    assert zipfile.is_zipfile(io.BytesIO(data))


def test_hints_name_it_as_it_was_called(tmp_path):
    (tmp_path / "c.pyz").touch(0o644)
    (tmp_path / "program").touch(0o755)

    assert [
        called_as(str(tmp_path / "c.pyz"), "/usr/bin/python3.9"),
        called_as(str(tmp_path / "program"), "/usr/bin/python3.9"),
        called_as("/lib/numaaudit/collect/__main__.py", "/usr/bin/python3.9"),
    ] == ["python3.9 %s/c.pyz" % tmp_path, "%s/program" % tmp_path, "python3.9 -m numaaudit.collect"]
