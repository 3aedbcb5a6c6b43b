"""The kubelet's configuration file (kubelet.config.k8s.io/v1beta1): the few settings that decide about placement.

Command-line flags and drop-in files override it. YAML is read as far as these settings need it (scalars at the left margin
and one level of options below); a document in JSON is read as such.
"""

import re
from typing import Any, NamedTuple

from numaaudit.core.cpuset import CpuSet
from numaaudit.core.errors import ParseError
from numaaudit.parse.json_text import read_object
from numaaudit.parse.parser import Parser

Options = tuple[tuple[str, str], ...]


class KubeletConfig(NamedTuple):
    """None: not set in this file, so the default or a flag holds."""

    cpu_manager_policy: str | None  # cpuManagerPolicy: none, static
    cpu_manager_options: Options  # cpuManagerPolicyOptions: full-pcpus-only "true"
    topology_manager_policy: str | None  # topologyManagerPolicy: none, best-effort, restricted, single-numa-node
    topology_manager_scope: str | None  # topologyManagerScope: container, pod
    topology_manager_options: Options  # topologyManagerPolicyOptions
    memory_manager_policy: str | None  # memoryManagerPolicy: None, Static
    reserved_system_cpus: CpuSet | None  # reservedSystemCPUs


_TOP = r"""(?am)^["']?([A-Za-z]\w{0,60})["']?[ \t]*:(?:[ \t]+|$)(.*)$"""
_OPTION = r"""(?a)["']?([a-z][a-z-]{0,60})["']?[ \t]*:[ \t]*["']?([\w.-]{1,40})["']?"""
_COMMENT = r"(?:^|[ \t])#[^\n]*"


def parse(text: str) -> KubeletConfig:
    """Read a kubelet's configuration; ParseError for a text of another kind or a list that is none."""
    text = text.strip("\0")
    values = read_object(text) if text.lstrip().startswith("{") else _yaml(text)
    if values.get("kind") != "KubeletConfiguration":
        raise ParseError("kind is not KubeletConfiguration")
    reserved = _scalar(values, "reservedSystemCPUs")
    return KubeletConfig(
        _scalar(values, "cpuManagerPolicy"), _options(values, "cpuManagerPolicyOptions"),
        _scalar(values, "topologyManagerPolicy"), _scalar(values, "topologyManagerScope"), _options(values, "topologyManagerPolicyOptions"),
        _scalar(values, "memoryManagerPolicy"), CpuSet.parse(reserved) if reserved else None,
    )  # fmt: skip


def _yaml(text: str) -> dict[str, Any]:
    """Top-level keys to their scalar, or to the options in the lines below or in braces."""
    tops = list(re.finditer(_TOP, re.sub(_COMMENT, "", text)))
    values: dict[str, Any] = {}
    for top, following in zip(tops, [*tops, None][1:], strict=True):
        below = top.string[top.end() : following.start() if following else None]
        value = top[2].strip().strip("\"'")
        values[top[1]] = dict(re.findall(_OPTION, value or below)) if top[1].endswith("Options") else value
    return values


def _scalar(values: dict[str, Any], key: str) -> str | None:
    value = values.get(key)
    if value is not None and not isinstance(value, str):
        raise ParseError(f"{key} is no text")
    return value or None


def _options(values: dict[str, Any], key: str) -> Options:
    options = values.get(key) or {}
    if not isinstance(options, dict):
        raise ParseError(f"{key} is no mapping")
    return tuple(sorted((str(name), str(value)) for name, value in options.items()))


PARSER = Parser(
    parse,
    reads=(
        "var/lib/kubelet/config.yaml",
        "var/lib/kubelet/config.json",
        "etc/kubernetes/kubelet.conf",
        "etc/kubernetes/kubelet/kubelet-config.json",
    ),
    looks_like=(
        r"^(?:apiVersion:[ \t]+[\"']?kubelet\.config\.k8s\.io/|kind:[ \t]+[\"']?KubeletConfiguration\b)[^\n]*"
        r"(?:\n(?:[ \t]*(?:-[ \t]|[\"']?[\w./-]{1,80}[\"']?:)[^\n]*))*"
        r'|^\{\s{0,20}"(?:kind"\s{0,20}:\s{0,20}"KubeletConfiguration|apiVersion"\s{0,20}:\s{0,20}"kubelet\.config\.k8s\.io)'
    ),
)
