import os
import signal

import pytest

from numaaudit.collect.interrupt import Interrupt


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_signal_asks_and_the_second_raises(number):
    with Interrupt() as interrupt:
        before = interrupt()
        os.kill(os.getpid(), number)
        after = interrupt()
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)

    assert (before, after) == (False, True)


def test_the_handlers_are_as_before_once_it_is_left():
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    with Interrupt():
        pass

    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before
