"""The page on numbers: the thresholds that are ours, and figures from other people's hosts, which are none."""

from numaaudit.rules.engine import load_rules

NAME = "figures"

_ABOUT = """\
# Figures

Neither the kernel nor a vendor says from which share on placement is wrong. Every threshold below is ours: it has a name, a default
and a rule, reports print it beside what it decided, and a policy file changes it (`numaaudit policy init`).

## Our thresholds

{thresholds}

## Figures from other people's hosts

These are context, and no rule uses them: they were measured on other hardware under other loads.

- 57.76 % of the memory accesses of one fleet were local with automatic NUMA balancing (arXiv:2411.01460): one data point.
- Remote memory took 194 to 202 ns where local memory took 135 ns on the Xeon E7-4800 (published by Intel), a ratio of about 1.45;
  two-socket systems with AMD's Rome and Intel's Cascade Lake show 1.4 to 1.5 (arXiv:2204.03290).
- "240 ns" for remote memory, and "40 % of the throughput" to be gained by binding, are quoted without a measurement behind them: this
  project found none, and does not repeat them as facts.

## What the counters count

`numa_hit`, `numa_miss`, `numa_foreign` and `other_node` (`/sys/devices/system/node/node*/numastat`, `numastat`) count pages when they are
allocated, against the policy in force. A page that was allocated right and is read from the other package for a year is one hit. So
a high share of hits says nothing of where accesses go; only hardware counters do.

Distances (ACPI SLIT, `node*/distance`) are an order and no measure: 20 does not mean twice the latency of 10.
"""


def page() -> str:
    """The page in Markdown; the thresholds are those of the rules that ship, experimental ones included."""
    rows = [
        f"- {loaded.name} ({loaded.rule.code}): {', '.join(f'{name} {value}' for name, value in loaded.thresholds._asdict().items())}"
        for loaded in load_rules()
        if loaded.thresholds
    ]
    return _ABOUT.format(thresholds="\n".join(rows))
