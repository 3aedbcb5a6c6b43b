"""Red Hat Insights archive: ``insights_commands/COMMAND`` beside the copied files (insights-core, ``insights.util.mangle``)."""

from __future__ import annotations

from typing import Optional

from numaaudit.bundle.adapters import Adapter, command_output


def _bundle_path(path: str) -> Optional[str]:
    return None if "/" in path else command_output(path)


ADAPTER = Adapter(marker="insights_commands", bundle_path=_bundle_path)
