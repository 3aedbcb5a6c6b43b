"""sosreport: ``sos_commands/PLUGIN/COMMAND`` beside the files copied to their real paths (sos, ``sos/report/plugins``).

A command's name is its path without ``/usr/bin/`` and the like, every run of other characters than letters, digits, ``_``,
``-`` and ``.`` as one ``_`` (``sos.utilities.mangle_command``).
"""

from __future__ import annotations

from typing import Optional

from numaaudit.bundle.adapters import Adapter, command_output


def _bundle_path(path: str) -> Optional[str]:
    parts = path.split("/")
    return command_output(parts[1]) if len(parts) == 2 else None


ADAPTER = Adapter(marker="sos_commands", bundle_path=_bundle_path)
