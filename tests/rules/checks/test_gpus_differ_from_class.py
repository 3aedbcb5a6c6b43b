"""NA901: GPUs against the class."""

GPU = "root/sys/devices/pci0000:97/0000:97:01.0/0000:98:00.0"
SLOTS = ("0000:17:00.0", "0000:98:00.0")


def expected(*outcomes):
    return {(f"gpu:{slot}", outcome) for slot, outcome in zip(SLOTS, outcomes, strict=True)}


def test_silent_on_a_host_of_the_class(root, of_class, outcomes):
    assert outcomes(of_class(root("2p-2n-2g")), "NA901") == expected("pass", "pass")


def test_does_not_apply_without_a_class(host, outcomes):
    assert outcomes(host("2p-2n-2g"), "NA901") == {("host", "not_applicable")}


def test_names_a_gpu_that_is_missing(root, of_class, removed, outcomes):
    entries = removed(root("2p-2n-2g"), "0000:98:00.0")

    assert outcomes(of_class(entries), "NA901") == expected("pass", "fail")


def test_names_both_slots_of_a_gpu_that_moved(root, of_class, outcomes):
    old, new = "0000:98:00.0", "0000:9a:00.0"
    entries = {path.replace(old, new): entry.replace(old, new) for path, entry in root("2p-2n-2g").items()}

    assert outcomes(of_class(entries), "NA901") == expected("pass", "fail") | {("gpu:0000:9a:00.0", "fail")}


def test_says_what_differs_and_from_what(root, of_class, judge):
    (failure,) = [each for each in judge(of_class(root("2p-2n-2g") | {f"{GPU}/numa_node": "0\n"}), "NA901") if each.facts]

    assert failure.subject == "gpu:0000:98:00.0"
    assert (failure.facts["found"], failure.facts["expected"]) == ("NUMA node 0", "NUMA node 1")
    assert [each.text for each in failure.evidence] == ["0"]


def test_unknown_where_its_numa_node_is_not_told(root, of_class, outcomes):
    entries = root("2p-2n-2g") | {f"{GPU}/numa_node": "-1\n", f"{GPU}/local_cpulist": "0-7\n"}

    assert outcomes(of_class(entries), "NA901") == expected("pass", "unknown")


def test_unknown_without_a_list_of_devices(root, of_class, removed, outcomes):
    assert outcomes(of_class(removed(root("2p-2n-2g"), "/pci", "nvidia")), "NA901") == expected("unknown", "unknown")


def test_unknown_in_a_container_which_is_shown_what_it_is_given(root, of_class, outcomes):
    entries = root("2p-2n-2g") | {"root/proc/mounts": "lxcfs /proc/cpuinfo fuse.lxcfs rw 0 0\n"}

    assert outcomes(of_class(entries), "NA901") == expected("unknown", "unknown")
