"""CPUs that are present and offline."""

from numaaudit.model.sections.offline_cpus import OfflineCpus

CPU = "root/sys/devices/system/cpu"


def offline(host):
    return host.section(OfflineCpus)


def test_present_without_online(root, build):
    section = offline(build(root("2p-2n-2g") | {f"{CPU}/online": "0-3\n"}))

    assert (str(section.cpus), [each.text for each in section.evidence]) == ("4-7", ["0-7", "0-3"])


def test_none_where_all_are_online(host):
    assert str(offline(host("2p-2n-2g")).cpus) == ""


def test_not_known_without_one_of_the_lists(root, build):
    section = offline(build({path: text for path, text in root("2p-2n-2g").items() if not path.endswith("/present")}))

    assert (section.cpus, section.gap.kind, section.gap.path) == (None, "absent", f"{CPU}/present")


def test_not_known_where_a_list_is_none(root, build):
    assert offline(build(root("2p-2n-2g") | {f"{CPU}/present": "many\n"})).gap.kind == "unparsable"
