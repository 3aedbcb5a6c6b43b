"""Every thread by itself."""


def test_each_thread_has_its_mask_time_and_name(live):
    pid, files = live
    threads = {path.split("/")[1] for path in files if path.startswith("task/")}

    assert len(threads) == 2
    assert str(pid) in threads
    for tid in threads:
        assert "Cpus_allowed_list:" in files[f"task/{tid}/status"]
        assert files[f"task/{tid}/stat"].startswith(f"{tid} (")
        assert files[f"task/{tid}/comm"].strip()
