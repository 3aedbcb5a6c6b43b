"""A list of pods that the user names (``kubectl get pods -A -o json``): read for names, and kept only as far as it is evidence.

Kept are the pods of collected processes, and of each only identity, class, and what its containers ask for. Environment, commands,
mounts, annotations and addresses are not even looked at.
"""

from __future__ import annotations

import json
from typing import Any, Collection, Dict, List, Mapping, NamedTuple, Optional, Sequence

from numaaudit.bundle.limits import LIMITS
from numaaudit.collect.log_files import start_of
from numaaudit.core.errors import UsageError

ARGV = ("kubectl", "get", "pods", "-A", "-o", "json")


class ListedPod(NamedTuple):
    """One pod; ``kept`` is what may be stored of it, in the shape of the API (kubernetes ``pkg/apis/core``, Pod)."""

    uid: str
    namespace: Optional[str]
    name: str
    kept: Mapping[str, Any]


def read_pods(path: str) -> List[ListedPod]:
    """The pods of a List, or of one Pod. UsageError where the file is neither."""
    try:
        data = start_of(path, LIMITS.document_bytes)
        if len(data) > LIMITS.document_bytes:
            raise ValueError("more than %d bytes" % LIMITS.document_bytes)
        document = json.loads(data.decode("utf-8"))
        items = [document] if document.get("kind") == "Pod" else document["items"]
        return list(map(_listed, items))
    except OSError as error:
        raise UsageError("--kubectl-pods %s: %s" % (path, error.strerror or error)) from None
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise UsageError("--kubectl-pods %s: not what kubectl get pods -A -o json prints" % path) from None


def listing(pods: Sequence[ListedPod], uids: Collection[str]) -> bytes:
    """The list with those of these UIDs (digits only), a member a line so that evidence can name the line."""
    items = [pod.kept for pod in pods if pod.uid.replace("-", "") in uids]
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": items}, indent=1).encode() + b"\n"


def _listed(item: Dict[str, Any]) -> ListedPod:
    told = _only(item["metadata"], "uid", "namespace", "name")
    return ListedPod(told["uid"], told.get("namespace"), told["name"], _kept(item))


def _kept(item: Dict[str, Any]) -> Dict[str, Any]:
    spec, status = item["spec"], item.get("status") or {}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": _only(item["metadata"], "name", "namespace", "uid"),
        "spec": {"containers": [_container(each) for each in spec.get("containers") or ()]},
        "status": {
            **_only(status, "qosClass"),
            "containerStatuses": [_only(each, "name", "containerID") for each in status.get("containerStatuses") or ()],
        },
    }


def _container(container: Dict[str, Any]) -> Dict[str, Any]:
    resources = container.get("resources") or {}
    amounts = {kind: {name: str(amount) for name, amount in (resources.get(kind) or {}).items()} for kind in ("requests", "limits")}
    return {**_only(container, "name"), "resources": amounts}


def _only(owner: Mapping[str, Any], *names: str) -> Dict[str, str]:
    """Members that are texts."""
    return {name: owner[name] for name in names if isinstance(owner.get(name), str)}
