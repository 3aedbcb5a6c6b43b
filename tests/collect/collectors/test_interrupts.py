"""Interrupts: the table and where each may go."""

from numaaudit.collect.collectors.interrupts import COLLECTOR

FILES = {
    "proc/interrupts": "  CPU0\n",
    "proc/irq/0/node": "0\n",
    "proc/irq/65/smp_affinity_list": "0-7\n",
    "proc/irq/65/effective_affinity_list": "3\n",
    "proc/irq/65/spurious": "count 0\n",
    "proc/irq/default_smp_affinity": "ff\n",
}


def test_keeps_this_and_no_more(kept):
    assert kept(COLLECTOR, FILES) == {
        "proc/interrupts": "  CPU0\n",
        "proc/irq/0/node": "0\n",
        "proc/irq/65/smp_affinity_list": "0-7\n",
        "proc/irq/65/effective_affinity_list": "3\n",
        "proc/irq/default_smp_affinity": "ff\n",
    }
