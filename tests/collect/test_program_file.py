import stat

import pytest

from numaaudit.collect.program_file import write_program
from numaaudit.core.errors import TargetExistsError


def test_a_new_file_can_be_run_and_is_named(tmp_path):
    target = tmp_path / "collector"

    assert write_program(str(target), b"#!/bin/sh\n", "a shell") == ["%s: 10 B, runs with a shell" % target]
    assert (target.read_bytes(), stat.S_IMODE(target.stat().st_mode)) == (b"#!/bin/sh\n", 0o755)


def test_a_dash_is_standard_output_and_nothing_is_said(capfdbinary):
    assert write_program("-", b"#!/bin/sh\n", "a shell") == []
    assert capfdbinary.readouterr().out == b"#!/bin/sh\n"


def test_a_file_that_is_there_stays(tmp_path):
    (tmp_path / "mine").write_text("mine")

    with pytest.raises(TargetExistsError):
        write_program(str(tmp_path / "mine"), b"", "a shell")
    assert (tmp_path / "mine").read_text() == "mine"
