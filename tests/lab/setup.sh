#!/bin/sh
# What the lab needs on a Debian 12 x86-64 host: an emulator, and a kernel with its modules below build/lab/kernel.
# Run as root; does nothing when all is there.
set -eu
cd "$(dirname "$0")/../.."

packages="qemu-system-x86 busybox-static cpio numactl util-linux"
# In the order they are loaded: 9p over virtio for the host's file system, then the NIC's and the NVMe driver.
modules="virtio_ring virtio virtio_pci_legacy_dev virtio_pci_modern_dev virtio_pci netfs fscache 9pnet 9pnet_virtio 9p
    failover net_failover virtio_net
    crct10dif_common crct10dif_generic crc-t10dif crc64 crc64_rocksoft_generic crc64-rocksoft t10-pi nvme-core nvme"
kernel=build/lab/kernel

if ! dpkg -s $packages >/dev/null 2>&1; then
    apt-get update
    DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends $packages
fi
[ ! -d $kernel ] || exit 0

# The kernel is only unpacked, never installed: the host keeps booting its own.
apt-cache show linux-image-amd64 >/dev/null 2>&1 || apt-get update
image=$(apt-cache depends linux-image-amd64 | sed -n 's/^ *Depends: *//p')
mkdir -p build/lab
chown --reference=. build build/lab  # the lab itself needs no root
work=$(mktemp -d build/lab/kernel.XXXXXX)
trap 'rm -rf "$work"' EXIT
(cd "$work" && apt-get -q -o APT::Sandbox::User=root download "${image:?}" && mv "$image"_*.deb image.deb)
members='./boot/vmlinuz-*'
for module in $modules; do members="$members */$module.ko"; done
mkdir "$work/kernel"
set -f  # the patterns are tar's
dpkg --fsys-tarfile "$work/image.deb" | tar -x -C "$work/kernel" --wildcards --transform 's,.*/,,' $members
set +f
printf '%s\n' $modules >"$work/kernel/load-order"
mv "$work"/kernel/vmlinuz-* "$work/kernel/vmlinuz"
mv "$work/kernel" $kernel
