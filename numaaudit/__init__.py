"""Audit where GPU ranks, their threads and their memory sit against the NUMA nodes of a host."""

__version__ = "0.1.0"
