"""File descriptors of DRM devices, with what the driver says of each."""

import pytest

from numaaudit.collect.collectors.drm_clients import COLLECTOR


@pytest.mark.parametrize(
    ("target", "expected"), [("/dev/dri/renderD128", True), ("/dev/dri/card0", True), ("/dev/nvidia0", False), ("socket:[1]", False)]
)
def test_only_drm(target, expected):
    assert COLLECTOR.keep_target is not None
    assert bool(COLLECTOR.keep_target(target)) is expected
