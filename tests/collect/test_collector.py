import sys

from numaaudit.collect.collector import Collector, collectors, of_scope
from numaaudit.core.plugins import discover


def test_collectors_are_found_by_their_files_alone(tmp_path, monkeypatch):
    folder = tmp_path / "some_collectors"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "uptime.py").write_text(
        'from numaaudit.collect.collector import Collector\n\nCOLLECTOR = Collector(files=("proc/uptime",))\n'
    )
    monkeypatch.syspath_prepend(tmp_path)

    assert discover("some_collectors", "COLLECTOR", Collector) == {"uptime": Collector(files=("proc/uptime",))}
    del sys.modules["some_collectors"], sys.modules["some_collectors.uptime"]


def test_every_collector_has_exactly_one_scope():
    units = collectors()

    assert {name for scope in ("host", "process", "thread", "cgroup") for name in of_scope(units, scope)} == set(units)
