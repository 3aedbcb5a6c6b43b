"""The page names all that decides what a bundle holds, and is printed by a command."""

import re
import subprocess
import sys

import pytest

from numaaudit.bundle import redact_lists
from numaaudit.bundle.redact import RULES, redact
from numaaudit.collect.collector import collectors, purpose
from numaaudit.collect.what_is_kept import page


def quoted(text):
    return set(re.findall(r"`([^`\n]+)`", text))


def listed(title):
    """The names under one heading of the page."""
    return quoted(page().partition("## %s\n" % title)[2].partition("\n## ")[0])


def test_every_declaration_of_a_collector_is_on_it():
    names = quoted(page())
    wanted = [pattern for unit in collectors().values() for pattern in unit.files + unit.links + unit.devices]
    wanted += [" ".join(argv) for unit in collectors().values() for argv in unit.commands]

    assert [pattern for pattern in wanted if not any(name.endswith(pattern) for name in names)] == []
    assert [name for name in collectors() if "- %s: %s\n" % (name, purpose(name)) not in page()] == []


def test_every_rule_of_redaction_is_on_it():
    assert [rule.files for rule in RULES if "- of %s: %s (counted as: %s)\n" % rule[:3] not in page()] == []


@pytest.mark.parametrize(
    ("title", "names"),
    [
        ("Environment variables", redact_lists.ENVIRONMENT),
        ("Kernel parameters", redact_lists.KERNEL_PARAMETERS),
        ("Extensions of mapped files", redact_lists.FILE_EXTENSIONS),
        ("File systems whose mounts are kept whole", redact_lists.PSEUDO_FILE_SYSTEMS),
        ("Programs that start the program whose name is kept too", redact_lists.STARTERS),
        ("Short options of taskset", redact_lists.SHORT_OPTIONS["taskset"]),
    ],
)
def test_the_exact_lists_are_on_it(title, names):
    assert listed(title) == set(names)


def test_no_list_of_names_is_left_out():
    lists = {name: names for name, names in vars(redact_lists).items() if isinstance(names, frozenset)}
    headings = re.findall(r"^## (.+)$", page(), re.M)

    assert [name for name, names in lists.items() if set(names) not in map(listed, headings)] == []


def test_every_long_option_is_on_it_once():
    found = re.findall(r"`(--[a-z-]+)`", page().partition("## Options")[2])

    assert sorted(found) == sorted(redact_lists.LONG_OPTIONS)


def test_a_variable_is_kept_if_and_only_if_it_is_on_the_page():
    on_page = listed("Environment variables")
    names = [*on_page, "HOME", "LD_PRELOAD", "SLURM_JWT", "RANK_SECRET"]
    kept = redact("root/proc/7/environ", "".join("%s=0\0" % name for name in names).encode()).decode()

    assert {entry.partition("=")[0] for entry in kept.split("\0")[:-1]} == on_page


def test_it_is_printed_by_explain():
    command = [sys.executable, "-m", "numaaudit", "explain", "what-is-kept"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)

    assert (done.returncode, done.stdout) == (0, page())
