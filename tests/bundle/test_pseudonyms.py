import re

import pytest

from numaaudit.bundle.pseudonyms import CONTAINER, HOST, POD, Pseudonyms

KEY = b"sixteen bytes or more"
UID = "8f2b1c00-1a2b-4c3d-9e8f-0a1b2c3d4e5f"
GPU = "GPU-4f1c2d3e-0000-1111-2222-333344445555"


@pytest.fixture
def names():
    return Pseudonyms(KEY)


def test_a_name_has_one_pseudonym_under_a_key_and_another_under_another(names):
    assert re.fullmatch(r"host-[0-9a-f]{10}", names.name(HOST, "gpu-7"))
    assert names.name(HOST, "gpu-7") == Pseudonyms(KEY).name(HOST, "gpu-7")
    assert len({names.name(HOST, "gpu-7"), names.name(HOST, "gpu-8"), Pseudonyms(b"x" * 16).name(HOST, "gpu-7")}) == 3


def test_a_pods_uid_keeps_its_shape_and_is_one_in_every_spelling(names):
    dashed, underscored, bare = (names.uuid(UID.replace("-", sign)) for sign in ("-", "_", ""))

    assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", dashed)
    assert dashed.replace("-", "") == underscored.replace("_", "") == bare
    assert dashed != UID


def test_the_first_digits_of_a_containers_id_are_those_of_its_pseudonym(names):
    replaced = names.hex_id("3f9a17c2" * 8)
    names.settle()

    assert re.fullmatch(r"[0-9a-f]{64}", replaced)
    assert names.words("container 3f9a17c23f9a started") == "container %s started" % replaced[:12]


def test_names_are_replaced_as_words_and_as_parts_of_words_and_with_a_hosts_domain(names):
    names.learn_host("gpu-7.acme.example")
    names.learn_name(POD, "llm-0")
    names.settle()
    host, pod = names.name(HOST, "gpu-7.acme.example"), names.name(POD, "llm-0")

    assert names.words("gpu-7 gpu-7.acme.example gpu-70 llm-0.log") == "%s %s gpu-70 %s.log" % (host, host, pod)
    assert names.words("my-gpu-7 gpu-7_ib0 cgpu-7 gpu-7c") == "my-%s %s_ib0 cgpu-7 gpu-7c" % (host, host)


def test_a_colour_before_a_name_is_no_part_of_it(names):
    names.learn_name(POD, "llm-0")
    names.settle()

    for colour in ("\x1b[m", "\x1b[1m", "\x1b[36m", "\x1b[1;31m", "\x1b[0;1m"):
        assert names.words(colour + "llm-0") == colour + names.name(POD, "llm-0")


def test_capitals_make_no_other_name(names):
    names.learn_host("gpu-7.acme.example")
    names.learn_name(POD, "llm-0")
    names.settle()

    assert names.words("GPU-7 Gpu-7.Acme.Example LLM-0.LOG") == "{0} {0} {1}.LOG".format(
        names.name(HOST, "gpu-7.acme.example"), names.name(POD, "llm-0")
    )
    assert names.learn_name(HOST, "GPU-7.acme.example") == names.name(HOST, "gpu-7.acme.example")


def test_a_hosts_domain_is_replaced_after_other_names_too_but_for_one_of_a_vendor(names):
    names.learn_host("gpu-7.acme.example")
    names.learn_host("gpu-8.nvidia.com")
    names.settle()

    assert names.words("login.acme.example nvidia.com/gpu") == "login.%s nvidia.com/gpu" % names.name(HOST, "acme.example")


def test_numbers_stay_also_where_somebody_is_called_so(names):
    names.learn_name(CONTAINER, "1000")
    names.settle()

    assert names.words("CPUs 0-1000") == "CPUs 0-1000"


def test_a_text_that_is_longer_in_small_letters_keeps_its_places(names):
    names.learn_name(POD, "llm-0")
    names.settle()

    assert names.words("\u0130\u0130 llm-0") == "\u0130\u0130 %s" % names.name(POD, "llm-0")


def test_words_of_everybody_stay(names):
    for name in ("vllm", "worker", "python", "node", "ab"):
        names.learn_name(CONTAINER, name)
    names.settle()

    assert names.words("vllm worker python node ab") == "vllm worker python node ab"


def test_a_gpu_is_known_by_its_first_digits(names):
    names.learn_gpus("UUID: %s" % GPU)
    whole = names.ids(GPU)

    assert re.fullmatch(r"GPU-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", whole)
    assert whole != GPU
    assert names.ids("CUDA_VISIBLE_DEVICES=GPU-4f1c2d3e") == "CUDA_VISIBLE_DEVICES=%s" % whole[: len("GPU-4f1c2d3e")]
    assert names.ids("MIG-%s/1/0" % GPU) == "MIG-%s/1/0" % whole


def test_they_are_counted_by_kind(names):
    for name in ("gpu-7", "gpu-8", "gpu-7"):
        names.name(HOST, name)
    names.uuid(UID)
    names.uuid(UID.replace("-", "_"))

    assert names.counts == {"host": 2, "pod": 1}
