"""Where a bundle goes, signed or not."""

import os
from pathlib import Path

import pytest

from numaaudit.bundle.manifest import SIGNATURE_START, Manifest
from numaaudit.bundle.tree import Members
from numaaudit.bundle.verify import verify_bundle
from numaaudit.collect.runner import Collection
from numaaudit.collect.selection import Selection
from numaaudit.collect.writing import bundle_name, signed, write
from numaaudit.core.errors import CollectError

MANIFEST = Manifest("0.1.0", "1", "gpu-host", "1a2b3c", "boot", "2026-11-29T10:15:00Z")
COLLECTION = Collection(MANIFEST, Members(), Selection({}, ()))


def sign(manifest: bytes) -> bytes:
    return SIGNATURE_START + b"\n%d bytes\n" % len(manifest)


def refuse(manifest: bytes) -> bytes:
    raise CollectError("not signed: the key is locked")


def test_what_is_signed_are_the_bytes_that_are_written(tmp_path):
    path = write(signed(COLLECTION, str(tmp_path / "e.tar"), sign), str(tmp_path / "e.tar"))

    result = verify_bundle(path)
    assert (str(tmp_path / "e.tar"), True, sign(result.manifest)) == (path, result.intact, result.signature)


@pytest.mark.parametrize(("asked", "made"), [("e.tar.gz", "unsigned-e.tar.gz"), ("", "unsigned-" + bundle_name(MANIFEST))])
def test_what_cannot_be_signed_is_kept_under_a_name_that_says_so(tmp_path, monkeypatch, asked, made):
    monkeypatch.chdir(tmp_path)

    with pytest.raises(CollectError) as error:
        signed(COLLECTION, asked, refuse)
    assert (f"not signed: the key is locked; what was collected is in {made}", [made]) == (str(error.value), os.listdir(tmp_path))
    assert ["intact (unsigned)"] == verify_bundle(made).lines


def test_what_can_neither_be_signed_nor_written_there_is_kept_elsewhere(tmp_path, monkeypatch):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.setenv("TMPDIR", str(elsewhere))
    (tmp_path / "unsigned-e.tar").write_text("precious")

    with pytest.raises(CollectError) as error:
        signed(COLLECTION, str(tmp_path / "e.tar"), refuse)
    [kept] = elsewhere.iterdir()
    assert str(error.value) == (
        f"not signed: the key is locked; {tmp_path}/unsigned-e.tar: exists already; what was collected is in {kept}"
    )
    assert "precious" == Path(tmp_path / "unsigned-e.tar").read_text()
