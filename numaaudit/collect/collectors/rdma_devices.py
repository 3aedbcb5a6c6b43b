"""RDMA devices and the PCI function of each (/sys/class/infiniband); names are free, so the link tells which it is."""

from __future__ import annotations

from numaaudit.collect.collector import Collector

COLLECTOR = Collector(
    files=("sys/class/infiniband/*/{hca_type,node_type,fw_ver}", "sys/class/infiniband/*/ports/*/{state,phys_state,link_layer,rate}"),
    links=("sys/class/infiniband/*", "sys/class/infiniband/*/device"),
)
