"""Recorded machines and tool outputs from elsewhere are read only where NUMAAUDIT_CORPORA names them."""

import os

collect_ignore = [] if os.environ.get("NUMAAUDIT_CORPORA") else ["test_corpora.py"]
