"""The kubelet's files."""

from numaaudit.collect.collectors.kubelet import COLLECTOR

FOLDER = "var/lib/kubelet"


def test_settings_and_state_are_kept_and_no_other_file(kept):
    state = {f"{FOLDER}/{name}": name for name in ("cpu_manager_state", "memory_manager_state", "config.yaml")}
    checkpoint = {f"{FOLDER}/device-plugins/kubelet_internal_checkpoint": "{}"}
    others = {f"{FOLDER}/pki/kubelet.key": "planted", f"{FOLDER}/kubeadm-flags.env": "planted"}

    assert kept(COLLECTOR, {**state, **checkpoint, **others}) == {**state, **checkpoint}
