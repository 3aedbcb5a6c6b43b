"""Which sandbox or hypervisor evidence comes from."""

import pytest

from numaaudit.model.sections.system import System

DMI = "root/sys/class/dmi/id"
FLAGS = "root/proc/cpuinfo"
VIRTUAL, REAL = "processor\t: 0\nflags\t\t: fpu hypervisor\n", "processor\t: 0\nflags\t\t: fpu\n"


def machine_and_view(build, root, extra):
    entries = {path: text for path, text in root("2p-2n-2g").items() if not path.endswith("cpuinfo")}
    system = build(entries | extra).section(System)
    return system.machine, system.view


@pytest.mark.parametrize(
    ("extra", "expected"),
    [
        ({"root/proc/version": "Linux version 4.4.0 #1 SMP Sun Jan 10 15:06:54 PST 2016\n"}, ("gVisor", "sandbox")),
        ({"root/proc/version": "Linux version 4.19.0-gvisor #1 SMP Sun Jan 10 15:06:54 PST 2016\n"}, ("gVisor", "sandbox")),
        ({"commands/dmesg.out": "[   0.000000] Starting gVisor...\n"}, ("gVisor", "sandbox")),
        ({"root/proc/cmdline": "tsc=reliable systemd.unit=kata-containers.target\n"}, ("Kata", "sandbox")),
        ({"root/proc/cmdline": "agent.log_vport=1025\n"}, ("Kata", "sandbox")),
        (
            {"commands/dmesg.out": "[ 0.0] Hypervisor detected: KVM\n[ 0.1] ACPI: RSDP 0x00000000000E0000 000024 (v02 FIRECK)\n"},
            ("Firecracker", "vm"),
        ),
        ({"commands/dmesg.out": "[ 0.0] Hypervisor detected: Microsoft Hyper-V\n"}, ("Microsoft Hyper-V", "vm")),
        ({FLAGS: VIRTUAL}, ("a hypervisor", "vm")),
        ({FLAGS: VIRTUAL, f"{DMI}/product_name": "Google Compute Engine\n"}, ("Google Compute Engine", "vm")),
        ({"root/sys/hypervisor/type": "xen\n"}, ("xen", "vm")),
        ({f"{DMI}/sys_vendor": "QEMU\n", f"{DMI}/product_name": "Standard PC (Q35 + ICH9, 2009)\n"}, ("QEMU", "vm")),
        ({f"{DMI}/sys_vendor": "VMware, Inc.\n"}, ("VMware", "vm")),
        ({f"{DMI}/sys_vendor": "Microsoft Corporation\n", f"{DMI}/product_name": "Virtual Machine\n"}, ("Hyper-V", "vm")),
        ({f"{DMI}/sys_vendor": "Amazon EC2\n", f"{DMI}/product_name": "p5.48xlarge\n"}, ("KVM", "vm")),
    ],
)
def test_a_guest_or_sandbox_is_recognised(build, root, extra, expected):
    assert machine_and_view(build, root, extra) == expected


@pytest.mark.parametrize(
    "extra",
    [
        {},
        {"root/proc/version": "Linux version 4.4.0-210-generic (build@host) #242-Ubuntu SMP\n"},
        {f"{DMI}/sys_vendor": "Dell Inc.\n", f"{DMI}/product_name": "PowerEdge XE9680\n"},
        {f"{DMI}/sys_vendor": "Amazon EC2\n", f"{DMI}/product_name": "c7g.metal\n"},
        {f"{DMI}/product_name": "Google Compute Engine\n", FLAGS: REAL},
        {"root/proc/cmdline": "systemd.unit=multi-user.target\n"},
        {"commands/dmesg.out": "ACPI: RSDP 0x00000000000F05B0 000024 (v02 DELL  )\n"},
    ],
)
def test_a_machine_of_its_own_is_none(build, root, extra):
    assert machine_and_view(build, root, extra) == (None, "host")
