"""PCI addresses: one device, many spellings."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from numaaudit.core.errors import ParseError
from numaaudit.core.pci import PciAddress

addresses = st.builds(PciAddress, st.integers(0, 0xFFFFFFFF), st.integers(0, 255), st.integers(0, 31), st.integers(0, 7))


@pytest.mark.parametrize("text", ["0000:c1:00.0", "00000000:C1:00.0", "0000:C1:00.0", "c1:00.0", " 0000:c1:00.0\n"])
def test_all_spellings_are_one_address(text):
    assert PciAddress.parse(text) == (0, 0xC1, 0, 0)


@pytest.mark.parametrize("text", ["", "c1:00", "0000:c1:20.0", "0000:c1:00.8", "0000:c1:00.0.1", "x:c1:00.0", "000000000:c1:00.0"])
def test_refuses_what_is_no_address(text):
    with pytest.raises(ParseError):
        PciAddress.parse(text)


@given(addresses)
def test_an_address_reads_back(address):
    assert PciAddress.parse(str(address)) == address


def test_order_is_by_number():
    assert max(map(PciAddress.parse, ("10000:01:00.0", "0000:0a:00.0", "0000:09:00.0"))) == PciAddress.parse("10000:01:00.0")


def test_kfd_packs_bus_and_function():
    assert str(PciAddress.from_kfd(0, 0x6300)) == "0000:63:00.0"


def test_a_slot_has_no_function():
    assert PciAddress.parse("0000:c1:00.3").slot == "0000:c1:00"
