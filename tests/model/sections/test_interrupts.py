from numaaudit.core.pci import PciAddress
from numaaudit.model.sections.interrupts import Interrupts

TABLE = """\
           CPU0       CPU1
  0:         38          0  IR-IO-APIC   2-edge      timer
 65:         10         11  IR-PCI-MSI 524288-edge      eth0-0
"""
LATER = TABLE.replace("         11", "         91")
DEVICE = "root/sys/bus/pci/devices/0000:5e:00.0"
ENTRIES = {
    "root/proc/interrupts": TABLE,
    "again/1/root/proc/interrupts": LATER,
    "root/proc/irq/65/smp_affinity_list": "0-1\n",
    "root/proc/irq/65/effective_affinity_list": "1\n",
    f"{DEVICE}/msi_irqs/65": "msix\n",
    f"{DEVICE}/class": "0x020000\n",
    f"{DEVICE}/numa_node": "1\n",
}


def test_a_vector_is_its_devices_and_goes_where_procfs_says(build):
    found = {each.irq: each for each in build(ENTRIES).section(Interrupts).all}[65]

    assert (found.total, found.delta, found.busiest_cpu, found.device) == (21, 80, 1, "IR-PCI-MSI 524288-edge eth0-0")
    assert (found.pci_address, found.numa_node) == (PciAddress(0, 0x5E, 0, 0), 1)
    assert (str(found.affinity), str(found.effective_affinity), found.managed) == ("0-1", "1", None)
    assert [(line.path, line.line) for line in found.evidence] == [
        ("root/proc/interrupts", 3),
        ("root/proc/irq/65/effective_affinity_list", 1),
    ]


def test_pasted_counts_have_no_device_and_the_line_of_the_text(build):
    [_, found] = build({"pasted/paste.txt": "$ cat /proc/interrupts\n" + TABLE}).section(Interrupts).all

    assert (found.irq, found.total, found.delta, found.pci_address, found.affinity) == (65, 21, None, None, None)
    assert [line.line for line in found.evidence] == [4]


def test_without_counts_there_is_nothing(build):
    assert build({"root/proc/irq/65/effective_affinity_list": "1\n"}).section(Interrupts) == Interrupts(())
