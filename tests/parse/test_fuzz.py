"""Every parser, whatever it is given: a record or a ParseError, and in time."""

import contextlib
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from numaaudit.core.errors import ParseError
from numaaudit.core.plugins import discover
from numaaudit.parse.parser import Parser

PARSERS = discover("numaaudit.parse.parsers", "PARSER", Parser)
WORDS = (
    "Name:\t", "Cpus_allowed_list:\t", "/proc/7/status:", "0-3,8", "ff,00000000", " kB", "\n", "\n", "\0", "\t", "  ", " ", ":", "=",
    ",", "-1", "7", "99999999999", "1e400", "\u0663", "00400000 ", "default", "prefer (many)", "bind:0", " file=/dev/shm/x", " huge",
    " N0=5", " kernelpagesize_kB=4", "Node 0 ", "MemTotal:", "HugePages_Total:", "numa_hit ", "CPU0", "processor", "  1: ",
    "PCI-MSIX-0000:81:00.0", "0000:81:00.0", "some avg10=", "Linux version 6.1", "isolcpus=", "GPU0", "mlx5_0", "NV18", "SYS", "X",
    "N/A", "{", "}", "[", "]", '"', '{"policyName":"static"', '"Data":{', "{}", "null", "kind: KubeletConfiguration", "<", ">", "</a>",
    "\x1b[4m", "available: 2 nodes (0-1)", "node distances:", "node   0   1", "10", "pid 7's current affinity list: ", "total=1",
    "anon", "drm-pdev:\t", "flags:", "simd_count 1", "Max locked memory  1  2 bytes", "(", ")", "S 1",
)  # fmt: skip
TEXTS = st.one_of(st.text(max_size=300), st.lists(st.sampled_from(WORDS), max_size=40).map("".join))
KIB = 1024
LIMIT_S = 0.2  # a linear reader takes about 0.02 s for 64 KiB, and machines differ
NEAR_MISSES = (
    "7f0000000000 default file=" + "a" * 64 * KIB, "7f0000000000 " + "a" * 32 * KIB + " " + "a" * 32 * KIB + "!",
    "7f0000000000 default" + " N0=1" * 13 * KIB + "x", "7f0000000000 default\n" * 3 * KIB + "!",
    "Name:\tx\nUmask:" + "\nCpus_allowed:" * 4 * KIB, "Cpus_allowed_list:\t" + " " * 64 * KIB, "/proc/7/status:" * 4 * KIB,
    " " * 64 * KIB + "x", "\n" * 64 * KIB, "\t" * 64 * KIB + "CPU", "  CPU0" + " CPU1" * 13 * KIB, "processor" + "\t" * 64 * KIB,
    "processor : 0\n" * 4 * KIB, "Node 0 MemTotal:" + " " * 64 * KIB, "MemTotal:" + "\t" * 64 * KIB, "Model:" + " " * 64 * KIB,
    "0" * 64 * KIB, "0-1," * 16 * KIB, "f," * 32 * KIB, "0000:81:00." * 6 * KIB, '{"policyName"' + " " * 64 * KIB, '"' * 64 * KIB,
    "{" * 64 * KIB, "a=" * 32 * KIB, "kind: KubeletConfiguration\n" + "a: b\n" * 13 * KIB, "x #" * 21 * KIB,
    "some avg10=" + "0" * 64 * KIB, "isolcpus=" + "0-1," * 16 * KIB, "\x1b[" * 32 * KIB, "[4" * 32 * KIB, "(" * 64 * KIB,
    ")" * 64 * KIB, "available: " + "9" * 64 * KIB, "Max " + "a " * 32 * KIB,
)  # fmt: skip


@pytest.mark.parametrize("name", PARSERS)
@settings(max_examples=40, deadline=None)
@given(text=TEXTS)
def test_any_text_gives_a_record_or_a_parse_error(name: str, text: str) -> None:
    parser = PARSERS[name]
    try:
        record = parser.parse(text)
    except ParseError:
        return
    assert isinstance(record, parser.record)


def cpu_seconds(text: str, parser: Parser) -> float:
    """The least of three tries: what is slow is slow each time."""
    tries = []
    for _ in range(3):
        start = time.process_time()
        with contextlib.suppress(ParseError):
            parser.parse(text)
        list(parser.matches(text))
        tries.append(time.process_time() - start)
        if tries[-1] < LIMIT_S:
            break
    return min(tries)


def is_slow(text: str, parser: Parser) -> bool:
    """From short to long, so that what takes minutes for 64 KiB is seen in a second."""
    return any(cpu_seconds(text[:size], parser) >= LIMIT_S for size in (2 * KIB, 64 * KIB))


@pytest.mark.parametrize("name", PARSERS)
def test_no_text_of_64_kib_takes_long(name: str) -> None:
    assert [text[:40] for text in NEAR_MISSES if is_slow(text, PARSERS[name])] == []
