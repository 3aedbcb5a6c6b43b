"""redact_argv(): command lines, word by word."""

import pytest

from numaaudit.bundle.redact_argv import redact_argv, redact_words


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("/usr/bin/python3 /usr/local/bin/vllm serve org/model -tp 8", "python3 vllm serve [redacted] -tp 8"),
        (
            "python3 -m sglang.launch_server --model-path /m/x --numa-node 0 0 1 1",
            "python3 -m sglang.launch_server [redacted] [redacted] --numa-node 0 0 1 1",
        ),
        (
            "numactl --cpunodebind=1 --membind=1 python3 -u /home/a/train.py --lr 3",
            "numactl --cpunodebind=1 --membind=1 python3 -u train.py [redacted] [redacted]",
        ),
        ("numactl -C0-3 -m 0 ./serve.sh", "numactl -C0-3 -m 0 serve.sh"),
        ("taskset -c 0-3,8 /opt/app/bin/app --seed 7", "taskset -c 0-3,8 app [redacted] [redacted]"),
        ("taskset 0xff app", "taskset 0xff app"),
        ("torchrun --nproc_per_node=8 --numa-binding node train.py", "torchrun --nproc_per_node=8 --numa-binding node train.py"),
        ("torchrun --rdzv_endpoint h:1 train.py", "torchrun [redacted] [redacted] [redacted]"),
        (
            "deepspeed --num_gpus 2 --bind_cores_to_rank train.py --deepspeed",
            "deepspeed --num_gpus 2 --bind_cores_to_rank train.py [redacted]",
        ),
        ("srun --cpu-bind=mask_cpu:0xfe,0xfe00 -n 8 python3 x.py", "srun --cpu-bind=mask_cpu:0xfe,0xfe00 -n 8 python3 x.py"),
        ("mpirun -x RANK=1 -np 2 app", "mpirun -x RANK=1 -np 2 app"),
        ("mpirun -x TOKEN=1 -np 2 app", "mpirun -x [redacted] -np 2 [redacted]"),
        ("env CUDA_VISIBLE_DEVICES=0 python3 x.py", "env CUDA_VISIBLE_DEVICES=0 python3 x.py"),
        ("bash -c export", "bash -c [redacted]"),
        ("llama-server -m /models/a.gguf -t 64 --numa distribute", "llama-server [redacted] [redacted] -t 64 --numa distribute"),
        ("vllm serve --numa-bind org/model", "vllm serve --numa-bind [redacted]"),
        ("mysql -p1234", "mysql [redacted]"),
        ("x --device=/dev/secret/cuda", "x --device=cuda"),
        ("-bash", "-bash"),
        ("app -- name", "app -- [redacted]"),
    ],
)
def test_words_of_a_command_line(line, kept):
    assert redact_argv(line.replace(" ", "\0").encode() + b"\0") == kept.replace(" ", "\0").encode() + b"\0"
    assert redact_words(line) == kept


@pytest.mark.parametrize("title", ["VLLM::EngineCore_DP0", "sglang::scheduler_TP7_PP0", "ray::Worker.execute_method", "VLLM::Worker_TP0"])
def test_titles_that_name_a_rank_stay(title):
    assert redact_argv(title.encode() + b"\0\0\0") == title.encode() + b"\0\0\0"


def test_a_title_with_blanks_is_read_as_words():
    assert redact_argv(b"postgres: writer alice\0\0") == b"postgres: [redacted] [redacted]\0\0"


def test_an_argument_with_blanks_is_one_word():
    assert redact_argv(b"sh\0-c\0python3 x.py --tp 2\0") == b"sh\0-c\0[redacted]\0"


def test_an_empty_argument_ends_the_option_before_it():
    assert redact_argv(b"x\0--device\0\0cuda\0") == b"x\0--device\0\0[redacted]\0"


def test_the_empty_command_line_of_a_kernel_thread_stays_empty():
    assert redact_argv(b"") == b""
