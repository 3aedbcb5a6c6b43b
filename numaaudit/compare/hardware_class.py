"""Hardware classes as YAML files: part, subject, aspect, value. They hold slots and settings, never a mask of a process."""

import os
from typing import Any

from numaaudit.core.cpuset import CpuSet
from numaaudit.core.errors import InputError, ParseError, shown
from numaaudit.model.hardware_class import PARTS, Aspects, HardwareClass, Part, Value
from numaaudit.model.host import Host

FORMAT = "numaaudit.class/1"
MOST_BYTES = 1 << 20  # a class of 16 GPUs takes about 10 KB
_CPU_LISTS = ("cpus", "present_cpus", "online_cpus", "isolated_cpus")


def to_yaml(made: HardwareClass) -> str:
    """The text of a class file."""
    import yaml

    parts = {name: part if part is None else {key: dict(aspects) for key, aspects in part.items()} for name, part in made.parts.items()}
    return yaml.safe_dump({"format": FORMAT, **parts}, sort_keys=False, default_flow_style=False, width=120, allow_unicode=True)


def is_class_file(path: str) -> bool:
    """Whether a file begins as ours do, or is YAML by its name."""
    if not os.path.isfile(path):
        return False
    with open(path, "rb") as file:
        return path.endswith((".yaml", ".yml")) or file.read(7) == b"format:"


def read_class(path: str) -> HardwareClass:
    """The class in a file. InputError for one that is not a class, is too large, or was made by a newer numaaudit."""
    with open(path, "rb") as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise InputError(f"{path}: more than {MOST_BYTES} bytes of YAML")
    try:
        return class_of(_loaded(data))
    except ParseError as error:
        raise InputError(f"{path}: {error.reason}", "numaaudit class create BUNDLE -o FILE writes one") from None


def class_of(document: object) -> HardwareClass:
    """The class in a YAML document; unknown parts are ignored. ParseError for anything else."""
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        found = document.get("format") if isinstance(document, dict) else None
        raise ParseError(f"not a hardware class ({FORMAT}){f' but {shown(str(found))}' if found else ''}")
    return HardwareClass({name: _part(name, document.get(name)) for name in PARTS})


def expecting(host: Host, expected: HardwareClass) -> Host:
    """The host with the class that its rules judge it against."""
    return host._replace(sections={**host.sections, HardwareClass: expected})


def _loaded(data: bytes) -> object:
    import yaml

    class Loader(yaml.SafeLoader):
        """Without aliases, which make a small text large."""

        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.events.AliasEvent):
                raise ParseError("aliases are not used in a hardware class")
            return super().compose_node(parent, index)

    try:
        return yaml.load(data, Loader)  # noqa: S506  (a SafeLoader)
    except yaml.YAMLError as error:
        raise ParseError(f"no YAML: {shown(str(error).splitlines()[0])}") from None
    except (RecursionError, ValueError, UnicodeDecodeError):
        raise ParseError("no YAML that can be read") from None


def _part(name: str, part: object) -> Part:
    if part is None:
        return None
    if not isinstance(part, dict):
        raise ParseError(f"{name} does not map subjects to what they are")
    return {str(subject): _aspects(f"{name}: {shown(str(subject))}", aspects) for subject, aspects in part.items()}


def _aspects(where: str, aspects: object) -> Aspects:
    if not isinstance(aspects, dict):
        raise ParseError(f"{where}: does not map aspects to values")
    return {str(aspect): _value(f"{where}: {shown(str(aspect))}", str(aspect), value) for aspect, value in aspects.items()}


def _value(where: str, aspect: str, value: object) -> Value:
    if value is not None and (isinstance(value, bool) or not isinstance(value, str | int | float)):
        raise ParseError(f"{where}: neither text nor number")
    if isinstance(value, int) and abs(value) >= 1 << 63:
        raise ParseError(f"{where}: too large a number")
    if aspect in _CPU_LISTS and value is not None:
        return str(CpuSet.parse(str(value)))
    return value
