"""A process's command line and environment, redacted before they are kept."""


def test_the_environment_has_listed_names_only(live):
    _, files = live

    assert "LOCAL_RANK=3" in files["environ"].split("\0")
    assert "planted" not in "".join(files.values())


def test_the_command_line_has_the_program(live):
    _, files = live

    assert files["cmdline"].split("\0")[0].startswith("python")
