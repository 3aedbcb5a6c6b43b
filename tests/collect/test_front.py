"""What is said and done around a collection."""

import pytest

from numaaudit.bundle.opening import open_input
from numaaudit.collect.front import run
from numaaudit.collect.options import CollectOptions
from numaaudit.core.errors import CollectError, UsageError


def test_a_task_beside_the_first_of_a_job_step_leaves_the_host_to_it(monkeypatch, tmp_path, capsys):
    for name, value in (("SLURM_JOB_ID", "7"), ("SLURM_STEP_ID", "0"), ("SLURM_LOCALID", "3")):
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)

    assert run(CollectOptions(host_only=True)) == ([], 0)
    assert "task 3 of Slurm job 7 leaves this host to task 0" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_the_first_task_collects_and_the_manifest_has_job_and_step(monkeypatch, tmp_path):
    for name, value in (("SLURM_JOB_ID", "7"), ("SLURM_STEP_ID", "0"), ("SLURM_LOCALID", "0"), ("SLURMD_NODENAME", "gpu1")):
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    run(CollectOptions(host_only=True, output="bundle.tar"))

    manifest = open_input("bundle.tar").manifest
    assert manifest is not None
    assert manifest.collector["slurm"] == {"job_id": "7", "step_id": "0", "local_id": "0", "host": "gpu1"}


@pytest.mark.parametrize("options", [{"emit_portable": "c.pyz", "host_only": True}, {"emit_shell": "c.sh", "emit_portable": "c.pyz"}])
def test_a_collector_is_written_alone(monkeypatch, tmp_path, options):
    monkeypatch.chdir(tmp_path)

    with pytest.raises(UsageError, match="neither goes with another option"):
        run(CollectOptions(**options))
    assert list(tmp_path.iterdir()) == []


def test_without_any_evidence_nothing_is_written(monkeypatch, tmp_path):
    (tmp_path / "root").mkdir()
    monkeypatch.chdir(tmp_path)

    with pytest.raises(CollectError, match="nothing was read, so nothing is written: not on this host"):
        run(CollectOptions(host_only=True, root=str(tmp_path / "root"), output="b.tar"))
    assert [path.name for path in tmp_path.iterdir()] == ["root"]
