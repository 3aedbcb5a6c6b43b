from numaaudit.model.sections.claims import Claims
from numaaudit.model.sections.ranks import Ranks

LOG = "(VllmWorker rank=1 pid=101) INFO 06-05 16:59:15 [cpu_worker.py:145] auto thread-binding list: 2,3\n"
SHOW = "policy: bind\npreferred node: 1\nphyscpubind: 2 3 \ncpubind: 1 \nnodebind: 1 \nmembind: 1 \n"


def claims(build, text, entries=None):
    found = build((entries or {}) | {"pasted/paste.txt": text}).section(Claims).all
    return [(made.claim.launcher, made.claim.kind, made.claim.pid, str(made.claim.cpus), made.evidence.line) for made in found]


def test_logs_numactl_and_taskset_are_in_the_order_of_their_lines(build):
    text = f"{SHOW}\n{LOG}\npid 7's current affinity list: 0-1\n"

    assert claims(build, text) == [
        ("numactl", "shown", None, "2-3", 1),
        ("vllm", "binding", 101, "2-3", 8),
        ("taskset", "shown", 7, "0-1", 10),
    ]


def test_a_claim_is_a_ranks_by_its_pid(root, build):
    host = build(root("2p-2n-2g") | {"logs/serve.log": LOG})
    [made] = host.section(Claims).all

    assert (made.rank, made.is_mask) == (host.section(Ranks).by_pid(101), True)
    assert host.section(Claims).last_mask(made.rank) == made


def test_a_claim_of_an_unknown_process_is_nobodys(build):
    assert build({"logs/serve.log": LOG}).section(Claims).all[0].rank is None


def test_a_shown_state_is_no_launchers_mask(build):
    assert [made.is_mask for made in build({"pasted/paste.txt": SHOW}).section(Claims).all] == [False]
