"""A thread's memory policy: kept where it differs from the main thread's."""


def test_equal_policies_are_not_kept_again(live):
    _, files = live

    assert [path for path in files if path.startswith("task/") and path.endswith("/numa_maps")] == []
