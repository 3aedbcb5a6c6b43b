"""Coverage-guided fuzzing of every parser (``make fuzz``): any text gives a record or a ParseError.

Runs until ``-max_total_time`` seconds; what breaks is written by libFuzzer as ``crash-…`` and belongs into that parser's test.
"""

import sys

import atheris

with atheris.instrument_imports(include=["numaaudit"]):
    from numaaudit.core.errors import ParseError
    from numaaudit.parse.runner import parsers_by_record

    # discovery imports the parsers, so it has to happen where imports are instrumented
    PARSERS = [parser for parsers in parsers_by_record().values() for parser in parsers]


def test_one_input(data: bytes) -> None:
    """The first byte chooses the parser, the rest is its text."""
    if not data:
        return
    parser = PARSERS[data[0] % len(PARSERS)]
    try:
        parser.parse(data[1:].decode("utf-8", "backslashreplace"))
    except ParseError:
        return


atheris.Setup(sys.argv, test_one_input)
atheris.Fuzz()
