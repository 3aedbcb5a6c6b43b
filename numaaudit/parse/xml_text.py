"""XML from another host: no entities, no internal subset, no DTD, and not more than the limit for structured texts."""

import re
from typing import TYPE_CHECKING

from numaaudit.bundle.limits import LIMITS
from numaaudit.core.cpuset import CpuSet, NodeSet
from numaaudit.core.errors import ParseError

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_DECLARES = r"<!ENTITY|<!DOCTYPE[^>\[]{0,512}\["


def root_of(text: str, tag: str) -> "Element":
    """The first element called ``tag``, without what stands before and behind it. ParseError for anything that is not plain XML.

    Whatever a DOCTYPE names is never looked at: parsing begins at the element.
    """
    if len(text) > LIMITS.document_bytes:
        raise ParseError(f"more than {LIMITS.document_bytes} characters of XML", 1)
    start, end = text.find(f"<{tag}"), text.rfind(f"</{tag}>")
    if start < 0 or end < start:
        raise ParseError(f"no <{tag}> element", 1)
    before = text.count("\n", 0, start)
    if re.search(_DECLARES, text):
        raise ParseError("an internal subset or an entity is declared", before + 1)
    import xml.etree.ElementTree as ET  # 4 ms at start-up that few inputs need

    try:
        return ET.fromstring(text[start : end + len(tag) + 3])  # noqa: S314  # entities and DTDs are refused above
    except ET.ParseError as error:
        raise ParseError(f"not XML: {error.msg}", before + error.position[0]) from None
    except ValueError as error:  # surrogates, NUL bytes
        raise ParseError(f"not XML: {error}", before + 1) from None


def cpus_of(mask: str | None) -> CpuSet | None:
    """A mask such as ``0x0000ffff,,0xffffffff``, where an empty word is zero; None for no mask, or one without end (``0xf...f``)."""
    try:
        return None if mask is None else CpuSet.from_mask(_filled(mask))
    except ParseError:
        return None


def nodes_of(mask: str | None) -> NodeSet | None:
    """NUMA nodes of a mask in the notation of ``cpus_of``."""
    try:
        return None if mask is None else NodeSet.from_mask(_filled(mask))
    except ParseError:
        return None


def _filled(mask: str) -> str:
    return ",".join(word or "0" for word in mask.strip().split(","))
