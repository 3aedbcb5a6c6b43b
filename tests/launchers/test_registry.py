"""All launchers together, and what holds for each of them on any host and under any cpuset."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from numaaudit.core.cpuset import CpuSet
from numaaudit.core.errors import UsageError
from numaaudit.launchers.prediction import Outcome
from numaaudit.launchers.registry import Request, answerable, forecast, launcher_named, load_launchers

LINE = {"command": {"line": "numactl -N 0 taskset -c 0-3 python"}}
# what binds to all CPUs of the GPU's NUMA node: where its CPUs move, the prediction moves
WHOLE_NUMA_NODE = [
    ("torchrun", {"mode": "node"}),
    ("torchrun", {"mode": "socket"}),
    ("vllm", {}),
    ("sglang", {}),
    ("tensorrt-llm", {}),
    ("accelerate", {}),
    ("gpu-affinity", {"mode": "all"}),
    ("gpu-affinity-v2", {"mode": "socket"}),
    ("megatron-bridge", {"mode": "kubeflow"}),
    ("openmpi", {"release": "main"}),
]
# what shares a NUMA node out: which CPUs may change, that they are local may not
SHARED_NUMA_NODE = [
    ("torchrun", {"mode": "exclusive"}),
    ("torchrun", {"mode": "core-complex"}),
    ("gpu-affinity", {}),
    ("gpu-affinity-v1", {}),
    ("gpu-affinity-v2", {}),
]
numberings = st.permutations(range(16))
machines_settings = settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(UsageError) as error:
        launcher_named("mpiexec")

    assert all(name in error.value.hint for name in load_launchers())


def test_an_option_that_is_not_declared_lists_those_that_are(predict, two_packages):
    with pytest.raises(UsageError) as error:
        predict("torchrun", two_packages, colour="red")

    assert "fall-back (should_fall_back_if_binding_fails)" in error.value.hint


def test_a_value_that_is_no_choice_is_wrong_usage(predict, two_packages):
    with pytest.raises(UsageError, match="mode is one of node, socket"):
        predict("torchrun", two_packages, mode="chip")


@pytest.mark.parametrize("name", load_launchers())
def test_every_page_says_where_the_algorithm_is_from(name):
    loaded = load_launchers()[name]

    assert ("Source:" in loaded.page, bool(loaded.launcher.version), bool(loaded.launcher.source)) == (True, True, True)


def test_without_a_command_line_all_leaves_out_what_needs_one():
    everything = Request(None, (), None, {})

    assert set(load_launchers()) - {"command"} == {each.name for each in answerable(everything)}


@pytest.mark.parametrize("name", load_launchers())
@given(cpuset=st.sets(st.integers(0, 15), min_size=1), ranks=st.integers(1, 9))
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_effective_cpus_are_allowed_and_online(name, two_package_view, cpuset, ranks):
    seen = two_package_view._replace(allowed_cpus=CpuSet(cpuset))

    found = forecast(launcher_named(name), seen, Request(ranks, seen.gpus, None, LINE.get(name, {})))

    assert [rank for rank in found.ranks if rank.effective_cpus is not None and not rank.effective_cpus <= CpuSet(cpuset)] == []
    assert [rank for rank in found.ranks if rank.outcome is Outcome.BINDS and rank.effective_cpus == CpuSet()] == []
    assert ranks == len(found.ranks)


@pytest.mark.parametrize(("name", "options"), WHOLE_NUMA_NODE)
@given(numbering=numberings)
@machines_settings
def test_renumbered_cpus_renumber_the_prediction(name, options, view, two_packages, numbering):
    new = dict(enumerate(numbering))
    before = _ranks(view(two_packages), name, options)

    after = _ranks(view(two_packages.renumbered(new)), name, options)

    assert [CpuSet(new[cpu] for cpu in rank.cpus) for rank in before] == [rank.cpus for rank in after]
    assert [rank.placement for rank in before] == [rank.placement for rank in after]


@pytest.mark.parametrize(("name", "options"), SHARED_NUMA_NODE)
@given(numbering=numberings)
@machines_settings
def test_renumbered_cpus_stay_local_where_a_numa_node_is_shared_out(name, options, view, two_packages, numbering):
    before = _ranks(view(two_packages), name, options)

    after = _ranks(view(two_packages.renumbered(dict(enumerate(numbering)))), name, options)

    assert [(len(rank.cpus), rank.placement, rank.gpu_numa_node) for rank in before] == [
        (len(rank.cpus), rank.placement, rank.gpu_numa_node) for rank in after
    ]


@pytest.fixture
def two_package_view(view, two_packages):
    """Made once for all examples of a test."""
    return view(two_packages)


def _ranks(seen, name, options):
    return forecast(launcher_named(name), seen, Request(None, seen.gpus, None, options)).ranks
