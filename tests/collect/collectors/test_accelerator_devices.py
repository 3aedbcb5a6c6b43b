"""Device nodes: only that they exist, and their numbers."""

from numaaudit.collect.collector import Collector, Read
from numaaudit.collect.collectors.accelerator_devices import COLLECTOR
from numaaudit.collect.host_files import HostReader


def test_names_the_device_files_of_every_vendor():
    first = {pattern.split("/")[1].rstrip("*[0-9]") for pattern in COLLECTOR.devices}

    assert first == {"nvidia", "nvidia-caps", "davinci", "kfd", "dri", "accel", "hl", "infiniband"}


def test_a_device_node_is_kept_without_bytes():
    (item,) = [each for each in HostReader("/", {"it": Collector(devices=("dev/null",))})("it") if isinstance(each, Read)]

    assert (item.path, item.outcome, item.data) == ("dev/null", "ok", b"")
    assert "1:3" in item.reason
