from numaaudit.core.pci import PciAddress
from numaaudit.model.sections.kfd import Kfd

NODES = "root/sys/class/kfd/kfd/topology/nodes"
CPU = "cpu_cores_count 8\nsimd_count 0\n"
GPU = "cpu_cores_count 0\nsimd_count 416\nvendor_id 4098\nlocation_id 49664\ndomain 1\ndrm_render_minor 128\n"


def kfd(build, links, numbers=(0, 1)):
    entries = {f"{NODES}/{number}/properties": CPU for number in numbers} | {f"{NODES}/2/properties": GPU, f"{NODES}/2/gpu_id": "4711\n"}
    for number, link in enumerate(links):
        entries[f"{NODES}/2/io_links/{number}/properties"] = "type {}\nnode_from 2\nnode_to {}\nweight {}\n".format(*link)
    return build(entries).section(Kfd)


def test_a_gpu_is_named_by_domain_and_location(build):
    found = kfd(build, [(2, 0, 20), (2, 1, 52)])
    gpu = found.nodes[2]

    assert found.cpu_nodes == [0, 1]
    assert (gpu.pci_address, gpu.gpu_id, gpu.properties.drm_render_minor, gpu.is_gpu) == (PciAddress(1, 0xC2, 0, 0), 4711, 128, True)
    assert gpu.cpu_weights == ((0, 20), (1, 52))
    assert gpu.nearest_cpu_node == 0


def test_of_two_equally_near_none_is_the_nearest(build):
    assert kfd(build, [(2, 0, 20), (11, 1, 20)]).nodes[2].nearest_cpu_node is None


def test_links_to_gpus_and_of_other_kinds_do_not_count(build):
    assert kfd(build, [(2, 1, 20), (11, 3, 15), (4, 0, 1)]).nodes[2].cpu_weights == ((1, 20),)


def test_without_kfd_there_is_nothing(build):
    assert build({}).section(Kfd) == Kfd(())
