"""Recorded machines and cases made by others, where NUMAAUDIT_CORPORA names the folder that holds machines/ and cases/."""

import os
import tarfile
from pathlib import Path

import pytest

from numaaudit.bundle.opening import open_input

CORPORA = Path(os.environ["NUMAAUDIT_CORPORA"])
ARCHIVES = sorted([*CORPORA.glob("machines/*/*.tar.*"), *CORPORA.glob("cases/*/bundle.tar.gz")])
XMLS = sorted(CORPORA.glob("machines/*_xml/*.xml"))


@pytest.mark.parametrize("archive", ARCHIVES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_an_archive_has_the_members_tarfile_sees(archive):
    opened = open_input(str(archive))
    storage = opened.tree.storage

    with tarfile.open(archive) as other:
        expected = {
            os.path.normpath(entry.name): entry.linkname if entry.issym() else other.extractfile(entry).read()
            for entry in other
            if not entry.isdir()
        }
    found = {
        path: storage.target(entry) if storage.kind(entry) == "link" else storage.read(entry)
        for path, entry in storage.walk(storage.top)
        if storage.kind(entry) != "dir"
    }
    assert ("archive", expected) == (opened.kind, found)
    assert opened.tree.glob("root/{proc,sys}/*") != []


@pytest.mark.parametrize("xml", XMLS, ids=lambda path: path.name)
def test_a_topology_file_is_xml(xml):
    opened = open_input(str(xml))

    assert ("xml", [f"pasted/{xml.name}"]) == (opened.kind, opened.tree.glob("pasted/*"))
