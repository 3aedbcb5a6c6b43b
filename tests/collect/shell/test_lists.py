import re
import subprocess

import pytest

from numaaudit.bundle import redact_lists as lists
from numaaudit.collect.shell.lists import list_functions, posix


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (r"(?<![\w-])(?:a|b\w{2,})", "(a|b[A-Za-z0-9_]{2,})"),
        (r"[\w.+-]+@", "[A-Za-z0-9_.+-]+@"),
        (r"[^\w-]x(?!\)y)", "[^A-Za-z0-9_-]x"),
        (r"\bAER: ", "(^|[^A-Za-z0-9_])AER: "),
    ],
)
def test_an_expression_becomes_one_of_posix(expression, expected):
    assert posix(expression) == expected


def test_each_list_is_a_function_that_knows_all_of_it_and_nothing_else(shell):
    functions = "\n".join(list_functions())
    names = {"is_listed_variable": lists.ENVIRONMENT, "is_starter": lists.STARTERS, "is_kernel_parameter": lists.KERNEL_PARAMETERS}
    for name, words in names.items():
        asked = [*sorted(words), "", "*", "API_KEY", "PYTHON"]
        loop = 'for word do if %s "$word"; then echo "$word"; fi; done' % name
        done = subprocess.run([*shell, "-c", functions + "\n" + loop, "sh", *asked], capture_output=True, text=True, check=True)
        assert done.stdout.split() == sorted(words)


def test_the_kind_of_an_option_is_looked_up_as_redaction_does(shell):
    functions = "\n".join(list_functions())
    asked = [("--tp", "x --tp"), ("--numa", "x --numa"), ("", "numactl -l"), ("", "vllm -l"), ("--api-key", "vllm --api-key")]
    loop = 'while [ $# -gt 0 ]; do option_kind "$1" "$2"; echo "$kind"; shift 2; done'
    words = [word for pair in asked for word in pair]
    done = subprocess.run([*shell, "-c", functions + "\n" + loop, "sh", *words], capture_output=True, text=True, check=True)

    assert done.stdout.splitlines() == ["list", "word", "flag", "", ""]


def test_no_secret_shape_needs_more_than_posix_has():
    texts = [line for line in list_functions() if re.match(r"secret_|kernel_", line)]

    assert len(texts) == 3
    assert [text for text in texts if re.search(r"\(\?|\\[wsdbS]", text)] == []
