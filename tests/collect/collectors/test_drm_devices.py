"""GPUs as DRM shows them: cards and render devices, no connectors."""

from numaaudit.collect.collectors.drm_devices import COLLECTOR

FILES = {
    "sys/class/drm/card0": "@../../devices/pci0000:00/0000:01:00.0/drm/card0",
    "sys/class/drm/card0-DP-1": "@../../devices/x",
    "sys/class/drm/renderD128": "@../../devices/pci0000:00/0000:01:00.0/drm/renderD128",
    "sys/class/drm/version": "drm 1.1.0",
}


def test_keeps_this_and_no_more(kept):
    assert kept(COLLECTOR, FILES) == {
        "sys/class/drm/card0": "../../devices/pci0000:00/0000:01:00.0/drm/card0",
        "sys/class/drm/renderD128": "../../devices/pci0000:00/0000:01:00.0/drm/renderD128",
    }
