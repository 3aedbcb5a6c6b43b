"""What the script asks of the redaction lists, as shell functions: one ``case`` each, so that no list is searched by a program."""

from __future__ import annotations

import re
from shlex import quote
from typing import Dict, Iterable, Iterator, List

from numaaudit.bundle import redact_lists as lists
from numaaudit.bundle.redact import RULES
from numaaudit.bundle.redact_settings import KERNEL_LINES
from numaaudit.bundle.redact_text import SECRET_WORDS, TOKENS

_WIDTH = 120

# Shapes of which one alone makes a line of a command's output a secret's. An extended regular expression of POSIX looks neither
# back nor ahead, so each takes no less than the expression of redact_text.py it stands for.
_SHAPES = (
    SECRET_WORDS.decode(),
    TOKENS.decode(),
    r"://[^[:space:]/@]+@",
    r"[\w.+-]+@[A-Za-z0-9-]+\.[A-Za-z]",
    r"bearer ",
    r"/(home|users)/[^[:space:]]",
)
# The same where capital letters count. Before each line there is its number and a colon.
_NAMES = (
    r"(^|[^\w-])[A-Z_][A-Z0-9_]{2,}=[^[:space:]]",
    r" file=[^[:space:]]",
    r"^[0-9]+:[0-9a-f]+-[0-9a-f]+ [rwxsp-]{4,5} ",
    r"^[0-9]+:[[:blank:]]+Name +: |<process_name>",
    r"^[0-9]+:\|.* (C|G|C\+G|M\+C|M) .*\|",
)


def list_functions() -> Iterator[str]:
    """The functions that redaction calls by name, and what it is counted by."""
    yield _is_one_of("is_listed_variable", lists.ENVIRONMENT)
    yield _is_one_of("is_kernel_parameter", lists.KERNEL_PARAMETERS)
    yield _is_one_of("is_pseudo_file_system", lists.PSEUDO_FILE_SYSTEMS)
    yield _is_one_of("is_known_extension", lists.FILE_EXTENSIONS)
    yield _is_one_of("is_starter", lists.STARTERS)
    yield _is_one_of("is_subcommand", lists.SUBCOMMANDS)
    yield _option_kind()
    yield "redaction_kinds=%s" % quote("\n".join(sorted({rule.kind for rule in RULES})))
    yield "secret_shapes=%s" % quote("|".join(map(posix, _SHAPES)))
    yield "kernel_lines=%s" % quote(posix(KERNEL_LINES.decode()))
    yield "secret_names=%s" % quote("|".join(map(posix, _NAMES)))


def posix(expression: str) -> str:
    """An expression of re as an extended one of POSIX, without what that cannot say: it matches no less."""
    text = re.sub(r"\(\?<?!(?:[^()\\]|\\.)*\)", "", expression).replace("(?:", "(")
    text = re.sub(r"\[([^\]]*)\\w([^\]]*)\]", r"[\1A-Za-z0-9_\2]", text)
    return text.replace(r"\w", "[A-Za-z0-9_]").replace(r"\b", "(^|[^A-Za-z0-9_])")


def _is_one_of(name: str, words: Iterable[str]) -> str:
    return "%s() {\n    case $1 in\n%s\n        *) return 1 ;;\n    esac\n}" % (name, _arm(sorted(words), ";;"))


def _option_kind() -> str:
    """``option_kind LONG "PROGRAM SHORT"``: sets kind, as CommandLine of redact_argv.py looks it up."""
    short = {"%s %s" % (program, name): kind for program, options in lists.SHORT_OPTIONS.items() for name, kind in options.items()}
    arms = "\n".join(_kinds("1", lists.LONG_OPTIONS)), "\n".join(_kinds("2", short))
    return "option_kind() {\n    kind=''\n%s\n    [ -z \"$kind\" ] || return 0\n%s\n}" % arms


def _kinds(argument: str, kinds: Dict[str, str]) -> Iterator[str]:
    yield "    case $%s in" % argument
    for kind in sorted(set(kinds.values())):
        yield _arm(sorted(name for name, each in kinds.items() if each == kind), "kind=%s ;;" % kind)
    yield "    esac"


def _arm(words: List[str], action: str) -> str:
    """One arm of a ``case`` for all these words."""
    lines = [""]
    for word in words:
        part = "%s | " % quote(word)
        if len(lines[-1]) + len(part) > _WIDTH:
            lines.append("")
        lines[-1] += part
    return "        " + " \\\n            ".join(line.rstrip() for line in lines)[: -len(" |")] + ") " + action
