"""A rule's page is the docstring of its file: a title and seven headings, none of them empty."""

import re

HEADINGS = ("What it checks", "Why it matters", "Evidence", "How to fix", "How to verify", "False positives", "References")


def sections(page: str) -> dict[str, str]:
    """Heading to text. ValueError if a heading is missing, empty, unknown or out of order."""
    parts = re.split(r"^## (.+)$", page, flags=re.M)
    found = dict(zip(parts[1::2], (text.strip() for text in parts[2::2]), strict=True))
    if tuple(found) != HEADINGS:
        raise ValueError(f"headings are {list(found)}, not {list(HEADINGS)}")
    for heading, text in found.items():
        if not text:
            raise ValueError(f"{heading!r} is empty")
    return found


def title(page: str) -> str:
    """The first line without its mark: ``rank-cpus-off-gpu-node (NA201)``."""
    return page.strip().splitlines()[0].lstrip("# ").strip()


def summary(page: str) -> str:
    """The first paragraph below the title on one line: the problem in the reader's words."""
    return " ".join(page.strip().split("\n\n")[1].split())
