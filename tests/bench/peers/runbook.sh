#!/bin/sh
# What a runbook tells an engineer to copy into the ticket: runbook.sh PID...
date -u
uname -a
nvidia-smi --query-gpu=index,uuid,pci.bus_id,name,driver_version --format=csv
nvidia-smi topo -m
lscpu --extended
numactl --hardware
for pid in "$@"; do
	taskset -pc "$pid"
	grep -E 'Cpus_allowed_list|Mems_allowed_list|Threads' "/proc/$pid/status"
	head -n 50 "/proc/$pid/numa_maps"
done
