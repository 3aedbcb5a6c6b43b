"""The filters of the script keep what the redaction of bundles keeps, byte for byte; of free text they keep no more."""

import json
import random
import subprocess

import pytest

from numaaudit.bundle import redact_lists as lists
from numaaudit.bundle.redact import RULES, redact
from numaaudit.collect.shell.script import script

CHOICE = random.Random(1)
OPTIONS = [*lists.LONG_OPTIONS, *(name for options in lists.SHORT_OPTIONS.values() for name in options)]
PROGRAMS = [*lists.STARTERS, *"/usr/bin/python3.11 vllm /opt/x/llama-server (sd-pam) -bash node".split(), "a b", "x" * 65]
VALUES = [
    *"0 1,2 0-3,8 hunter2 /home/ada/x.py RANK=3 SECRET=abc OMP_NUM_THREADS=8 OMP_PLACES={0},{1} 0xff,ff 0xfg all none".split(),
    *"vllm.entrypoints.api -- serve run a/b/ bind:0 +1 -1 -0,2 !3 RANK=/a/b RANK=a]b[c --tp=4 --x=5 --tensor_parallel_size".split(),
    *"--numa=x/y -c5 -tp4 --numa-bind=1 -C0-3 --module=vllm.x --pid=(3) [redacted] / = =x RANK RANK= caf\u00e9".split(),
    "", "a\nb", "a\x01b", "\u00ff\u0081",
]  # fmt: skip


def command_line() -> bytes:
    words = [CHOICE.choice(PROGRAMS), *(CHOICE.choice(CHOICE.choice([OPTIONS, VALUES, PROGRAMS])) for _ in range(CHOICE.randrange(12)))]
    return (CHOICE.choice(["\0", "\0", " ", " \t "]).join(words) + CHOICE.choice(["\0", "", "\0\0\0", "\n"])).encode()


def environment() -> bytes:
    names = sorted(lists.ENVIRONMENT)
    entries = [CHOICE.choice([CHOICE.choice(names), "API_KEY", "RANKX", "XRANK"]) + "=" + CHOICE.choice(VALUES) for _ in range(8)]
    return "\0".join([*entries, CHOICE.choice(["", "no equals sign", "\0"])]).encode()


COMMAND_LINES = [b"", b"\0", b"\0\0a\0", b"python\0\0-m\0x\0", *(command_line() for _ in range(120))]
ENVIRONMENTS = [b"", b"\0", b"RANK=1", *(environment() for _ in range(40))]
KERNEL_PARAMETERS = [b"", b"quiet isolcpus=1-3 root=/dev/sda *\n", b"nohz_full=1\tnuma=off key=a\0\n", b"quiet\n"]
MOUNTS = [
    b"",
    b"proc /proc proc rw,nosuid 0 0\n/dev/sda1 / ext4 rw 0 0\n/dev/sda2 /home ext4 rw 0 0\nhost:/x /data nfs4 rw,addr=10.0.0.1 0 0\n",
    b"tmpfs /dev/shm tmpfs rw 0 0\nada /tmp/x tmpfs rw 0 0\nada /run/x tmpfs rw 0 0\noverlay / overlay rw,lowerdir=/var/a 0 0\n",
    b"cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n\na b\nfuse.x /a\\040b fuse rw\nx y z w\n",
]
MAPPED = [
    *"/usr/lib/x.so /home/ada/m.safetensors /dev/nvidia0 /dev/shm/psm_abc /memfd:x\\040(deleted) /opt/a/lib/libx.so.1.2".split(),
    *"/opt/a/bin/tool /opt/a/data /SYSV0000abcd\\040(deleted) /SYSV0000abcg /anon_hugepage\\040(deleted) /anon_hugepagex".split(),
    *"/dev/hugepages/a /dev/hugepages-1G/a /data/x.bin.3 /data/x.so.1. /dev/zero\\040(deleted) /dmabuf:x /x.unknown relative".split(),
]
NUMA_MAPS = [
    b"7f00 default anon=1 N0=1\n",
    *(b"7f00 bind:0 file=%s mapped=3 N0=3 kernelpagesize_kB=4\n" % name.encode() for name in MAPPED),
]
CASES = [
    ("filter_cmdline", "root/proc/7/cmdline", COMMAND_LINES),
    ("filter_environ", "root/proc/7/environ", ENVIRONMENTS),
    ("filter_kernel_parameters", "root/proc/cmdline", KERNEL_PARAMETERS),
    ("filter_mounts", "root/proc/mounts", MOUNTS),
    ("filter_numa_maps", "root/proc/7/numa_maps", [*NUMA_MAPS, b"".join(NUMA_MAPS)]),
]
APPS = b"gpu_uuid, pid, process_name, used_gpu_memory [MiB]\nGPU-1, 12, /home/ada/venv/bin/python3, 12 MiB\nGPU-2, 13, x y, z, 1 MiB\n"
KERNEL_LOG = b"[1] usb: x\n[2] NVRM: Xid (PCI:0000:17:00): 79, pid=1\n[3] pcieport: AER: Corrected\nxAER: no\n[4] Hypervisor detected: KVM"
SECRETS = [
    b"export API_KEY=hunter2", b"token: hunter2", b"  --api-key hunter2", b"https://ada:hunter2@example.com/x", b"ada.hunter2@example.com",
    b"open /home/hunter2/x", b"Bearer hunter2hunter2", b"hf_hunter2hunter2", b"MY_SETTING=hunter2", b"7f00 default file=/data/hunter2",
    b"7f00-7f01 r--p 0000 08:01 12 /data/hunter2", b"        Name                  : hunter2 --x", b"password = 'a hunter2'",
    b"|    0   N/A  N/A      4242      C   /data/hunter2      1234MiB |", b"Cookie: a=hunter2", b"<process_name>hunter2</process_name>",
    b"-----BEGIN RSA PRIVATE KEY-----\nhunter2\n-----END RSA PRIVATE KEY-----", b"  PID COMMAND\n  12 hunter2",
]  # fmt: skip


@pytest.mark.parametrize(("name", "path", "texts"), CASES, ids=[case[0] for case in CASES])
def test_a_filter_keeps_what_redaction_keeps(redacted, name, path, texts):
    assert redacted(name, texts) == [redact(path, text) for text in texts]


def test_what_commands_print_stays_where_there_is_no_secret_in_it(redacted):
    texts = [b"", b"\n\n", b"a\nb", b"NUMA node0 CPU(s):   0-31\n\nX = Self\n", APPS]

    assert redacted("filter_text", texts) == [redact("commands/x.out", text) for text in texts]


def test_only_known_lines_of_the_kernels_log_stay_and_they_stay_in_their_places(redacted):
    assert redacted("filter_kernel_log", [b"", KERNEL_LOG, KERNEL_LOG + b"\n"]) == [
        redact("commands/dmesg.out", text) for text in (b"", KERNEL_LOG, KERNEL_LOG + b"\n")
    ]


def test_no_secret_passes_and_lines_stay_lines(redacted):
    texts = [b"before\n" + secret + b"\nafter\n" for secret in SECRETS]
    kept = redacted("filter_text", texts)

    assert [text for text in kept if b"hunter2" in text] == []
    assert [text.count(b"\n") for text in kept] == [text.count(b"\n") for text in texts]
    assert [text for text in kept if not text.startswith(b"before\n")] == []


def test_every_kind_of_what_was_taken_out_is_counted(shell, tmp_path):
    kinds = {rule.kind for rule in RULES}
    (tmp_path / "redacted").write_text("".join(f"1 {kind}\n2 {kind}\n" for kind in kinds))
    functions = script().rpartition('main "$@"')[0]
    (tmp_path / "count.sh").write_text(functions + "work=$1\nprintf '{'\nwrite_redactions\nprintf '}'\n")

    done = subprocess.run([*shell, str(tmp_path / "count.sh"), str(tmp_path)], capture_output=True, text=True, check=True)

    assert json.loads(done.stdout) == dict.fromkeys(kinds, 3)
