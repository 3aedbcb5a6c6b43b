"""``python -m numaaudit`` before the command line itself is there."""

import os
import subprocess
import sys


def test_ctrl_c_while_modules_are_loaded_is_no_traceback(tmp_path):
    (tmp_path / "typer.py").write_text("raise KeyboardInterrupt\n")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])}
    ended = subprocess.run([sys.executable, "-m", "numaaudit"], capture_output=True, env=environment, check=False, timeout=60)

    assert (130, b"") == (ended.returncode, ended.stderr)
