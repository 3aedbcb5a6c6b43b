"""Processes of held_process.py, for as long as a block runs."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path


class Target:
    """``Target(threads, mappings, mib)``."""

    def __init__(self, *arguments: int) -> None:
        argv = (sys.executable, str(Path(__file__).with_name("held_process.py")), *map(str, arguments))
        self._process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.pid = self._process.pid
        self._answer()

    def __enter__(self) -> "Target":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def longest_mapping_ms(self, attempt: Callable[[], object]) -> float:
        """The longest time that mapping and unmapping a page took during an attempt."""
        self._say("start")
        attempt()
        self._say("stop")
        return float(self._answer())

    def _say(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def _answer(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline()
