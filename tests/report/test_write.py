"""A report's file is replaced as a whole or not at all; what is no file is written into."""

import os
import threading

import pytest

from numaaudit.report.write import write_file


def test_a_file_is_replaced_and_nothing_else_is_left(tmp_path):
    (tmp_path / "r.html").write_text("old")
    write_file(str(tmp_path / "r.html"), b"new")

    assert ("new", ["r.html"]) == ((tmp_path / "r.html").read_text(), os.listdir(tmp_path))


def test_the_file_behind_a_link_is_replaced_and_the_link_stays(tmp_path):
    (tmp_path / "target").write_text("old")
    (tmp_path / "link").symlink_to("target")
    write_file(str(tmp_path / "link"), b"new")

    assert (True, "new") == ((tmp_path / "link").is_symlink(), (tmp_path / "target").read_text())


def test_a_device_stays_a_device(tmp_path):
    (tmp_path / "null").symlink_to(os.devnull)
    write_file(str(tmp_path / "null"), b"new")

    assert (True, ["null"]) == ((tmp_path / "null").is_char_device(), os.listdir(tmp_path))


def test_a_fifo_is_written_into(tmp_path):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    writer = threading.Thread(target=write_file, args=(str(fifo), b"new"))
    writer.start()

    assert fifo.read_bytes() == b"new"
    writer.join()
    assert fifo.is_fifo()


def test_a_link_that_somebody_laid_is_not_written_through(tmp_path):
    (tmp_path / f".r.html.{os.getpid()}.part").symlink_to("victim")

    with pytest.raises(FileExistsError):
        write_file(str(tmp_path / "r.html"), b"new")
    assert not (tmp_path / "victim").exists()


def test_a_folder_is_no_file_and_nothing_is_left(tmp_path):
    with pytest.raises(IsADirectoryError):
        write_file(str(tmp_path), b"new")
    assert os.listdir(tmp_path) == []
    assert not list(tmp_path.parent.glob(".*.part"))
