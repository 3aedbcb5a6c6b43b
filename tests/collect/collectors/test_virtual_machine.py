"""Who made this machine."""

from numaaudit.collect.collectors.virtual_machine import COLLECTOR

DMI = "sys/devices/virtual/dmi/id"


def test_vendor_and_product_are_kept_through_the_class_and_no_serial_number(kept):
    names = {f"{DMI}/sys_vendor": "QEMU", f"{DMI}/product_name": "KVM"}
    files = {"sys/class/dmi/id": "@../../devices/virtual/dmi/id", "sys/hypervisor/type": "xen"}

    expected = {**names, "sys/hypervisor/type": "xen", "sys/class/dmi/id": "../../devices/virtual/dmi/id"}
    assert kept(COLLECTOR, {**names, **files, f"{DMI}/product_serial": "planted"}) == expected
