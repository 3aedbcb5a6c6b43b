import pytest

from numaaudit.core.errors import ParseError
from numaaudit.parse.parsers.nvidia_params import NvidiaParams, parse


@pytest.mark.parametrize(
    ("text", "record"),
    [
        ('ResmanDebugLevel: 4294967295\nExcludedGpus: ""\nCoherentGPUMemoryMode: "driver"\n', NvidiaParams("driver", None)),
        ('GpuBlacklist: "GPU-1"\nCoherentGPUMemoryMode: ""\n\0', NvidiaParams(None, "GPU-1")),
        ("ResmanDebugLevel: 1\n", NvidiaParams(None, None)),
    ],
)
def test_the_parameters_give_the_record(text: str, record: NvidiaParams) -> None:
    assert parse(text) == record


@pytest.mark.parametrize("text", ["", "prose\n"])
def test_a_text_without_parameters_is_refused(text: str) -> None:
    with pytest.raises(ParseError):
        parse(text)
