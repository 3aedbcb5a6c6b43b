"""A file appears whole or not at all, and never in another's place."""

import os
import stat

import pytest

from numaaudit.bundle.new_file import check_folder, check_target, new_file
from numaaudit.core.errors import CollectError, TargetExistsError


def test_the_file_is_there_with_its_bytes_and_its_mode_and_nothing_else(tmp_path):
    with new_file(str(tmp_path / "b.tar"), 0o640) as file:
        file.write(b"whole")

    assert os.listdir(tmp_path) == ["b.tar"]
    assert ((tmp_path / "b.tar").read_bytes(), stat.S_IMODE((tmp_path / "b.tar").stat().st_mode)) == (b"whole", 0o640)


def test_what_raises_while_it_is_written_leaves_nothing(tmp_path):
    with pytest.raises(ZeroDivisionError), new_file(str(tmp_path / "b.tar")) as file:
        file.write(b"half")
        raise ZeroDivisionError

    assert os.listdir(tmp_path) == []


def test_a_file_that_appears_meanwhile_stays(tmp_path):
    with pytest.raises(TargetExistsError), new_file(str(tmp_path / "b.tar")) as file:
        file.write(b"ours")
        (tmp_path / "b.tar").write_bytes(b"theirs")

    assert ((tmp_path / "b.tar").read_bytes(), os.listdir(tmp_path)) == (b"theirs", ["b.tar"])


def test_a_link_that_leads_nowhere_is_in_the_way(tmp_path):
    (tmp_path / "b.tar").symlink_to("nowhere")

    with pytest.raises(TargetExistsError):
        check_target(str(tmp_path / "b.tar"))


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(CollectError, match="gone: no such directory"):
        check_folder(str(tmp_path / "gone"))
