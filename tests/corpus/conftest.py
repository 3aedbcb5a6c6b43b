"""Recorded machines of other people are read only where NUMAAUDIT_CORPORA names the folder that has them."""

import os

collect_ignore_glob = [] if os.environ.get("NUMAAUDIT_CORPORA") else ["test_*.py"]
