#!/bin/sh
# The tools that are measured beside numaaudit, where Debian has them. Run as root; does nothing when all is there.
set -eu
packages="numactl hwloc-nox"

if ! dpkg -s $packages >/dev/null 2>&1; then
    apt-get update
    DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends $packages
fi
