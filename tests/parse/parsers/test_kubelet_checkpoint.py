import pytest

from numaaudit.core.errors import ParseError
from numaaudit.parse.parsers.kubelet_checkpoint import DeviceAssignment, KubeletCheckpoint, parse

TEXT = (
    '{"Data":{"PodDeviceEntries":[{"PodUID":"0f1e","ContainerName":"engine","ResourceName":"nvidia.com/gpu","DeviceIDs":{"1":["GPU-a","GPU-b"],'
    '"-1":["GPU-c"]},"AllocResp":"U0VDUkVU"}],"RegisteredDevices":{"nvidia.com/gpu":["GPU-a","GPU-b","GPU-c"],"x/nic":null}},"Checksum":1}'
)
REGISTERED = (("nvidia.com/gpu", ("GPU-a", "GPU-b", "GPU-c")), ("x/nic", ()))


@pytest.mark.parametrize(
    ("text", "record"),
    [
        (
            TEXT,
            KubeletCheckpoint(
                (DeviceAssignment("0f1e", "engine", "nvidia.com/gpu", ((1, ("GPU-a", "GPU-b")), (None, ("GPU-c",)))),), REGISTERED
            ),
        ),
        (
            TEXT.replace('{"1":["GPU-a","GPU-b"],"-1":["GPU-c"]}', '["GPU-a"]') + "[root@host]#",
            KubeletCheckpoint((DeviceAssignment("0f1e", "engine", "nvidia.com/gpu", ((None, ("GPU-a",)),)),), REGISTERED),
        ),
        ('{"Data":{"PodDeviceEntries":null,"RegisteredDevices":{}},"Checksum":1}', KubeletCheckpoint((), ())),
    ],
)
def test_both_versions_give_the_record(text: str, record: KubeletCheckpoint) -> None:
    assert parse(text) == record


def test_what_containers_were_given_is_not_kept() -> None:
    assert "U0VDUkVU" not in repr(parse(TEXT))


@pytest.mark.parametrize(
    "text", ["", "{}", TEXT[:99], TEXT.replace('"1":[', '"one":['), TEXT.replace('"0f1e"', "7"), TEXT.replace('["GPU-a","GPU-b"]', "[1]")]
)
def test_a_cut_or_impossible_text_is_refused(text: str) -> None:
    with pytest.raises(ParseError):
        parse(text)
