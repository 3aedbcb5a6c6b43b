"""A comparison as one self-contained page: no script, no network, everything foreign escaped."""

from numaaudit import __version__
from numaaudit.report.as_html import load_template
from numaaudit.report.compare_page import ComparePage


def compare_html(page: ComparePage) -> str:
    """The whole document."""
    return load_template("compare.html.j2").render(page=page, version=__version__)
