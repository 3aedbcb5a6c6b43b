"""Names in JSON documents: of the kubelet, of kubectl and crictl, and of samples."""

from __future__ import annotations

import json
import re
from typing import Any, Callable, Dict

from numaaudit.bundle.pseudonym_lists import EMPTIED
from numaaudit.bundle.pseudonyms import CONTAINER, HOST, POD, UUID, Pseudonyms

_KINDS = {
    "podName": POD, "pod_name": POD, "namespace": POD, "podNamespace": POD, "io.kubernetes.pod.name": POD,
    "io.kubernetes.pod.namespace": POD, "containerName": CONTAINER, "ContainerName": CONTAINER, "container_name": CONTAINER,
    "container": CONTAINER, "nodeName": HOST, "hostIP": HOST, "podIP": HOST, "ip": HOST,
}  # fmt: skip
_NAMED_BY = {
    "metadata": POD, "containers": CONTAINER, "initContainers": CONTAINER, "ephemeralContainers": CONTAINER,
    "pod_resources": POD, "containerStatuses": CONTAINER, "initContainerStatuses": CONTAINER, "ephemeralContainerStatuses": CONTAINER,
}  # fmt: skip
_ENTRIES = ("entries", "podEntries")  # of the kubelet's state files: pod UID, then container
_UID = re.compile(UUID)
_HEX_ID = re.compile(r"[0-9a-f]{64}")


class Documents:
    """``text`` is what is done to a text that is no document, and to every other string of one."""

    def __init__(self, names: Pseudonyms, text: Callable[[str], str]) -> None:
        self._names = names
        self._text = text

    def replace(self, text: str) -> str:
        """The document with as many lines as before, or the text."""
        if text.lstrip()[:1] not in ("{", "["):
            return self._text(text)
        try:
            document = json.loads(text)
            replaced = self._value(document, "")
        except (ValueError, RecursionError):
            return self._text(text)
        if replaced == document:
            return text
        layout: Dict[str, Any] = {"indent": 4} if "\n" in text.strip() else {"separators": (",", ":")}
        return json.dumps(replaced, **layout) + ("\n" if text.endswith("\n") else "")

    def _value(self, value: Any, key: str) -> Any:
        if isinstance(value, dict):
            return (
                self._entries(value) if key in _ENTRIES else {self._id(name): self._member(each, name, key) for name, each in value.items()}
            )
        if isinstance(value, list):
            return [self._value(each, key) for each in value]
        return self._text(value) if isinstance(value, str) else value

    def _member(self, value: Any, name: str, parent: str) -> Any:
        if name in EMPTIED:
            return type(value)() if isinstance(value, (str, list, dict)) else value
        kind = _KINDS.get(name) or (_NAMED_BY.get(parent) if name == "name" else None)
        if kind and isinstance(value, str) and value:
            return self._names.learn_name(kind, value)
        return self._value(value, name)

    def _entries(self, entries: Dict[str, Any]) -> Dict[str, Any]:
        return {self._id(owner): self._containers(value) for owner, value in entries.items()}

    def _containers(self, value: Any) -> Any:
        if not isinstance(value, dict):
            return self._value(value, "")
        return {self._names.learn_name(CONTAINER, name): self._value(each, "") for name, each in value.items()}

    def _id(self, name: str) -> str:
        if _UID.fullmatch(name):
            return self._names.uuid(name)
        if _HEX_ID.fullmatch(name):
            return self._names.hex_id(name)
        return self._names.words(name) if "." in name else name  # acme.example/gpu, a resource
