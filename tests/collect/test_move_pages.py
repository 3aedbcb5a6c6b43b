"""The kernel's answers about single pages; they are those of this host's kernel."""

import ctypes
import errno
import mmap
import os
import subprocess
import sys

import pytest

from numaaudit.collect.move_pages import move_pages

PAGE = mmap.PAGESIZE


@pytest.fixture
def memory():
    """64 pages, and the address of the first."""
    area = mmap.mmap(-1, 64 * PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    return area, ctypes.addressof(ctypes.c_char.from_buffer(area))


def test_a_page_that_was_written_is_on_a_numa_node_and_one_that_was_not_is_on_none(memory):
    area, start = memory
    area[3 * PAGE] = 1
    touched, untouched = move_pages(os.getpid(), [start + 3 * PAGE, start + 5 * PAGE])

    assert touched >= 0
    assert untouched in (-errno.ENOENT, -errno.EFAULT)


def test_a_page_that_was_only_read_is_the_zero_page_which_belongs_to_nobody(memory):
    area, start = memory
    assert area[0] == 0

    assert move_pages(os.getpid(), [start]) == [-errno.EFAULT]


def test_an_address_that_is_not_mapped_is_an_answer_and_no_error():
    assert move_pages(os.getpid(), [PAGE]) == [-errno.EFAULT]


def test_no_pages_are_no_answers():
    assert move_pages(os.getpid(), []) == []


def test_a_process_that_is_not_there_is_an_error():
    with pytest.raises(OSError) as caught:
        move_pages(2**22 + 1, [PAGE])

    assert caught.value.errno == errno.ESRCH


def test_without_the_right_to_read_the_process_it_is_refused():
    """As nobody about init where the tests run as root, else as oneself about init."""
    code = (
        "import ctypes, os\n"
        "from numaaudit.collect.move_pages import move_pages\n"
        "if os.geteuid() == 0: os.setresgid(65534, 65534, 65534); os.setresuid(65534, 65534, 65534)\n"
        "try: move_pages(1, [4096])\n"
        "except OSError as error: print(error.errno)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert int(done.stdout) == errno.EPERM
