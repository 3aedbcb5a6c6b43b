"""Class files."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from numaaudit.compare.hardware_class import FORMAT, MOST_BYTES, class_of, is_class_file, read_class, to_yaml
from numaaudit.core.errors import InputError, ParseError
from numaaudit.model.sections.hardware import Hardware


@pytest.fixture
def made(host):
    return host("2p-2n-2g").section(Hardware).found


@pytest.fixture
def written(tmp_path):
    def write(text):
        path = tmp_path / "class.yaml"
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write


def test_what_is_written_is_read(made, written):
    path = written(to_yaml(made))

    assert is_class_file(path)
    assert read_class(path) == made


def test_it_holds_no_mask_of_a_process_and_no_card(made):
    text = to_yaml(made)

    assert "GPU-" not in text
    assert "allowed" not in text


def test_cpu_lists_are_read_as_people_write_them(written):
    path = written(f"format: {FORMAT}\nnuma_nodes: {{'0': {{cpus: '0,1,2,3'}}, '1': {{cpus: 4}}}}\n")

    assert read_class(path).part("numa_nodes") == {"0": {"cpus": "0-3"}, "1": {"cpus": "4"}}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "not a hardware class"),
        ("a: b", "not a hardware class"),
        ("format: numaaudit.class/2", "numaaudit.class/2"),
        (f"format: {FORMAT}\ngpus: [1]", "gpus does not map"),
        (f"format: {FORMAT}\ngpus: {{x: 1}}", "gpus: x"),
        (f"format: {FORMAT}\ngpus: {{x: {{model: [1]}}}}", "neither text nor number"),
        (f"format: {FORMAT}\ngpus: {{x: {{numa_node: 0x{'f' * 9000}}}}}", "too large"),
        (f"format: {FORMAT}\nnuma_nodes: {{'0': {{cpus: abc}}}}", "not a list"),
        (f"format: {FORMAT}\ngpus: !!python/object/apply:os.system ['true']", "no YAML"),
        (f"format: &a {FORMAT}\ngpus: *a", "aliases"),
        ("{" * 1000, "no YAML"),
        ("x" * (MOST_BYTES + 1), "more than"),
        ("format: 2026-99-99", "no YAML that can be read"),
    ],
)
def test_anything_else_is_one_clear_line(written, text, reason):
    with pytest.raises(InputError, match=reason) as refused:
        read_class(written(text))

    assert "\n" not in str(refused.value)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


@given(anything)
def test_any_document_is_a_class_or_refused(document):
    parts = document if isinstance(document, dict) else {}
    try:
        class_of({**parts, "gpus": document, "format": FORMAT})
    except ParseError:
        return
