import pytest

from numaaudit.parse.parsers.proc_cmdline import parse


@pytest.mark.parametrize(
    ("text", "argv"),
    [
        ("python3\0-m\0vllm\0", ("python3", "-m", "vllm")),
        ("sh\0-c\0\0last\0", ("sh", "-c", "", "last")),
        ("VLLM::Worker_TP0", ("VLLM::Worker_TP0",)),
        ("ray::train\0\0\0\0\0", ("ray::train",)),
        ("", ()),
        ("\0", ()),
    ],
)
def test_a_command_line_is_split_at_its_nul_bytes(text: str, argv: tuple[str, ...]) -> None:
    assert parse(text).argv == argv
