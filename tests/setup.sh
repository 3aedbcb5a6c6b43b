#!/bin/sh
# What the unit tests need on a Debian host: OpenSSH's client, which signs, and the shell of small hosts.
# Run as root; does nothing when all is there.
set -eu

packages="openssh-client busybox-static"

if ! dpkg -s $packages >/dev/null 2>&1; then
    apt-get update
    DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends $packages
fi
