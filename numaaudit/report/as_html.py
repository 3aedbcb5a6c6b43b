"""The report as one self-contained page: no script, no network, everything foreign escaped."""

from functools import cache

from jinja2 import Environment, FunctionLoader, StrictUndefined, Template

from numaaudit import __version__
from numaaudit.core.resources import template
from numaaudit.core.visible import visible
from numaaudit.report.page import Page


def html(page: Page) -> str:
    """The whole document."""
    return load_template("report.html.j2").render(page=page, version=__version__)


@cache
def load_template(name: str) -> Template:
    """A template of ours that escapes everything."""
    # select_autoescape looks at the end of the name and would leave ``report.html.j2`` unescaped
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, loader=FunctionLoader(template), trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["visible"] = visible
    return environment.get_template(name)
