"""Pages in Markdown as wide as the terminal that they are printed on."""

import re
import shutil
import textwrap
from collections.abc import Iterable, Iterator

LEAST_WIDTH = 80
_ITEM = re.compile(r" {0,8}(?:[-*]|\d{1,3}\.) ")


def terminal_width() -> int:
    """Of the terminal at hand, in columns."""
    return max(LEAST_WIDTH, shutil.get_terminal_size().columns)


def reflow(text: str, width: int) -> str:
    """The page with its paragraphs and list items wrapped anew; headings, tables and code stay as they are."""
    return "\n".join(line for paragraph in _paragraphs(text.split("\n")) for line in _wrapped(paragraph, width))


def wrapped(line: str, width: int, hanging: str) -> list[str]:
    """A line as several, without breaking words; the further ones begin with ``hanging``."""
    return textwrap.wrap(line, width, subsequent_indent=hanging, break_long_words=False, break_on_hyphens=False)


def _paragraphs(lines: Iterable[str]) -> Iterator[list[str]]:
    """Lines that belong together; one that has to stay as it is follows an empty text."""
    paragraph: list[str] = []
    is_fenced = False
    for line in lines:
        is_fence = line.startswith("```")
        stays = is_fenced or is_fence or not line.strip() or line.startswith(("#", "|")) or (line.startswith("    ") and not paragraph)
        if paragraph and (stays or _ITEM.match(line)):
            yield paragraph
            paragraph = []
        if stays:
            yield ["", line]
        else:
            paragraph.append(line)
        is_fenced ^= is_fence
    if paragraph:
        yield paragraph


def _wrapped(paragraph: list[str], width: int) -> list[str]:
    first, *more = paragraph
    if not first:
        return more
    item = _ITEM.match(first)
    return wrapped(" ".join([first, *(line.strip() for line in more)]), width, " " * len(item[0]) if item else "")
