"""Ctrl-C and SIGTERM: the first asks for what there is so far, the second for nothing at all."""

from __future__ import annotations

import signal
from types import FrameType, TracebackType
from typing import Any, Dict, Optional, Type

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupt:
    """While entered, the first signal makes the object answer True; a second one raises KeyboardInterrupt where it hits."""

    def __init__(self) -> None:
        self._asked = False
        self._before: Dict[int, Any] = {}

    def __call__(self) -> bool:
        return self._asked

    def __enter__(self) -> Interrupt:
        self._before = {number: signal.signal(number, self._receive) for number in _SIGNALS}
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _receive(self, number: int, frame: Optional[FrameType]) -> None:
        if self._asked:
            raise KeyboardInterrupt
        self._asked = True
