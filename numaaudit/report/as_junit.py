"""JUnit's XML, as CI servers read it: one suite a gate, one case for each rule and subject that was judged.

A case fails where ``check`` exits 1 for it; a failure below ``--fail-on``, waived or in the baseline is in the case's output. What cannot
be judged is skipped, with the gaps: it did not pass.
"""

import re
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from numaaudit.report.view import Shown, gap_text, shown
from numaaudit.rules.engine import Audit
from numaaudit.rules.finding import Gate, Outcome

# What XML 1.0 cannot hold (its production Char), and what reorders text in a viewer
_NOT_XML = re.compile("[^\t\n\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|[\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")
_CASES = frozenset({Outcome.PASS, Outcome.FAIL, Outcome.UNKNOWN, Outcome.ERROR})


def junit(audit: Audit, failing: frozenset[str]) -> str:
    """The document; ``failing`` are the ids of the findings that make ``check`` exit 1."""
    suites = Element("testsuites", name="numaaudit")
    items = shown(audit, _CASES)
    for gate in Gate:
        of_gate = [item for item in items if item.finding.rule.gate is gate]
        if of_gate:
            _suite(suites, gate, of_gate, failing)
    indent(suites)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + tostring(suites, encoding="unicode") + "\n"


def _suite(suites: Element, gate: Gate, items: list[Shown], failing: frozenset[str]) -> None:
    counts = {
        "tests": len(items),
        "failures": sum(item.finding.id in failing for item in items),
        "errors": sum(item.outcome is Outcome.ERROR for item in items),
        "skipped": sum(item.outcome is Outcome.UNKNOWN for item in items),
    }
    suite = SubElement(suites, "testsuite", {"name": gate.value} | {name: str(count) for name, count in counts.items()})
    for item in items:
        name = f"{item.finding.rule.code} {item.subject}"
        _fill(SubElement(suite, "testcase", classname=f"numaaudit.{item.finding.name}", name=_xml(name)), item, failing)


def _fill(case: Element, item: Shown, failing: frozenset[str]) -> None:
    if item.finding.id in failing:
        SubElement(case, "failure", type=item.severity.value, message=_xml(item.message)).text = _xml(_details(item))
    elif item.outcome is Outcome.ERROR:
        SubElement(case, "error", message=_xml(item.message))
    elif item.outcome is Outcome.UNKNOWN:
        gaps = "; ".join(gap_text(gap) for gap in item.finding.judgement.gaps)
        SubElement(case, "skipped", message=_xml(f"cannot be judged: {gaps or 'evidence is missing'}"))
    elif item.outcome is Outcome.FAIL:
        SubElement(case, "system-out").text = _xml(f"{item.severity.value}: {item.message}\n{_details(item)}")


def _details(item: Shown) -> str:
    lines = [f"{evidence.file.origin}{f':{evidence.line}' if evidence.line else ''}: {evidence.text}" for evidence in item.evidence]
    return "\n".join([*lines, *([f"fix: {item.fix}"] if item.fix else []), *item.commands])


def _xml(text: str) -> str:
    return _NOT_XML.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
