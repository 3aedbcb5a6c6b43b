"""Foreign text for a terminal: what would move the cursor, hide or reorder text is shown, not obeyed."""

from __future__ import annotations

import re

# C0 and C1 controls and DEL but not newline and tab; zero-width, bidi controls and the byte order mark (Unicode UAX 9)
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")


def visible(text: str) -> str:
    """The text with every unsafe character as ``\\xNN`` or ``\\uNNNN``."""
    return _UNSAFE.sub(lambda match: _escape(match[0]), text)


def one_line(text: str) -> str:
    """The same on one line: newlines and tabs become blanks."""
    return visible(re.sub(r"[\r\n\t]+", " ", text))


def _escape(char: str) -> str:
    return ("\\x%02x" if ord(char) < 256 else "\\u%04x") % ord(char)
