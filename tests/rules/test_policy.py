"""The policy file: what it may say, and where it complains."""

from datetime import date

import pytest

from numaaudit.core.errors import UsageError
from numaaudit.rules.engine import load_rules
from numaaudit.rules.finding import Severity
from numaaudit.rules.policy import MOST_BYTES, parse_policy, read_policy
from numaaudit.rules.settings import PROFILES, Change, default_policy, in_force
from numaaudit.rules.waiver import Waiver


def rules_of(text):
    return {loaded.rule.code: loaded for loaded in parse_policy(text, "p.yaml").rules}


@pytest.mark.parametrize("text", ["", "# nothing\n", "{}", "rules: {}\nwaivers: []\n"])
def test_nothing_said_changes_nothing(text):
    assert parse_policy(text, "p.yaml") == default_policy()._replace(path="p.yaml")


def test_a_severity_a_threshold_and_a_rule_that_is_off():
    rules = rules_of(
        "rules:\n"
        "  NA201:\n    severity: critical\n    thresholds: {off_node_share: 0.4}\n"
        "  memory-off-gpu-node:\n    thresholds:\n      off_node_mib: 512\n"
        "  NA205: {enabled: false}\n"
    )

    assert (rules["NA201"].severity, rules["NA201"].thresholds.off_node_share) == (Severity.CRITICAL, 0.4)
    assert rules["NA201"].thresholds.idle_share == 0.05
    assert (rules["NA301"].severity, rules["NA301"].thresholds.off_node_mib) == (None, 512)
    assert "NA205" not in rules


def test_a_profile_is_a_set_of_changes_and_the_file_has_the_last_word():
    rules = rules_of("profile: cpu-inference\nrules: {NA205: {severity: low}}\n")

    assert (rules["NA207"].severity, rules["NA205"].severity) == (Severity.HIGH, Severity.LOW)


@pytest.mark.parametrize("profile", PROFILES)
def test_a_profile_changes_what_there_is(profile):
    by_code = {loaded.rule.code: loaded for loaded in load_rules()}

    assert [
        (code, name)
        for code, change in PROFILES[profile].items()
        for name in change.thresholds
        if name not in by_code[code].thresholds._fields
    ] == []


def test_waivers():
    text = (
        "waivers:\n"
        "  - {rule: NA201, subject: 'rank:4', reason: bound by hand, owner: on-call, expires: 2027-01-31, scope: gpu-*}\n"
        "  - {fingerprint: 1234567890123456, reason: r, owner: o, expires: never}\n"
    )

    assert parse_policy(text, "p.yaml").waivers == (
        Waiver("NA201", "rank:4", None, "bound by hand", "on-call", date(2027, 1, 31), "gpu-*", 2),
        Waiver("*", "*", "1234567890123456", "r", "o", None, "*", 3),
    )


def test_experimental_rules_are_off_until_asked_for_all_or_one():
    tried = load_rules()[0]._replace(rule=load_rules()[0].rule._replace(experimental=True))
    code = tried.rule.code

    assert in_force((tried,)) == ()
    assert in_force((tried,), experimental=True) == (tried,)
    assert in_force((tried,), {code: Change(enabled=True)}) == (tried,)
    assert in_force((tried,), {code: Change(enabled=True)}, {code: Change(enabled=False)}, experimental=True) == ()


WAIVER = "{rule: NA201, reason: r, owner: o, expires: never"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("rules:\n  NA999: {}\n", 2),
        ("rules:\n  NA201:\n    severity: awful\n", 3),
        ("rules:\n  NA201:\n    enabled: perhaps\n", 3),
        ("rules:\n  NA201:\n    colour: red\n", 3),
        ("rules:\n  NA201:\n    thresholds:\n      off_share: 1\n", 4),
        ("rules:\n  NA201:\n    thresholds:\n      off_node_share: 40\n", 4),
        ("rules:\n  NA301:\n    thresholds:\n      off_node_mib: -1\n", 4),
        ("rules:\n  NA301:\n    thresholds:\n      off_node_mib: .nan\n", 4),
        ("rules:\n  NA301:\n    thresholds:\n      off_node_mib: 1e999\n", 4),
        (f"rules:\n  NA301:\n    thresholds:\n      off_node_mib: 1{'0' * 5000}\n", 4),
        ("rules:\n  NA301:\n    thresholds:\n      off_node_mib: true\n", 4),
        ("rules:\n  NA301:\n    thresholds:\n      off_node_mib: [1]\n", 4),
        ("rules:\n  NA301:\n    thresholds:\n      off_node_mib: !!python/object:os.system x\n", 4),
        ("rules:\n  - NA201\n", 2),
        ("\nprofile: gaming\n", 2),
        ("profile: serving\nprofile: serving\n", 2),
        ("? [a]\n: b\n", 1),
        ("a text\n", 1),
        ("experimental: 1\n", 1),
        ("plugins: one\n", 1),
        ("plugins: [[one]]\n", 1),
        (f"waivers:\n  - {WAIVER}, subject: ''}}\n", 2),
        (f"waivers:\n  - {WAIVER}, fingerprint: x}}\n", 2),
        ("waivers:\n  - {rule: NA201, reason: r, owner: o}\n", 2),
        ("waivers:\n  - {reason: r, owner: o, expires: never}\n", 2),
        ("waivers:\n  - rule: NA201\n    reason: r\n    owner: o\n    expires: soon\n", 5),
        ("waivers:\n  - rule: NA201\n    reason: r\n    owner: o\n    expires: 2027-02-30\n", 5),
        ("rules:\n  NA201: {\n", 3),
        ("rules: *nobody\n", 1),
        ("profile: serving\n---\nprofile: serving\n", 2),
        ("profile: serving\n\x07\n", 2),
    ],
)
def test_a_complaint_is_one_line_with_its_place(text, line):
    with pytest.raises(UsageError) as caught:
        parse_policy(text, "p.yaml")

    assert str(caught.value).startswith(f"p.yaml:{line}: ")
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize("text", ["[" * 5_000, "{a: " * 5_000, "- " * 5_000])
def test_what_is_nested_too_deeply_is_refused(text):
    with pytest.raises(UsageError):
        parse_policy(text, "p.yaml")


def test_an_alias_of_aliases_costs_nothing():
    bomb = "a: &a [x]\n" + "".join(f"{chr(98 + at)}: &{chr(98 + at)} [{', '.join([f'*{chr(97 + at)}'] * 9)}]\n" for at in range(20))

    with pytest.raises(UsageError, match="p.yaml:1: a means nothing here"):
        parse_policy(bomb, "p.yaml")


def test_a_list_that_holds_itself_ends():
    with pytest.raises(UsageError, match="p.yaml:1"):
        parse_policy("waivers: &a [*a]\n", "p.yaml")


def test_a_file_that_is_too_large_or_not_there_is_refused(tmp_path):
    large = tmp_path / "large.yaml"
    large.write_text("#" * (MOST_BYTES + 1))

    for path in (large, tmp_path / "none.yaml", tmp_path):
        with pytest.raises(UsageError, match=str(path)):
            read_policy(str(path))
