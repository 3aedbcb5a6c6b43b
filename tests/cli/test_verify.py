"""``collect --sign`` and ``verify --allowed-signers``, with real keys."""

import gzip
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

SAMPLE = Path(__file__).parents[2] / "sample_bundles" / "asymmetric-5-3.tar.gz"


def numaaudit(*words: object, **more):
    argv = [sys.executable, "-m", "numaaudit", *map(str, words)]
    return subprocess.run(argv, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120, check=False, **more)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Keys ``key`` and ``locked``, ``signers`` that names the first, and a bundle of an invented host that it signed."""
    folder = tmp_path_factory.mktemp("signed")
    for name, passphrase in (("key", ""), ("locked", "open sesame")):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", passphrase, "-f", str(folder / name)], check=True)
    (folder / "signers").write_text(f"oncall@example.org {(folder / 'key.pub').read_text()}")
    with tarfile.open(SAMPLE) as sample:
        for member in sample.getmembers():
            if member.name.startswith("root/"):
                sample.extract(member, folder / "host", filter="tar")
    collected = numaaudit("collect", "--root", folder / "host" / "root", "--sign", folder / "key", "-o", folder / "b.tar.gz")
    assert (0, "") == (collected.returncode, collected.stderr)
    return folder


def test_the_signature_is_the_second_member_and_no_path_of_the_key_is_kept(folder):
    with tarfile.open(folder / "b.tar.gz") as bundle:
        assert ["manifest.json", "manifest.json.sig"] == bundle.getnames()[:2]
    assert str(folder / "key").encode() not in gzip.decompress((folder / "b.tar.gz").read_bytes())


@pytest.mark.parametrize("unpack", (False, True))
def test_a_signed_bundle_is_verified_with_the_name_of_its_signer(folder, tmp_path, unpack):
    bundle = folder / "b.tar.gz"
    if unpack:
        with tarfile.open(bundle) as archive:
            archive.extractall(tmp_path, filter="tar")

    ended = numaaudit("verify", tmp_path if unpack else bundle, "--allowed-signers", folder / "signers")
    assert (0, "verified (signed by oncall@example.org)\n", "") == (ended.returncode, ended.stdout, ended.stderr)


def test_without_a_list_of_signers_nobody_is_named(folder):
    ended = numaaudit("verify", folder / "b.tar.gz")

    assert (0, "intact (signature not checked: name who may sign with --allowed-signers)\n") == (ended.returncode, ended.stdout)


def test_a_list_that_does_not_name_the_signer_verifies_nothing(folder, tmp_path):
    (tmp_path / "signers").write_text(f"other@example.org {(folder / 'locked.pub').read_text()}")

    ended = numaaudit("verify", folder / "b.tar.gz", "--allowed-signers", tmp_path / "signers")
    assert (1, "not verified: No principal matched.\n") == (ended.returncode, ended.stdout)


def test_who_takes_the_signature_away_gains_nothing(folder):
    ended = numaaudit("verify", SAMPLE, "--allowed-signers", folder / "signers")

    assert (1, "not verified: it is not signed (its members are intact)\n") == (ended.returncode, ended.stdout)


def test_damage_is_named_before_anybody_is_asked_whose_signature_it_is(folder, tmp_path):
    with tarfile.open(folder / "b.tar.gz") as archive:
        archive.extractall(tmp_path, filter="tar")
    (tmp_path / "root" / "proc" / "4242" / "status").write_text("forged\n")

    ended = numaaudit("verify", tmp_path, "--allowed-signers", folder / "none", env={**os.environ, "PATH": ""})
    assert (1, "damaged: root/proc/4242/status\n") == (ended.returncode, ended.stdout)


def test_a_forged_manifest_is_not_verified(folder, tmp_path):
    with tarfile.open(folder / "b.tar.gz") as archive:
        archive.extractall(tmp_path, filter="tar")
    manifest = tmp_path / "manifest.json"
    manifest.write_bytes(manifest.read_bytes().replace(b'"hostname":"', b'"hostname":"x', 1))

    ended = numaaudit("verify", tmp_path, "--allowed-signers", folder / "signers")
    assert (1, "not verified: Signature verification failed: incorrect signature\n") == (ended.returncode, ended.stdout)


@pytest.mark.parametrize("words", (["--allowed-signers", "none"], ["--allowed-signers", "."]))
def test_a_list_that_cannot_be_read_is_one_line(folder, words):
    ended = numaaudit("verify", "b.tar.gz", *words, cwd=folder)

    assert (4, "") == (ended.returncode, ended.stdout)
    assert f"numaaudit: {words[1]}: no file that can be read" == ended.stderr.splitlines()[0]


def test_what_cannot_be_signed_is_kept_under_a_name_that_says_so(folder, tmp_path):
    ended = numaaudit(
        "collect", "--root", folder / "host" / "root", "--sign", folder / "locked", "-o", tmp_path / "e.tar", start_new_session=True
    )  # fmt: skip

    assert (4, ["unsigned-e.tar"]) == (ended.returncode, os.listdir(tmp_path))
    first = ended.stderr.splitlines()[0]
    assert first.startswith("numaaudit: not signed: ")
    assert first.endswith(f"; what was collected is in {tmp_path}/unsigned-e.tar")
    assert "intact (unsigned)\n" == numaaudit("verify", tmp_path / "unsigned-e.tar").stdout


def test_a_key_that_is_not_there_is_said_before_anything_is_collected(tmp_path):
    ended = numaaudit("collect", "--host-only", "--sign", "none", cwd=tmp_path)

    assert (2, []) == (ended.returncode, os.listdir(tmp_path))
    assert "numaaudit: --sign none: no file that can be read" == ended.stderr.splitlines()[0]
