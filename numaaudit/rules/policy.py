"""The policy file: which rules run, how severe they are, by which thresholds, and what is waived. The only YAML that rules read.

It is composed into nodes and not constructed into objects: so every complaint names its line, an alias costs nothing however
often it is repeated, and a tag makes nothing.
"""

from datetime import date
from typing import Any, NoReturn

import yaml

from numaaudit.core.errors import UsageError, shown
from numaaudit.rules.engine import LoadedRule
from numaaudit.rules.finding import Severity
from numaaudit.rules.settings import PROFILES, Change, Policy, all_rules, in_force
from numaaudit.rules.waiver import Waiver

MOST_BYTES = 256 << 10  # it is written by hand


def read_policy(path: str, plugins: tuple[str, ...] = ()) -> Policy:
    """The policy in a file, with these plug-ins besides its own. UsageError, with the line, where it is wrong."""
    try:
        with open(path, "rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
    if len(data) > MOST_BYTES:
        raise UsageError(f"{path}: more than {MOST_BYTES >> 10} KiB")
    return parse_policy(data.decode("utf-8", "backslashreplace"), path, plugins)


def parse_policy(text: str, name: str, plugins: tuple[str, ...] = ()) -> Policy:
    """The policy in a text; ``name`` is what complaints call it."""
    reader = _Reader(name)
    root = reader.compose(text)
    top = reader.fields(root, "profile", "experimental", "plugins", "rules", "waivers") if root else {}
    plugins = tuple(dict.fromkeys((*plugins, *(reader.text(each) for each in reader.items(top.get("plugins"))))))
    rules = all_rules(plugins)
    profile = reader.word(top["profile"], tuple(PROFILES)) if "profile" in top else None
    changes = dict(_change(reader, key, value, rules) for key, value in reader.pairs(top.get("rules")))
    experimental = "experimental" in top and reader.flag(top["experimental"])
    layers = (PROFILES[profile], changes) if profile else (changes,)
    waivers = tuple(_waiver(reader, each) for each in reader.items(top.get("waivers")))
    return Policy(name, profile, plugins, in_force(rules, *layers, experimental=experimental), waivers)


def _change(reader: "_Reader", key: yaml.Node, value: yaml.Node, rules: tuple[LoadedRule, ...]) -> tuple[str, Change]:
    """(code, change) of an entry below ``rules:``."""
    loaded = next((each for each in rules if key.value in (each.rule.code, each.name)), None)
    if loaded is None:
        reader.refuse(key, f"no rule {shown(str(key.value))}")
    fields = reader.fields(value, "severity", "enabled", "thresholds")
    severity = Severity(reader.word(fields["severity"], tuple(Severity))) if "severity" in fields else None
    enabled = reader.flag(fields["enabled"]) if "enabled" in fields else None
    thresholds = dict(_threshold(reader, *pair, loaded) for pair in reader.pairs(fields.get("thresholds")))
    return loaded.rule.code, Change(severity, enabled, thresholds)


def _threshold(reader: "_Reader", key: yaml.Node, value: yaml.Node, loaded: LoadedRule) -> tuple[str, float]:
    known = loaded.thresholds._fields if loaded.thresholds else ()
    if key.value not in known:
        reader.refuse(key, f"{loaded.rule.code} has no threshold {shown(str(key.value))}; it has {', '.join(known) or 'none'}")
    number = reader.number(value)
    if key.value.endswith("_share") and number > 1:
        reader.refuse(value, f"{key.value} is a share: from 0 to 1")
    return key.value, number


def _waiver(reader: "_Reader", part: yaml.Node) -> Waiver:
    fields = reader.fields(part, "rule", "subject", "fingerprint", "reason", "owner", "expires", "scope")
    missing = [name for name in ("reason", "owner", "expires") if name not in fields]
    if missing:
        reader.refuse(part, f"a waiver needs {' and '.join(missing)}")
    if ("rule" in fields) == ("fingerprint" in fields):
        reader.refuse(part, "a waiver needs a rule or a fingerprint, and not both")
    texts = {name: reader.text(value) for name, value in fields.items() if name != "expires"}
    return Waiver(
        texts.get("rule", "*"),
        texts.get("subject", "*"),
        texts.get("fingerprint"),
        texts["reason"],
        texts["owner"],
        reader.day(fields["expires"]),
        texts.get("scope", "*"),
        part.start_mark.line + 1,
    )


class _Reader:
    """Nodes of one file as values. Everything raises UsageError with ``name:line``."""

    def __init__(self, name: str) -> None:
        self.name = name

    def refuse(self, part: yaml.Node, message: str) -> NoReturn:
        raise UsageError(f"{self.name}:{part.start_mark.line + 1}: {message}")

    def compose(self, text: str) -> yaml.Node | None:
        """The one document of the text; None where it is empty."""
        try:
            root: yaml.Node | None = yaml.compose(text, Loader=yaml.SafeLoader)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            raise UsageError(f"{self.name}:{mark.line + 1 if mark else 1}: {error.problem or error.context}") from error
        except yaml.reader.ReaderError as error:
            line = text.count("\n", 0, error.position) + 1
            raise UsageError(f"{self.name}:{line}: character U+{ord(text[error.position]):04X} is not allowed") from error
        except RecursionError as error:
            raise UsageError(f"{self.name}: nested too deeply") from error
        return root

    def pairs(self, part: yaml.Node | None) -> list[tuple[yaml.Node, yaml.Node]]:
        """Keys and values of a mapping, each key once; nothing for nothing."""
        if part is None:
            return []
        if not isinstance(part, yaml.MappingNode):
            self.refuse(part, "names with values belong here")
        seen: set[str] = set()
        for key, _ in part.value:
            if not isinstance(key, yaml.ScalarNode):
                self.refuse(key, "a name belongs here")
            if key.value in seen:
                self.refuse(key, f"{shown(key.value)} is here twice")
            seen.add(key.value)
        return list(part.value)

    def fields(self, part: yaml.Node, *known: str) -> dict[str, yaml.Node]:
        """A mapping with no other keys than these."""
        for key, _ in self.pairs(part):
            if key.value not in known:
                self.refuse(key, f"{shown(key.value)} means nothing here; {', '.join(known)} would")
        return {key.value: value for key, value in self.pairs(part)}

    def items(self, part: yaml.Node | None) -> list[yaml.Node]:
        """A list; nothing for nothing."""
        if part is None:
            return []
        if not isinstance(part, yaml.SequenceNode):
            self.refuse(part, "a list belongs here")
        return list(part.value)

    def text(self, part: yaml.Node) -> str:
        """A text that is not empty, also one that looks like a number (a fingerprint may)."""
        if not isinstance(part, yaml.ScalarNode) or not part.value:
            self.refuse(part, "a text belongs here")
        return str(part.value)

    def word(self, part: yaml.Node, known: tuple[str, ...]) -> str:
        """One of a few words."""
        if part.value not in known:
            self.refuse(part, f"one of {', '.join(known)} belongs here")
        return str(part.value)

    def flag(self, part: yaml.Node) -> bool:
        """``true`` or ``false``."""
        value = self._scalar(part)
        return value if isinstance(value, bool) else self.refuse(part, "true or false belongs here")

    def number(self, part: yaml.Node) -> float:
        """A number from 0 to 1e15; a whole one stays whole."""
        value = self._scalar(part)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1e15:
            self.refuse(part, "a number that is not negative belongs here")
        return value

    def day(self, part: yaml.Node) -> date | None:
        """A date such as 2027-01-31; None for ``never``."""
        try:
            return None if part.value == "never" else date.fromisoformat(self.text(part))
        except ValueError:
            self.refuse(part, "a date such as 2027-01-31, or never, belongs here")

    def _scalar(self, part: yaml.Node) -> Any:
        try:
            return yaml.constructor.SafeConstructor().construct_object(part)
        except (yaml.YAMLError, ValueError, OverflowError, RecursionError):
            return None
