"""``--pseudonyms``: the key, and whole collections under it: no planted name is left, and what is found is the same."""

import json
import os
import re
import tarfile
from pathlib import Path

import pytest

from numaaudit.bundle.opening import open_input
from numaaudit.bundle.pseudonymise import pseudonymised
from numaaudit.bundle.pseudonyms import Pseudonyms
from numaaudit.bundle.tree import Members, Tree
from numaaudit.bundle.verify import verify_bundle
from numaaudit.collect.host_files import host_tree
from numaaudit.collect.options import CollectOptions
from numaaudit.collect.pseudonym_key import pseudonyms_of
from numaaudit.collect.runner import Collection, collect
from numaaudit.collect.writing import write
from numaaudit.core.errors import UsageError
from numaaudit.model.host import build_host
from numaaudit.rules.engine import audit

FOLDER = Path(__file__).parents[2] / "sample_bundles"
SAMPLES = sorted(path.name.removesuffix(".tar.gz") for path in FOLDER.glob("*.tar.gz"))
UID = "8f2b1c00-1a2b-4c3d-9e8f-0a1b2c3d4e5f"
ID = "3f9a17c2" * 8
PLANTED = ("zebra", "8f2b1c00", "3f9a17c2")


@pytest.fixture
def key(tmp_path):
    path = tmp_path / "key"
    path.write_bytes(b"0123456789abcdef")
    path.chmod(0o600)
    return str(path)


def unpacked(name, folder):
    """The root of a sample, with the names of its owner in all places that have one."""
    with tarfile.open(FOLDER / f"{name}.tar.gz") as bundle:
        for member in bundle.getmembers():
            if member.name.startswith(("root/", "logs/")):
                bundle.extract(member, folder)
    root = folder / "root"
    (root / "proc/sys/kernel/hostname").write_text("zebra-7.zebra.example\n")
    (root / "etc").mkdir()
    (root / "etc/passwd").write_text("root:x:0:0::/root:/bin/sh\nzebra:x:1000:1000::/home/zebra:/bin/sh\n")
    move_into_pod(root)
    log = folder / "zebra-run.log"
    log.write_text("zebra-7:1:2 [0] NCCL INFO zebra at /data/zebra/model in pod%s\n" % UID)
    own = folder / "logs" / "launcher.log"
    return CollectOptions(root=str(root), pages="full", logs=(str(log), *([str(own)] if own.exists() else [])))


def move_into_pod(root):
    """Every process of the sample into a container of a pod, below the control group it was in."""
    place = "zebra.slice/kubepods.slice/kubepods-pod%s.slice/cri-containerd-%s.scope" % (UID.replace("-", "_"), ID)
    for file in root.glob("proc/[0-9]*/cgroup"):
        old = file.read_text().partition("::/")[2].strip()
        file.write_text("0::/%s/%s\n" % (old, place))
        group = root / "sys/fs/cgroup" / old
        (group / place).mkdir(parents=True, exist_ok=True)
        for limit in ("cpuset.cpus.effective", "cpuset.mems.effective"):
            (group / place / limit).write_text((group / limit).read_text() if (group / limit).exists() else "0\n")


def findings(tree, manifest):
    """What every rule says of each subject; of those whose names are under pseudonyms the kind."""
    found = [(each.rule.code, each.judgement) for each in audit(build_host(tree, manifest)).findings]
    return sorted((code, judged.outcome.value, re.sub(r"^(cgroup|pod|file):.*", r"\1", judged.subject)) for code, judged in found)


@pytest.mark.parametrize("name", SAMPLES)
def test_no_planted_name_is_left_and_what_is_found_is_the_same(name, key, tmp_path):
    options = unpacked(name, tmp_path)
    plain = collect(options, path="")
    names = pseudonyms_of(options._replace(pseudonyms=key), host_tree(options.root))
    manifest, members = pseudonymised(plain.manifest, plain.members, names)
    path = str(tmp_path / "hidden.tar")
    write(Collection(manifest, members, plain.selection), path)
    data = Path(path).read_bytes()
    opened = open_input(path)

    assert [word for word in PLANTED if word.encode() in data] == []
    assert verify_bundle(path).intact
    assert findings(opened.tree, opened.manifest) == findings(plain.tree(), plain.manifest)


def test_the_manifest_counts_them_and_a_plain_one_does_not_speak_of_them(key, tmp_path):
    options = unpacked(SAMPLES[0], tmp_path)
    hidden = json.loads(collect(options._replace(pseudonyms=key), path="").manifest.to_json())

    assert {"host", "user", "pod", "container", "path"} <= set(hidden["pseudonyms"])
    assert "--pseudonyms" not in hidden["arguments"]
    assert b"pseudonyms" not in collect(options, path="").manifest.to_json()


def test_they_are_the_same_in_all_bundles_of_one_key(key, tmp_path):
    options = unpacked(SAMPLES[0], tmp_path)._replace(pseudonyms=key)
    one, other = collect(options, path="").manifest, collect(options, path="").manifest
    Path(key).write_bytes(b"another key of 25 bytes..")
    third = collect(options, path="").manifest

    def told(manifest):
        return manifest.hostname, {entry.path for entry in manifest.entries}

    assert told(one) == told(other)
    assert one.hostname != third.hostname


def test_collect_applies_them_before_anything_is_written(key, tmp_path):
    options = unpacked(SAMPLES[0], tmp_path)._replace(pseudonyms=key)
    collection = collect(options, path="")
    write(collection, str(tmp_path / "hidden.tar"))
    data = (tmp_path / "hidden.tar").read_bytes()

    assert [word for word in (*PLANTED, key, "0123456789abcdef") if word.encode() in data] == []
    assert verify_bundle(str(tmp_path / "hidden.tar")).intact


def test_a_live_host_is_under_them_too(key, sleeper):
    collection = collect(CollectOptions(pids=(sleeper.pid,), pseudonyms=key), path="/usr/bin:/bin")
    manifest, boot_id = collection.manifest, Path("/proc/sys/kernel/random/boot_id").read_text().strip()

    assert manifest.hostname.startswith("host-")
    assert collection.tree().text("root/proc/sys/kernel/hostname") == manifest.hostname
    assert collection.tree().text("commands/uname_-a.out").split()[1] == manifest.hostname
    assert len(manifest.boot_id) == len(boot_id)
    assert manifest.boot_id != boot_id


@pytest.mark.parametrize(
    ("content", "mode", "message"),
    [
        (b"0123456789abcde", 0o600, "a key has 16 to 4096 bytes"),
        (b"x" * 4097, 0o600, "a key has 16 to 4096 bytes"),
        (b"0123456789abcdef", 0o640, "others may read the key"),
        (b"0123456789abcdef", 0o604, "others may read the key"),
        (None, 0, "No such file or directory"),
    ],
)
def test_a_key_that_is_none_is_refused(tmp_path, content, mode, message):
    path = tmp_path / "key"
    if content is not None:
        path.write_bytes(content)
        path.chmod(mode)

    with pytest.raises(UsageError, match=message):
        pseudonyms_of(CollectOptions(pseudonyms=str(path)), Tree(Members()))


def test_what_to_run_names_the_file_that_was_typed(tmp_path):
    (tmp_path / "my key").touch(0o644)

    with pytest.raises(UsageError) as open_to_all:
        pseudonyms_of(CollectOptions(pseudonyms=str(tmp_path / "my key")), Tree(Members()))
    with pytest.raises(UsageError) as missing:
        pseudonyms_of(CollectOptions(pseudonyms="/none/key"), Tree(Members()))
    assert ("chmod 600 '%s/my key'" % tmp_path, True) == (open_to_all.value.hint, "urandom > /none/key)" in missing.value.hint)


def test_a_fifo_is_no_key(tmp_path):
    os.mkfifo(tmp_path / "key", 0o600)

    with pytest.raises(UsageError, match="not a regular file"):
        pseudonyms_of(CollectOptions(pseudonyms=str(tmp_path / "key")), Tree(Members()))


def test_names_that_were_typed_are_known(key):
    options = CollectOptions(pseudonyms=key, pod="zebra/zebra-llm-0", container="zebra-main")
    names = pseudonyms_of(options, Tree(Members()))
    names.settle()
    plain = Pseudonyms(Path(key).read_bytes())

    assert names.words("in pod zebra-llm-0") == "in pod %s" % plain.name("pod", "zebra-llm-0")
    assert names.words("is in container zebra-main") == "is in container %s" % plain.name("container", "zebra-main")
