#!/bin/busybox sh
# First process of the guest: makes the host's file system its root, read-only, and runs there what the lab left in "start".
# Results go out over a second, writable share.
/bin/busybox --install -s /bin
export PATH=/bin
set -e  # what fails before the command ends the guest: the kernel panics, QEMU exits

mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
while read -r module; do insmod "/modules/$module.ko"; done </modules/load-order

nine_p="trans=virtio,version=9p2000.L,cache=loose,msize=524288"
mount -t 9p -o "$nine_p,ro" host /host
mount -t proc proc /host/proc
mount -t sysfs sysfs /host/sys
mount -t devtmpfs devtmpfs /host/dev
mount -t cgroup2 cgroup2 /host/sys/fs/cgroup
mount -t tmpfs tmpfs /host/proc/driver
mkdir /host/dev/shm /host/dev/pts
mount -t tmpfs tmpfs /host/dev/shm
mount -t devpts devpts /host/dev/pts
mkdir /host/dev/shm/results
mount -t 9p -o "trans=virtio,version=9p2000.L,cache=none,msize=524288" results /host/dev/shm/results
ip link set lo up
hostname lab

set +e
chroot /host /bin/sh /dev/shm/results/start >/host/dev/shm/results/output 2>&1
echo $? >/host/dev/shm/results/exit-code
sync
poweroff -f
