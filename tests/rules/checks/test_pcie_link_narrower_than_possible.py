"""NA402: a PCI Express link with fewer lanes than possible."""

import pytest

from numaaudit.rules.finding import Confidence, Outcome

GPU = "root/sys/devices/pci0000:97/0000:97:01.0/0000:98:00.0"
PORT = "root/sys/devices/pci0000:97/0000:97:01.0"
FIRST = ("gpu:0000:17:00.0", "not_applicable")


def linked(entries, current, most, of_port=None):
    """The entries with a link of the second GPU, and of the port above it."""
    changed = entries | {f"{GPU}/current_link_width": f"{current}\n", f"{GPU}/max_link_width": f"{most}\n"}
    if of_port is not None:
        changed |= {
            "root/sys/bus/pci/devices/0000:97:01.0": "@../../../devices/pci0000:97/0000:97:01.0",
            f"{PORT}/class": "0x060400\n",
            f"{PORT}/max_link_width": f"{of_port}\n",
        }
    return changed


@pytest.fixture
def entries(root):
    return {path: text for path, text in root("2p-2n-2g").items() if "_link_" not in path}


@pytest.mark.parametrize(("current", "most", "of_port"), [(16, 16, None), (8, 16, 8), (16, 16, 16)])
def test_silent_where_all_possible_lanes_run(entries, build, outcomes, current, most, of_port):
    assert outcomes(build(linked(entries, current, most, of_port)), "NA402") == {FIRST, ("gpu:0000:98:00.0", "pass")}


def test_half_the_lanes_are_a_note(entries, build, judge):
    (failure,) = [each for each in judge(build(linked(entries, 8, 16, 16)), "NA402") if each.outcome is Outcome.FAIL]

    assert (failure.subject, failure.confidence, failure.related) == ("gpu:0000:98:00.0", Confidence.LIKELY, ("rank:1",))
    assert (failure.facts["width"], failure.facts["max_width"]) == (8, 16)
    assert [(each.path.rpartition("/")[2], each.text) for each in failure.evidence] == [
        ("current_link_width", "8"),
        ("max_link_width", "16"),
    ]


def test_silent_without_a_link(entries, build, outcomes):
    assert outcomes(build(entries), "NA402") == {FIRST, ("gpu:0000:98:00.0", "not_applicable")}


@pytest.mark.parametrize("unsaid", [63, 0, 255])
def test_unknown_where_the_hardware_does_not_say(entries, build, outcomes, unsaid):
    assert outcomes(build(linked(entries, unsaid, 16)), "NA402") == {FIRST, ("gpu:0000:98:00.0", "unknown")}
