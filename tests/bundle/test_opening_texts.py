"""open_input: one text or XML, whatever wrote it."""

import gzip
from pathlib import Path

import pytest

from numaaudit.bundle.opening import open_input


def put(path: Path, data: bytes) -> str:
    path.write_bytes(data)
    return str(path)


TOPO = b"\tGPU0\tGPU1\nGPU0\t X \tSYS\n"


@pytest.mark.parametrize(
    ("name", "data", "path"),
    [
        ("topo.txt", TOPO, "pasted/topo.txt"),
        ("report.log.gz", gzip.compress(TOPO[:10], mtime=0) + gzip.compress(TOPO[10:], mtime=0), "pasted/report.log"),
        ("windows.txt", TOPO.decode().encode("utf-16"), "pasted/windows.txt"),
        ("bom.txt", b"\xef\xbb\xbf" + TOPO, "pasted/bom.txt"),
    ],
)
def test_one_text_is_a_tree_of_one_file(tmp_path, name, data, path):
    opened = open_input(put(tmp_path / name, data))

    assert ("text", [path], TOPO, ()) == (opened.kind, opened.tree.glob("pasted/*"), opened.tree.get(path).data, opened.gaps)


@pytest.mark.parametrize("data", (b"node0\0", b"caf\xe9 au lait\n", b"\x1b[4mGPU0\x1b[0m\n", b"x"))
def test_texts_of_the_kernel_and_of_terminals_are_texts(tmp_path, data):
    assert "text" == open_input(put(tmp_path / "x", data)).kind


def test_standard_input_may_be_a_pasted_text():
    assert TOPO == open_input("-", stdin=TOPO).tree.get("pasted/stdin").data


@pytest.mark.parametrize(
    "data",
    (
        b'<?xml version="1.0"?>\n<topology version="2.0"/>',
        b'<!DOCTYPE topology SYSTEM "hwloc.dtd">',
        b'<system version="1">',
        b"<!-- x -->\n<system/>",
        b"\xef\xbb\xbf\n <?xml?>",
    ),
)
def test_xml_of_hwloc_and_nccl_is_told_from_text(tmp_path, data):
    assert "xml" == open_input(put(tmp_path / "x.xml", data)).kind


def test_pasted_secrets_are_redacted():
    opened = open_input("-", stdin=b"export HF_TOKEN=hf_abcdefghijklmnopqrstuvwxyz0123456789\n")

    assert b"hf_abcdefghijklmnopqrstuvwxyz" not in opened.tree.get("pasted/stdin").data
