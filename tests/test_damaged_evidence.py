"""Whatever a file of a bundle holds, the model is built, every rule ends without a crash, and every writer writes."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from numaaudit.report.host_json import host_document
from numaaudit.report.host_text import host_lines
from numaaudit.report.view import Input
from numaaudit.report.write import render
from numaaudit.rules.engine import audit
from numaaudit.rules.finding import Outcome

NASTY = st.one_of(
    st.sampled_from(
        [
            "", "\0", "-1\n", "0-999999999\n", "99999999999999999999\n", "²\n", "٣\n", "0x\n", "N/A", "nan", "[]", "{}",
            "[" * 5000, "\ud800", "0-3,\n", "4096\n", "65536\n", "../../..", "-", "1 2 3\n", "\n" * 100, "a: b\n" * 50, "\x1b[31m\n",
        ]
    ),
    st.text(max_size=200),
)  # fmt: skip


def check_everything(host):
    result = audit(host)
    assert result.crashes == ()
    for form in ("text", "markdown", "html", "json"):
        render(form, result, host, Input("x", "bundle", None), frozenset(Outcome))
    json.dumps(host_document(host)).encode("utf-8", "backslashreplace")
    host_lines(host)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(data=st.data())
def test_damaged_files(data, root, build):
    entries = dict(root("2p-2n-2g-rank-off-node"))
    for path in data.draw(st.lists(st.sampled_from(sorted(entries)), min_size=1, max_size=6, unique=True)):
        old = entries[path]
        text = old.decode("utf-8", "replace") if isinstance(old, bytes) else str(old)
        cut = data.draw(st.integers(0, len(text)))
        entries[path] = data.draw(st.sampled_from([text[:cut], text[cut:], None])) or data.draw(NASTY)
        entries[path] = entries[path].encode("utf-8", "surrogatepass").decode("latin-1") if "\ud800" in entries[path] else entries[path]

    check_everything(build(entries))


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(data=st.data())
def test_missing_files(data, root, build):
    entries = dict(root("2p-2n-2g-rank-off-node"))
    for path in data.draw(st.lists(st.sampled_from(sorted(entries)), min_size=1, max_size=40, unique=True)):
        del entries[path]

    check_everything(build(entries))


@pytest.mark.parametrize(
    "prefix", ["root/proc/", "root/sys/devices/system/", "root/sys/bus/", "root/sys/fs/cgroup/", "commands/", "again/"]
)
def test_a_whole_branch_is_missing(prefix, root, build):
    check_everything(build({path: entry for path, entry in root("2p-2n-2g").items() if not path.startswith(prefix)}))
