from numaaudit.collect.options import OPTIONS, CollectOptions, arguments


def test_every_field_is_one_option_and_no_flag_means_two():
    flags = [flag for option in OPTIONS for flag in option.flags]

    assert tuple(option.name for option in OPTIONS) == CollectOptions._fields
    assert len(flags) == len(set(flags))


def test_kinds_fit_the_defaults():
    for option in OPTIONS:
        value = option.default
        assert isinstance(value, tuple) if option.many else isinstance(value, option.kind), option.name
        assert not option.choices or value in option.choices


def test_arguments_are_what_one_would_type_without_what_is_no_evidence():
    options = CollectOptions(
        pids=(7, 8), match="a b", gpu_procs=True, logs=("/home/someone/run.log",), pages="full", output="/x/y", root="/"
    )

    assert arguments(options) == ("--pid", "7", "--pid", "8", "--match", "a b", "--gpu-procs", "--log", "run.log", "--pages", "full")


def test_defaults_need_no_arguments():
    assert arguments(CollectOptions()) == ()
