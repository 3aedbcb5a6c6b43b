"""Ray binds nothing."""


def test_ranks_keep_what_is_allowed(predict, two_packages, cpus):
    found = predict("ray", two_packages, "cpuset=0-3")

    assert (["as before"] * 4, {"0-3"}) == (cpus(found), {str(rank.effective_cpus) for rank in found.ranks})
    assert "no-effect" == found.prediction.outcome.value
