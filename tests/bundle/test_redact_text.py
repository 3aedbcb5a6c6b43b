"""redact_text(): secrets and names in free text."""

import time

import pytest

from numaaudit.bundle.redact_text import redact_text

TAKEN = [
    ("api_key=abc next", "api_key=[redacted] next"),
    ("API-KEY: abc", "API-KEY: [redacted]"),
    ('{"password": "a b\\"c", "n": 1}', '{"password": "[redacted]", "n": 1}'),
    ("hf_token = 'x y'", "hf_token = '[redacted]'"),
    ("Authorization: Bearer abcdefgh.ijk", "Authorization: Bearer [redacted]"),
    ("sent Bearer abcdefghijk", "sent Bearer [redacted]"),
    ("vllm serve m --api-key abc --tp 2", "vllm serve m --api-key [redacted] --tp 2"),
    ("Namespace(api_key=['abc', 'def'], tp=8)", "Namespace(api_key=[redacted], tp=8)"),
    ("args: ['--api-key', 'abc', '--tp', '2']", "args: ['--api-key', '[redacted]', '--tp', '2']"),
    (r"{\"api_key\": \"abc\", \"n\": 1}", r"{\"api_key\": \"[redacted]\", \"n\": 1}"),
    ("\x1b[36mapi_key\x1b[0m=\x1b[35mabc\x1b[0m tp=2", "\x1b[36mapi_key\x1b[0m=\x1b[35m[redacted]\x1b[0m tp=2"),
    ("secret => abc", "secret => [redacted]"),
    ("privateKey: abc", "privateKey: [redacted]"),
    ("Cookie: a=b; session=c", "Cookie: [redacted]"),
    ("using hf_abcdefghijklmnop now", "using [redacted] now"),
    ("key AKIAABCDEFGHIJKLMNOP.", "key [redacted]."),
    ("pull https://bob:pw@registry/x", "pull https://[redacted]@registry/x"),
    ("mail bob.b@example.org!", "mail [redacted]!"),
    ("open /home/bob/x.py: no", "open /home/[redacted]/x.py: no"),
    ("MY_SETTING=abc NCCL_IB_HCA=mlx5_0", "MY_SETTING=[redacted] NCCL_IB_HCA=mlx5_0"),
    ("-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----\nend", "[redacted]\n[redacted]\n[redacted]\nend"),
    ("-----BEGIN EC PRIVATE KEY-----\nabc", "[redacted]\n[redacted]"),
    (
        "  PID TTY COMMAND\n   1 ?   /usr/bin/python3 -m vllm.x --key abc\nend of table",
        "  PID TTY COMMAND\n   1 ?   python3 -m vllm.x [redacted] [redacted]\nend of table",
    ),
    (
        "|    0   N/A  N/A   4242      C   /usr/bin/python3 x y    12MiB |",
        "|    0   N/A  N/A   4242      C   python3 x [redacted]    12MiB |",
    ),
    ("        Name              : /usr/bin/python3", "        Name              : python3"),
    ("<process_name>/usr/bin/python3 a --b</process_name>", "<process_name>python3 a [redacted]</process_name>"),
    (
        "gpu_uuid, pid, process_name, used_gpu_memory [MiB]\nGPU-1, 7, /usr/bin/a, 10 MiB",
        "gpu_uuid, pid, process_name, used_gpu_memory [MiB]\nGPU-1, 7, a, 10 MiB",
    ),
]
LEFT = [
    "throughput: 12.5 tokens/s, max_num_batched_tokens=8192, tokenizer='x'",
    "time to first token: 0.35 s",
    "Token SecPageTables not in hash table.",
    "SGLANG_CPU_OMP_THREADS_BIND=0-95|96-191",
    "NCCL INFO Setting affinity for GPU 0 to ff,ffff0000,00ffffff",
    "Process 209 gpu_id 0 is running on CPUs: [0, 1, 2]",
    "bind_cpu gpu_id: 3, cpus: [24, 25, 26]",
    "installed torch@2.9.1",
    "args: ['--api-key', '--tp', '2']",
    "MAX_JOBS=8 DEBUG_MODE=true",
    "numactl --cpunodebind=1 --membind=1 python ... (GPU 1, numa_node 1)",
    "node   0   1\n  0:  10  21\n  1:  21  10",
    "GPU0\t X \tNV18\tSYS\t0-31,64-95\t0\t\tN/A",
]


@pytest.mark.parametrize(("text", "kept"), TAKEN)
def test_secrets_and_names_go(text, kept):
    assert redact_text(text.encode()).decode() == kept


@pytest.mark.parametrize("text", LEFT)
def test_evidence_stays(text):
    assert redact_text(text.encode()).decode() == text


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "token",
        "key=",
        "://",
        "a@",
        "--a ",
        "A",
        '"\\',
        "eyJaaaaaaaa-",
        "| ",
        " file=/opt/bin",
        "bearer ",
        "token=[",
        "token\x1b[0m",
        "--token', '",
        "-----BEGIN PRIVATE KEY-----",
    ],
)
def test_time_is_linear_in_the_text(piece):
    def seconds(size: int) -> float:
        text = (piece * (size // len(piece))).encode()
        spent = []
        for _ in range(3):
            start = time.process_time()
            redact_text(text)
            spent.append(time.process_time() - start)
        return min(spent)

    assert seconds(128 << 10) < 6 * seconds(32 << 10) + 0.02
