import pytest

from numaaudit.core.cpuset import CpuSet
from numaaudit.core.errors import ParseError
from numaaudit.parse.parsers.kernel_cmdline import HugepagePool, IsolatedCpus, KernelCmdline, parse

GIB, MIB = 1 << 30, 1 << 20


@pytest.mark.parametrize(
    ("text", "parameters"),
    [
        ("BOOT_IMAGE=/vmlinuz ro numa=off\n", (("BOOT_IMAGE", "/vmlinuz"), ("ro", None), ("numa", "off"))),
        ('dyndbg="file a.c +p; x" quiet', (("dyndbg", "file a.c +p; x"), ("quiet", None))),
        ("iommu=pt -- init=/x single\0", (("iommu", "pt"),)),
        ("root=UUID=1-2 console=", (("root", "UUID=1-2"), ("console", ""))),
    ],
)
def test_the_words_give_the_parameters(text: str, parameters: tuple[tuple[str, str | None], ...]) -> None:
    assert parse(text) == KernelCmdline(parameters)


@pytest.mark.parametrize("text", ["", "\n", "\0", "-- single"])
def test_a_text_without_parameters_is_refused(text: str) -> None:
    with pytest.raises(ParseError):
        parse(text)


def test_the_last_value_counts_and_a_word_without_one_is_there() -> None:
    cmdline = parse("numa_balancing=enable nosmt numa_balancing=disable\n")
    assert (cmdline.get("numa_balancing"), cmdline.get("nosmt"), cmdline.has("nosmt"), cmdline.has("numa")) == (
        "disable",
        None,
        True,
        False,
    )


@pytest.mark.parametrize(
    ("value", "isolated"),
    [
        ("isolcpus=2-7", IsolatedCpus((), CpuSet.parse("2-7"))),
        ("isolcpus=nohz,domain,managed_irq,2-3,6", IsolatedCpus(("nohz", "domain", "managed_irq"), CpuSet.parse("2-3,6"))),
        ("isolcpus=0-62:2/4", IsolatedCpus((), CpuSet.parse("0-62:2/4"))),
        ("isolcpus=domain,all", IsolatedCpus(("domain",), None)),
        ("isolcpus=1-N", IsolatedCpus((), None)),
        ("ro", None),
    ],
)
def test_isolated_cpus_come_with_their_flags(value: str, isolated: IsolatedCpus | None) -> None:
    assert parse(value).isolated == isolated


@pytest.mark.parametrize(("text", "cpus"), [("nohz_full=1-3", CpuSet.parse("1-3")), ("nohz_full=all", None), ("ro", None)])
def test_cpus_without_a_tick_are_read(text: str, cpus: CpuSet | None) -> None:
    assert parse(text).nohz_full == cpus


@pytest.mark.parametrize(
    ("text", "pools"),
    [
        ("hugepages=16", (HugepagePool(None, None, 16),)),
        ("hugepagesz=1G hugepages=0:4,1:2 hugepagesz=2M hugepages=512",
         (HugepagePool(GIB, 0, 4), HugepagePool(GIB, 1, 2), HugepagePool(2 * MIB, None, 512))),
        ("hugepagesz=huge hugepages=2", (HugepagePool(None, None, 2),)),
        ("hugepages=many hugepages=0:x", ()),
    ],
)  # fmt: skip
def test_huge_page_pools_have_the_size_before_them(text: str, pools: tuple[HugepagePool, ...]) -> None:
    assert parse(text).hugepages == pools
