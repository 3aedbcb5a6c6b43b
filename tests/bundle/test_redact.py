"""redact(): which files are redacted how, and that nothing planted survives."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from numaaudit.bundle.redact import redact

SECRET = "Zq7wSuperHiddenX9"
PROCESS_FILES = ("environ", "cmdline", "numa_maps", "maps", "smaps", "mounts", "mountinfo")


def test_environment_keeps_exact_names_only():
    block = b"HOME=/home/alice\0RANK=3\0CUDA_VISIBLE_DEVICES=0,1\0RANK_SECRET=x\0SLURM_JWT=eyJ\0CUDA_VISIBLE_DEVICES_KEY=k\0"
    assert redact("root/proc/7/environ", block) == b"RANK=3\0CUDA_VISIBLE_DEVICES=0,1\0"


def test_environment_reduces_paths_and_keeps_mig_identifiers():
    block = b"NCCL_TOPO_FILE=/home/alice/topo.xml\0CUDA_VISIBLE_DEVICES=MIG-GPU-5b2e/1/0\0"
    assert redact("root/proc/7/environ", block) == b"NCCL_TOPO_FILE=topo.xml\0CUDA_VISIBLE_DEVICES=MIG-GPU-5b2e/1/0\0"


def test_environment_of_a_later_reading_and_of_a_thread_is_redacted_too():
    for path in ("again/2/root/proc/7/environ", "root/proc/7/task/9/environ"):
        assert redact(path, b"API_KEY=1\0LOCAL_RANK=0\0") == b"LOCAL_RANK=0\0"


def test_dropped_variables_are_counted():
    counts = {}
    redact("root/proc/7/environ", b"HOME=/\0A=1\0RANK=0\0", counts)
    redact("root/proc/8/environ", b"HOME=/\0RANK=1\0", counts)
    assert counts == {"environment variable": 3}


def test_what_needs_no_redaction_is_not_counted():
    counts = {}
    redact("root/proc/7/environ", b"RANK=0\0", counts)
    redact("root/proc/7/status", b"Name:\tpython3\n", counts)
    assert counts == {}


def test_kernel_command_line_keeps_listed_parameters():
    text = b"BOOT_IMAGE=/vmlinuz root=UUID=1 ro isolcpus=managed_irq,2-5 numa=off rd.luks.key=abc nosmt hugepages=0:4,1:4\n"
    assert redact("root/proc/cmdline", text) == b"isolcpus=managed_irq,2-5 numa=off nosmt hugepages=0:4,1:4\n"


def test_command_line_of_a_process_is_reduced_word_by_word():
    counts = {}
    argv = b"/usr/bin/python3\0-m\0vllm.entrypoints.openai.api_server\0--api-key\0abc\0--tensor-parallel-size\x004\0"
    kept = b"python3\0-m\0vllm.entrypoints.openai.api_server\0[redacted]\0[redacted]\0--tensor-parallel-size\x004\0"
    assert redact("root/proc/7/cmdline", argv, counts) == kept
    assert counts == {"command-line word": 2}


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        (b"cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid,nsdelegate 0 0", b"cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid,nsdelegate 0 0"),
        (b"tmpfs /dev/shm tmpfs rw,mpol=bind:0 0 0", b"tmpfs /dev/shm tmpfs rw,mpol=bind:0 0 0"),
        (b"tmpfs /home/alice/ram tmpfs rw,uid=1000 0 0", b"tmpfs [redacted] tmpfs [redacted] 0 0"),
        (b"/dev/nvme0n1p1 / ext4 rw,relatime 0 0", b"/dev/nvme0n1p1 / ext4 [redacted] 0 0"),
        (b"//files/alice /mnt/a cifs rw,username=alice,password=x 0 0", b"[redacted] [redacted] cifs [redacted] 0 0"),
        (b"overlay / overlay rw,lowerdir=/var/lib/a 0 0", b"overlay / overlay [redacted] 0 0"),
        (b"garbage", b"[redacted]"),
    ],
)
def test_mounts_keep_pseudo_file_systems_and_block_devices(line, kept):
    assert redact("root/proc/self/mounts", line + b"\n") == kept + b"\n"


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        (
            b"31 23 0:27 /kubepods /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate",
            b"31 23 0:27 /kubepods /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate",
        ),
        (
            b"40 23 259:1 /alice /data rw shared:1 master:2 - xfs /dev/nvme1n1 rw,noquota",
            b"40 23 259:1 [redacted] [redacted] [redacted] - xfs /dev/nvme1n1 [redacted]",
        ),
        (
            b"41 23 0:50 / /mnt rw - nfs4 10.0.0.9:/alice rw,addr=10.0.0.9",
            b"41 23 0:50 / [redacted] [redacted] - nfs4 [redacted] [redacted]",
        ),
    ],
)
def test_mountinfo_keeps_pseudo_file_systems_and_block_devices(line, kept):
    assert redact("root/proc/7/mountinfo", line) == kept


def test_mapped_file_names_are_reduced_in_numa_maps():
    counts = {}
    line = b"7f00 bind:0 file=/home/alice/w.gguf mapped=5 N1=5 kernelpagesize_kB=4\n"
    assert redact("root/proc/7/task/8/numa_maps", line, counts) == b"7f00 bind:0 file=/[redacted].gguf mapped=5 N1=5 kernelpagesize_kB=4\n"
    assert counts == {"file name": 1}


@pytest.mark.parametrize("path", ["logs/server.log", "commands/journalctl.out", "commands/lscpu.err", "pasted/1.txt"])
def test_free_text_is_searched_for_secrets(path):
    counts = {}
    assert redact(path, b"start\napi_key=abc123\n", counts) == b"start\napi_key=[redacted]\n"
    assert counts == {"line of text": 1}


@pytest.mark.parametrize("path", ["root/proc/7/status", "root/sys/devices/system/cpu/online", "manifest.json", "samples/pages.json"])
def test_other_files_stay_as_they_are(path):
    text = b"password=looks like one, is evidence\0"
    assert redact(path, text) is text


PLACES = st.sampled_from(
    [
        ("root/proc/7/environ", "RANK=0\0HF_TOKEN={}\0LOCAL_RANK_{}=1\0PATH=/home/{}/bin\0"),
        ("root/proc/7/environ", "OMP_NUM_THREADS=4\n{}\0NCCL_TOPO_FILE=/home/{}/a\0"),
        ("root/proc/7/cmdline", "python3\0x.py\0--api-key\0{}\0"),
        ("root/proc/7/cmdline", "/home/{}/bin/python3\0-c\0print('{}')\0--tp\x002\0{}\0"),
        ("root/proc/7/cmdline", "vllm\0serve\0{}\0--numa-bind\0{}\0--api-key={}\0"),
        ("root/proc/7/cmdline", "torchrun\0--note\0words and {}\0{}\0-x\0TOKEN={}\0"),
        ("root/proc/7/cmdline", "VLLM::Worker_TP0 {} --key={} "),
        ("root/proc/cmdline", "ro init=/{} rd.key={} isolcpus=1\n"),
        ("root/proc/mounts", "//host/{} /mnt/{} cifs rw,password={} 0 0\n"),
        ("root/proc/mounts", "{} /tmp/{} tmpfs rw,size=4k 0 0\n{} /run/x tmpfs rw 0 0\n"),
        ("root/proc/7/mountinfo", "41 23 0:50 / /run/x rw - tmpfs {} rw\n"),
        ("root/proc/7/mountinfo", "41 23 0:50 /{} /mnt/{} rw - nfs4 host:/{} rw,key={}\n"),
        ("root/proc/7/numa_maps", "7f00 default file=/home/{}/a.bin N0=1\n7f01 default file=/memfd:{}\\040(deleted) N0=1\n"),
        ("root/proc/7/maps", "7f00-7f01 r--p 00000000 08:01 12   /home/{}/my {}.gguf\n"),
        ("logs/app.log", 'password="{}" Authorization: Bearer {} https://u:{}@h/ --auth-token {} MY_KEY={} hf_{} /home/{}/x\n'),
        ("pasted/a", "-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----\n{}@example.org\n"),
        ("commands/ps_aux.out", "USER PID COMMAND\na 1 python3 --key {}\n"),
        ("commands/nvidia-smi.out", "|    0   N/A  N/A      4242      C   python3 --key {}      1234MiB |\n"),
        ("commands/nvidia-smi_-q.out", "            Name                  : /opt/{}/python3 x.py {}\n"),
        ("commands/nvidia-smi_x.out", "pid, process_name, used_gpu_memory [MiB]\n1, /home/{}/python3 x.py {}, 10 MiB\n"),
    ]
)


@given(place=PLACES, prefix=st.sampled_from(["", "again/1/"]), word=st.text("abcdefXYZ0123456789", min_size=0, max_size=12))
def test_a_planted_secret_is_nowhere_in_the_output(place, prefix, word):
    path, template = place
    secret = SECRET + word
    assert SECRET.encode() not in redact(prefix + path, template.replace("{}", secret).encode())


SHAPES = st.lists(
    st.sampled_from(
        "python3 numactl taskset torchrun vllm serve -m -c -C -x --tp --cpu-bind --api-key --device = , 0-3 0x3 / /a/b /a/-m x.y "
        "RANK=1 KEY=v token= token: 'a \"a /home/a a@b.c https://a:b@c file=/a/b.so (deleted) [redacted] |".split()
    )
    | st.text(max_size=4),
    max_size=14,
)


@given(words=SHAPES, joint=st.sampled_from([" ", "\0", "\n", "\0\0", "  "]), name=st.sampled_from(PROCESS_FILES))
def test_redacting_twice_changes_nothing_more(words, joint, name):
    data = joint.join(words).encode()
    for path in ("root/proc/7/" + name, "root/proc/cmdline", "logs/x"):
        once = redact(path, data)
        assert redact(path, once) == once


@given(st.binary(max_size=400), st.sampled_from(PROCESS_FILES))
def test_any_bytes_are_taken_and_free_text_keeps_its_lines(data, name):
    redact("root/proc/7/" + name, data)
    redact("root/proc/cmdline", data)
    assert redact("logs/x", data).count(b"\n") == data.count(b"\n")
