"""What a process may use, and how long it ran."""


def test_status_stat_cgroup_and_limits(live):
    pid, files = live

    assert f"Pid:\t{pid}\n" in files["status"]
    assert files["stat"].startswith(f"{pid} (python")
    assert files["cgroup"].count(":") >= 2
    assert "Max locked memory" in files["limits"]
