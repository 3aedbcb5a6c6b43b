import os

from numaaudit.collect.log_files import Log, name_logs, read_log


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
