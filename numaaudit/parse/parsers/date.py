"""``date`` (coreutils) in the C locale or as ISO 8601: when a transcript was made."""

import re
from typing import NamedTuple

from numaaudit.core.errors import ParseError
from numaaudit.parse.parser import Parser
from numaaudit.parse.text import lines_of

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DAY = r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
_TIME = r"(\d\d:\d\d:\d\d)"
_PLAIN = rf"[ \t]*{_DAY} ({'|'.join(_MONTHS)}) {{1,2}}(\d{{1,2}}) {_TIME}(?: [AP]M)? ([A-Z]{{2,5}}|[+-]\d\d) (\d{{4}})[ \t]*"
_ISO = rf"[ \t]*(\d{{4}}-\d\d-\d\d)T{_TIME}(Z|[+-]\d\d:?\d\d)[ \t]*"


class Date(NamedTuple):
    """``utc``: ``2026-11-26T10:15:00Z``, None where the zone is another one."""

    utc: str | None


def parse(text: str) -> Date:
    """ParseError where no line is a date."""
    for line in lines_of(text):
        plain, iso = re.fullmatch(_PLAIN, line), re.fullmatch(_ISO, line)
        if iso:
            return Date(f"{iso[1]}T{iso[2]}Z" if iso[3] in ("Z", "+00:00", "+0000") else None)
        if plain:
            month, day, time, zone, year = plain.groups()
            known = zone in ("UTC", "GMT") and "M " not in line
            return Date(f"{year}-{_MONTHS.index(month) + 1:02}-{int(day):02}T{time}Z" if known else None)
    raise ParseError("no line of date", 1)


PARSER = Parser(parse, reads=(), looks_like=rf"^(?:{_PLAIN}|{_ISO})$")
