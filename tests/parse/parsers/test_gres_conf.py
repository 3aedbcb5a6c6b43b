"""What gres.conf says of devices and cores."""

import pytest

from numaaudit.core.cpuset import CpuSet
from numaaudit.core.errors import ParseError
from numaaudit.parse.parsers.gres_conf import GresConf, GresLine, expand, parse


@pytest.mark.parametrize(
    ("text", "record"),
    [
        (
            "# GPUs\nName=gpu Type=h100 File=/dev/nvidia[0-1] Cores=0-3,8\n",
            GresConf(None, (GresLine("gpu", (), ("/dev/nvidia0", "/dev/nvidia1"), CpuSet([0, 1, 2, 3, 8]), 2),)),
        ),
        (
            "nodename=gpu[09-10],big name=gpu file=/dev/nvidia0 CPUs=4 # old\n",
            GresConf(None, (GresLine("gpu", ("gpu09", "gpu10", "big"), ("/dev/nvidia0",), CpuSet([4]), 1),)),
        ),
        ("AutoDetect=NVML\nName=gpu File=/dev/nvidia0\n", GresConf("nvml", (GresLine("gpu", (), ("/dev/nvidia0",), None, 2),))),
        ("AutoDetect=off\n", GresConf(None, ())),
        ("\n\n", GresConf(None, ())),
    ],
)
def test_each_line_is_a_resource(text, record):
    assert parse(text) == record


@pytest.mark.parametrize(
    ("expression", "names"), [("", []), ("a", ["a"]), ("a,b[1,3-4]", ["a", "b1", "b3", "b4"]), ("b[1-2]-x", ["b1-x", "b2-x"])]
)
def test_an_expression_names_hosts_and_files(expression, names):
    assert list(expand(expression)) == names


@pytest.mark.parametrize("text", ["Name=gpu File=/dev/nvidia[0-99999999]", "Name=gpu File=/dev/nvidia[1--2]", "Name=gpu Cores=a-b"])
def test_a_list_that_is_none_is_refused(text):
    with pytest.raises(ParseError):
        parse(text)


def test_a_file_of_millions_of_names_is_refused():
    with pytest.raises(ParseError, match="line 257: more than 262144 names"):
        parse("Name=gpu NodeName=gpu[0-1023]\n" * 256 + "Name=gpu NodeName=gpu[0-1023]\n" * 5000)
