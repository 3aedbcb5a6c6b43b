"""A whole bundle under pseudonyms."""

from numaaudit.bundle.manifest import Manifest
from numaaudit.bundle.pseudonymise import pseudonymised
from numaaudit.bundle.pseudonyms import Pseudonyms
from numaaudit.bundle.tree import Members


def test_slurms_name_of_the_host_is_replaced_like_the_hosts_own():
    step = {"job_id": "7", "step_id": "0", "local_id": "0", "host": "planted"}
    manifest = Manifest("0", "0", "planted.example", "", "", "2026-11-29T10:15:00Z", collector={"slurm": step})

    changed, _ = pseudonymised(manifest, Members(), Pseudonyms(b"k" * 32))

    assert changed.collector["slurm"]["job_id"] == "7"
    assert "planted" not in changed.to_json().decode()
