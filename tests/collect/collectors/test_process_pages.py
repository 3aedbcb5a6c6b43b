"""Where a process's pages are."""


def test_a_small_process_is_read_whole(live):
    _, files = live

    assert len(files["numa_maps"].splitlines()) > 10
    assert "kernelpagesize_kB=" in files["numa_maps"]
