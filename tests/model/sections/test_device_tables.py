from numaaudit.model.sections.device_tables import DeviceTables

MATRIX = "\tGPU0\tCPU Affinity\nGPU0\t X \t0-7\n"


def test_texts_are_kept_by_kind_and_in_order(build):
    found = build({"commands/nvidia-smi_topo_-m.out": MATRIX, "pasted/paste.txt": "x\n\n" + MATRIX}).section(DeviceTables)

    assert [(each.file.path, each.file.first_line) for each in found.topos] == [
        ("commands/nvidia-smi_topo_-m.out", 1),
        ("pasted/paste.txt", 3),
    ]
    assert found._replace(topos=()) == DeviceTables()
