"""Names of mapped files."""

import time

import pytest

from numaaudit.bundle.redact_maps import redact_maps, redact_numa_maps

STAY = (
    "/usr/lib/x86_64-linux-gnu/libc.so.6",
    "/usr/bin/python3.11",
    "/lib64/ld-linux-x86-64.so.2",
    "/opt/rocm/lib/libamdhip64.so.6",
    "/opt/engine/bin/loader",
    "/dev/nvidia0",
    "/dev/nvidia-uvm",
    "/dev/dri/renderD128",
    "/dev/zero\\040(deleted)",
    "/SYSV00000000\\040(deleted)",
    "/anon_hugepage\\040(deleted)",
)
CHANGE = (
    ("/home/alice/model-00001-of-00004.safetensors", "/[redacted].safetensors"),
    ("/home/alice/venv/lib/libtorch_cpu.so", "/[redacted].so"),
    ("/srv/lib/libx.so.1.2.3", "/[redacted].so"),
    ("/data/odd\\040name.bin", "/[redacted].bin"),
    ("/data/x.secret", "/[redacted]"),
    ("/data/w.gguf\\040(deleted)", "/[redacted].gguf\\040(deleted)"),
    ("/memfd:weights\\040(deleted)", "/memfd:[redacted]\\040(deleted)"),
    ("/dev/shm/psm_alice", "/dev/shm/[redacted]"),
    ("/dev/hugepages-1G/alice", "/dev/hugepages-1G/[redacted]"),
    ("/opt/models/alice.gguf", "/[redacted].gguf"),
    ("/usrdata/x", "/[redacted]"),
)


@pytest.mark.parametrize("name", STAY)
def test_devices_and_system_files_keep_their_names(name):
    line = b"7f1000000000 bind:0 file=%s huge anon=2 N0=2 kernelpagesize_kB=4\n" % name.encode()
    assert redact_numa_maps(line) == line


@pytest.mark.parametrize(("name", "kept"), CHANGE)
def test_other_files_keep_their_kind(name, kept):
    line = "7f1000000000 prefer (many)=static:0,2 file={} anon=2 N0=2 kernelpagesize_kB=4\n"
    assert redact_numa_maps(line.format(name).encode()) == line.format(kept).encode()


def test_maps_have_the_name_at_the_end_and_may_hold_blanks():
    text = (
        b"7f00-7f10 r-xp 00000000 08:01 123                        /home/al ice/my model.gguf (deleted)\n"
        b"7f10-7f20 rw-p 00000000 00:00 0                          [heap]\n"
        b"7f20-7f30 rw-p 00000000 00:00 0 \n"
        b"7f30-7f40 r-xp 00000000 08:01 124                        /usr/lib/libc.so.6\n"
    )
    assert redact_maps(text) == text.replace(b"/home/al ice/my model.gguf", b"/[redacted].gguf")


def test_sizes_in_smaps_stay():
    text = b"7f00-7f10 r-xp 00000000 08:01 123 /home/a/b\nSize:                 64 kB\nVmFlags: rd ex mr\n"
    assert redact_maps(text) == text.replace(b"/home/a/b", b"/[redacted]")


def test_twenty_four_thousand_mappings_take_milliseconds():
    text = b"".join(
        b"7f%010x default file=/home/a/%d.gguf mapped=12 N0=12 kernelpagesize_kB=4\n" % (4096 * i, i % 300) for i in range(24_000)
    )
    spent = []
    for _ in range(3):
        start = time.process_time()
        redact_numa_maps(text)
        spent.append(time.process_time() - start)
    assert min(spent) < 0.1
