"""Whether this is a virtual machine: its CPUs and NUMA nodes are then what a hypervisor says (systemd-detect-virt(1)). No serial number."""

from __future__ import annotations

from numaaudit.collect.collector import Collector

COLLECTOR = Collector(files=("sys/class/dmi/id/{sys_vendor,product_name,board_vendor,bios_vendor}", "sys/hypervisor/type"))
