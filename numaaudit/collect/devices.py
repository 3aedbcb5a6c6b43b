"""Names of device files that tell which accelerator or RDMA NIC a process uses."""

from __future__ import annotations

import re

# NVIDIA, Ascend, AMD (kfd plus a render node), every DRM driver, the accel class (Gaudi, NPUs), the older Gaudi driver
_ACCELERATOR = re.compile(r"/dev/(?:nvidia\d+|davinci\d+|kfd|dri/(?:renderD|card)\d+|accel/accel\d+|hl\d+)")
_RELATED = re.compile(r"/dev/(?:nvidia|davinci|kfd|dri/|accel/|hl\d|infiniband/)")
_DRM = re.compile(r"/dev/(?:dri|accel)/")


def is_accelerator(target: str) -> bool:
    """One accelerator, as against a control device that all users of the driver open."""
    return _ACCELERATOR.fullmatch(target) is not None


def is_accelerator_or_rdma(target: str) -> bool:
    """Anything of an accelerator's or an RDMA NIC's driver."""
    return _RELATED.match(target) is not None


def is_drm_client(target: str) -> bool:
    """A file whose ``fdinfo`` names the device (kernel Documentation/gpu/drm-usage-stats.rst)."""
    return _DRM.match(target) is not None
