"""compare, class, and check against a baseline and a class, as a user meets them."""

import io
import json
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

SAMPLES = Path(__file__).parents[2] / "sample_bundles"
BASELINE, LOCAL, REMOTE, ROLLBACK = (
    str(SAMPLES / f"run-{name}.tar.gz") for name in ("1-baseline", "2-local", "3-remote", "4-rollback-not-restarted")
)
OTHER_CLASS = str(SAMPLES / "nps4.tar.gz")


def numaaudit(*arguments):
    return subprocess.run([sys.executable, "-m", "numaaudit", *arguments], capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture
def output(tmp_path):
    """The path of what a command writes with -o."""

    def write(name, *arguments):
        path = str(tmp_path / name)
        numaaudit(*arguments, "-o", path)
        return path

    return write


@pytest.mark.parametrize(
    ("arguments", "code", "verdict"),
    [
        ((BASELINE, BASELINE), 0, "EQUAL"),
        ((BASELINE, LOCAL), 0, "BETTER"),
        ((LOCAL, BASELINE), 1, "WORSE"),
        ((BASELINE, REMOTE), 1, "MIXED"),
        ((LOCAL, REMOTE, LOCAL), 0, "RESTORED"),
        ((BASELINE, LOCAL, ROLLBACK), 1, "PARTLY RESTORED"),
        ((BASELINE, OTHER_CLASS), 4, "REFUSED"),
        ((BASELINE, OTHER_CLASS, "--across-hosts"), 4, "REFUSED"),
    ],
)
def test_verdict_and_exit_code(arguments, code, verdict):
    ended = numaaudit("compare", *arguments)

    assert ended.returncode == code
    assert f"verdict   {verdict}:" in ended.stdout


def test_an_earlier_model_stands_for_its_bundle(tmp_path):
    path = tmp_path / "base.json"
    path.write_text(numaaudit("inspect", BASELINE, "--format", "json").stdout)

    ended = numaaudit("compare", str(path), BASELINE, "--format", "json")

    assert (ended.returncode, json.loads(ended.stdout)["differences"]) == (0, [])


def test_reports_alone_do_not_tell_whether_it_is_one_machine(output):
    base, after = (output(f"{at}.json", "check", path, "--format", "json") for at, path in enumerate((BASELINE, LOCAL)))
    ended = numaaudit("compare", base, after)

    assert ended.returncode == 5
    assert "  fixed: high memory-off-gpu-node (NA301) rank:2-3: fail → not listed" in ended.stdout.splitlines()


@pytest.mark.parametrize("arguments", [("compare", "/nonexistent", BASELINE), ("check", BASELINE, "--class", BASELINE)])
def test_an_input_that_cannot_be_used_is_one_line(arguments):
    ended = numaaudit(*arguments)

    assert ended.returncode == 4
    assert ended.stderr.startswith("numaaudit: ")
    assert len(ended.stderr.splitlines()) <= 2


class TestBaseline:
    def test_known_failures_do_not_fail(self, output):
        known = output("known.json", "check", BASELINE, "--format", "json")
        ended = numaaudit("check", BASELINE, "--baseline", known)

        assert ended.returncode == 0
        assert ended.stderr == "numaaudit: 0 of 6 failures are not in the baseline\n"

    def test_new_ones_do_and_are_named(self, output):
        ended = numaaudit("check", REMOTE, "--baseline", output("known.json", "check", BASELINE, "--format", "json"))

        assert ended.returncode == 1
        assert "NA201@rank:0" in ended.stderr
        assert "NA301@rank:2" not in ended.stderr

    def test_a_bundle_is_a_baseline_too(self):
        assert numaaudit("check", BASELINE, "--baseline", BASELINE).returncode == 0

    def test_a_model_is_none(self, tmp_path):
        path = tmp_path / "host.json"
        path.write_text(numaaudit("inspect", BASELINE, "--format", "json").stdout)

        assert numaaudit("check", BASELINE, "--baseline", str(path)).returncode == 4


class TestClass:
    @pytest.fixture
    def class_file(self, output):
        return output("class.yaml", "class", "create", LOCAL)

    def test_a_host_of_the_class_passes_its_identity_gate(self, class_file):
        ended = numaaudit("check", LOCAL, "--class", class_file)

        assert ended.returncode == 0
        assert "gates     identity pass" in ended.stdout

    def test_a_host_of_another_class_fails_it(self, class_file):
        ended = numaaudit("check", OTHER_CLASS, "--class", class_file)

        assert ended.returncode == 1
        assert "gates     identity fail" in ended.stdout

    def test_evidence_that_cannot_tell_does_not_pass(self, class_file, tmp_path):
        (tmp_path / "proc").mkdir()
        (tmp_path / "proc" / "cpuinfo").write_text("processor\t: 0\n")

        assert numaaudit("check", str(tmp_path), "--class", class_file).returncode == 5

    def test_diff(self, class_file):
        assert numaaudit("class", "diff", class_file, BASELINE).stdout == ""
        ended = numaaudit("class", "diff", class_file, OTHER_CLASS)

        assert ended.returncode == 1
        assert "numa_node:0 cpus: 0-15 → 0-7" in ended.stdout.splitlines()


@pytest.fixture
def marked(tmp_path):
    """A sample with a mark in its manifest."""

    def mark(path, side):
        marked = tmp_path / f"{side}.tar"
        with tarfile.open(path) as bundle, tarfile.open(marked, "w") as copy:
            for member in bundle:
                data = bundle.extractfile(member).read() if member.isfile() else b""
                if member.name == "manifest.json":
                    data = json.dumps({**json.loads(data), "mark": side}).encode()
                member.size = len(data)
                copy.addfile(member, io.BytesIO(data))
        return str(marked)

    return mark


def test_marks_say_which_side_a_bundle_is(marked):
    local, baseline = marked(LOCAL, "local"), marked(BASELINE, "baseline")
    ended = numaaudit("compare", local, baseline)

    assert (ended.returncode, "verdict   BETTER:" in ended.stdout) == (0, True)
    told = " ".join(ended.stdout.split())
    assert told.index("marked baseline") < told.index(" after ") < told.index("marked local")
    document = json.loads(numaaudit("compare", local, baseline, "--format", "json").stdout)
    assert [(each["name"], each["mark"]) for each in document["inputs"]] == [("base", "baseline"), ("after", "local")]


def test_a_model_keeps_the_mark_of_its_bundle(marked, tmp_path):
    model = tmp_path / "local.json"
    model.write_text(numaaudit("inspect", marked(LOCAL, "local"), "--format", "json").stdout)
    document = json.loads(numaaudit("compare", str(model), marked(BASELINE, "baseline"), "--format", "json").stdout)

    assert [each["mark"] for each in document["inputs"]] == ["baseline", "local"]


def test_of_one_mark_only_the_order_is_as_typed(marked):
    ended = numaaudit("compare", marked(LOCAL, "rollback"), BASELINE)

    assert "verdict   WORSE:" in ended.stdout
    told = " ".join(ended.stdout.split())
    assert told.index("marked rollback") < told.index(" after ")
