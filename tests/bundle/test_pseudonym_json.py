"""Names in JSON documents under pseudonyms."""

import json

import pytest

from numaaudit.bundle.pseudonym_json import Documents
from numaaudit.bundle.pseudonyms import CONTAINER, POD, Pseudonyms

UID = "8f2b1c00-1a2b-4c3d-9e8f-0a1b2c3d4e5f"


@pytest.fixture
def names():
    return Pseudonyms(b"sixteen bytes or more")


@pytest.fixture
def replace(names):
    return Documents(names, lambda text: text.upper()).replace


def test_names_of_pods_and_containers_are_replaced_by_their_place(names, replace):
    document = {"metadata": {"name": "router-0"}, "containers": [{"name": "engine"}]}

    assert json.loads(replace(json.dumps(document))) == {
        "metadata": {"name": names.name(POD, "router-0")},
        "containers": [{"name": names.name(CONTAINER, "engine")}],
    }


def test_the_kubelets_state_is_keyed_by_pod_and_container(names, replace):
    document = {"entries": {UID: {"engine": "0-3"}}}

    assert json.loads(replace(json.dumps(document))) == {"entries": {names.uuid(UID): {names.name(CONTAINER, "engine"): "0-3"}}}


def test_other_strings_are_treated_as_texts_and_numbers_stay(replace):
    assert json.loads(replace('{"note": "host", "count": 3}')) == {"note": "HOST", "count": 3}


@pytest.mark.parametrize("text", ["plain words", '{"cut": ', "[" * 100_000])
def test_what_is_no_document_is_a_text(replace, text):
    assert replace(text) == text.upper()


@pytest.mark.parametrize("text", ['{"A":1}', '{\n    "A": 1\n}\n'])
def test_a_document_without_names_keeps_its_bytes(replace, text):
    assert replace(text) == text


def test_a_document_on_one_line_stays_on_one_line(replace):
    assert replace('{"a": "x", "b": 1}\n').count("\n") == 1
