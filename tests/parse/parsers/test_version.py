import pytest

from numaaudit.core.errors import ParseError
from numaaudit.parse.parsers.version import KernelVersion, parse


@pytest.mark.parametrize(
    ("text", "record"),
    [
        (
            "Linux version 5.15.0-113-generic (build@builder) (gcc 12.3.0) #123-Ubuntu SMP\n",
            KernelVersion("5.15.0-113-generic", (5, 15, 0)),
        ),
        ("Linux version 6.12\n", KernelVersion("6.12", (6, 12))),
        ("Linux version 2.6.32-754.el6.x86_64 (mock)\0", KernelVersion("2.6.32-754.el6.x86_64", (2, 6, 32))),
        ("Linux version 6.1.192+ (x@y)", KernelVersion("6.1.192+", (6, 1, 192))),
    ],
)
def test_the_release_gives_numbers_to_compare(text: str, record: KernelVersion) -> None:
    assert parse(text) == record


@pytest.mark.parametrize("text", ["", "Linux version", "FreeBSD 14.0\n", "Linux version six\n"])
def test_another_text_is_refused(text: str) -> None:
    with pytest.raises(ParseError):
        parse(text)
