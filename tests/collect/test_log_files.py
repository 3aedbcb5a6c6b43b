import gzip
import os

import pytest

from numaaudit.collect.log_files import MOST_BYTES, Log, check_logs, name_logs, read_log
from numaaudit.core.errors import UsageError


def read(path):
    return [(item.path, item.outcome, item.data) for item in read_log(Log("run.log", str(path)))]


def test_logs_are_kept_by_base_name_and_twins_are_told_apart():
    assert name_logs(["/a/run.log", "run.log", "b/other.log/"]) == [
        Log("run.log", "/a/run.log"),
        Log("run.log.2", "run.log"),
        Log("other.log", "b/other.log/"),
    ]


def test_a_log_is_read_also_through_a_link_of_the_users(tmp_path):
    (tmp_path / "run.1.log").write_text("bind_cpu gpu_id: 0\n")
    (tmp_path / "run.log").symlink_to("run.1.log")

    assert read(tmp_path / "run.log") == [("run.log", "ok", b"bind_cpu gpu_id: 0\n")]


def test_a_log_that_is_not_there_or_is_no_file_is_recorded(tmp_path):
    os.mkfifo(tmp_path / "fifo")

    assert [read(tmp_path / "missing.log"), read(tmp_path / "fifo"), read(tmp_path)] == [[("run.log", "absent", None)]] * 3


def test_what_is_no_text_cannot_be_redacted_and_is_not_kept(tmp_path):
    (tmp_path / "run.log.gz").write_bytes(gzip.compress(b"api_key=abc\n" * 1000 + bytes(range(256))))

    assert [("run.log", "refused", None)] == read(tmp_path / "run.log.gz")


def test_utf_16_becomes_utf_8_and_nuls_go(tmp_path):
    (tmp_path / "utf16").write_text("api_key=abc\n", encoding="utf-16")
    (tmp_path / "cut").write_bytes(bytes(5000) + b"api_key=abc\n")

    assert [[("run.log", "ok", b"api_key=abc\n")]] * 2 == [read(tmp_path / "utf16"), read(tmp_path / "cut")]


def test_of_a_long_log_the_start_is_kept_in_whole_lines(tmp_path):
    line = b"x" * 1023 + b"\n"
    (tmp_path / "run.log").write_bytes(line * (MOST_BYTES // 1024) + b"one more\n")

    ((_, outcome, data),) = read(tmp_path / "run.log")
    assert ("cut", True) == (outcome, data == line * (MOST_BYTES // 1024))


def test_a_name_outside_unicode_is_the_one_that_the_bundle_has():
    assert [Log("l\\xff.log", "l\udcff.log")] == name_logs(["l\udcff.log"])


def test_a_log_that_cannot_be_opened_is_said_before_anything_is_read(tmp_path):
    (tmp_path / "run.log").write_text("bind_cpu gpu_id: 0\n")
    os.mkfifo(tmp_path / "fifo")

    check_logs([str(tmp_path / "run.log")])
    for name, why in (("rum.log", "No such file or directory"), ("fifo", "not a regular file"), ("", "Is a directory")):
        with pytest.raises(UsageError, match="--log .*%s: %s" % (name, why)):
            check_logs([str(tmp_path / "run.log"), str(tmp_path / name)])
