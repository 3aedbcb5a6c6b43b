"""Refused affinity calls as strace and Python print them."""

import pytest

from numaaudit.core.cpuset import CpuSet
from numaaudit.parse.parsers.refused_affinity import PARSER, parse


def told(text):
    return [(claim.kind, claim.pid, claim.rank, str(claim.cpus), claim.line) for claim in parse(text).claims]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("sched_setaffinity(0, 16, [110])         = -1 EINVAL (Invalid argument)", ("refused", None, None, "110", 1)),
        ("[pid 77] sched_setaffinity(77, 128, [4, 5, 6]) = -1 EINVAL (Invalid argument)", ("refused", 77, None, "4-6", 1)),
        ("rank 2: cpus 64-95: OSError: [Errno 22] Invalid argument", ("refused", None, 2, "64-95", 1)),
        ("cpu 3: [Errno 1] Operation not permitted", ("refused", None, None, "3", 1)),
    ],
)
def test_a_refused_call_is_a_claim(line, expected):
    assert told(f"{line}\n") == [expected]


ONNX = (
    "[E:onnxruntime:Default, env.cc:226 ThreadMain] pthread_setaffinity_np failed for thread: 7, index: {}, mask: {{{}, }}, error code: {}"
)


@pytest.mark.parametrize(
    ("lines", "launcher"),
    [
        ((ONNX.format(83, 84, 22), ONNX.format(85, 86, 22)), "onnxruntime"),
        (("OMP: Warning #123: Ignoring invalid OS proc ID 84.", "OMP: Warning #123: Ignoring invalid OS proc ID 86."), "OpenMP"),
        (
            (
                "OMP: Warning #124: OMP_PLACES: ignoring invalid OS proc ID 84.",
                "OMP: Warning #124: OMP_PLACES: ignoring invalid OS proc ID 86.",
            ),
            "OpenMP",
        ),
    ],
)
def test_a_runtimes_lines_are_one_claim_of_all_their_cpus(lines, launcher):
    [claim] = parse("\n".join(("start", *lines, ""))).claims

    assert (claim.launcher, claim.kind, claim.role, str(claim.cpus), claim.line) == (launcher, "refused", "sched_setaffinity", "84,86", 2)


def test_each_process_has_a_claim_of_its_own():
    lines = [f"(Worker pid={pid}) OMP: Warning #123: Ignoring invalid OS proc ID {pid - 6}." for pid in (7, 8)]

    assert told("\n".join(lines)) == [("refused", 7, None, "1", 1), ("refused", 8, None, "2", 2)]


@pytest.mark.parametrize(
    "line",
    [ONNX.format(3, 4, 0), "sched_setaffinity(0, 16, [110]) = 0", "rank 0: cpus 0-31: started", "OSError: [Errno 22] Invalid argument", ""],
)
def test_other_lines_say_nothing(line):
    assert told(line) == []


def test_a_list_that_is_too_large_gives_no_cpus():
    assert parse("cpus 0-99999999: OSError: [Errno 22] Invalid argument\n").claims[0].cpus is None


def test_it_is_recognised_in_a_pasted_text():
    text = "$ strace app\nsched_setaffinity(0, 16, [110]) = -1 EINVAL (Invalid argument)\n"

    assert [match.start() for match in PARSER.matches(text)] == [text.index("sched")]
    assert parse(text).claims[0].cpus == CpuSet([110])
