"""Errors of GPUs (Xid) and of PCI Express (AER) in the kernel's log, and which hypervisor the kernel found; no other line is kept.

dmesg(1) needs CAP_SYSLOG where ``kernel.dmesg_restrict`` is 1, as it is on most distributions.
"""

from __future__ import annotations

from numaaudit.collect.collector import Collector

COLLECTOR = Collector(commands=(("dmesg",),))
