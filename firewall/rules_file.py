"""Finds the rules of a rules file, and the teams and flows that the rules allow."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NoReturn

from yaml.events import AliasEvent, MappingStartEvent, ScalarEvent, SequenceStartEvent

from firewall.address import network_of
from firewall.rule import DEFAULT_PORT, Flow
from firewall.yaml_events import NULL_TAG, TEXT_TAG, tag_of
from firewall.yaml_node import YamlNode
from firewall.yaml_text import read_tree
from firewall.yaml_tree import MERGE, YamlTree
from refusal import Refusal
from shifts import give_way

# Matches the source text of an empty value, but not if the value has an anchor or a tag.
_NOTHING = re.compile(r"(?:\[ *\]|~|null|Null|NULL)?")
# 0443 is 291 in YAML 1.1 and 443 in YAML 1.2, so ports must not have leading zeros.
_PORT = re.compile(r"[1-9][0-9]{0,4}")
_WANTED = "a line 'rules:', followed by one '- team: ...' entry for each rule"


@dataclass(frozen=True, slots=True)
class PlacedRule:
    """The team, if any, and the line number of a rule in a file."""

    team: str | None
    line: int


@dataclass(frozen=True, slots=True)
class RulesFile:
    """A rules file. If the file contains the key `rules`, `key` is this key, and `rules` is its value."""

    text: str
    tree: YamlTree
    key: YamlNode | None = None
    rules: YamlNode | None = None

    @property
    def root(self) -> YamlNode | None:
        """The node of the top-level mapping, or None if the document is empty."""
        root = self.tree.root
        return root if root is not None and root.is_mapping else None

    def is_nothing(self, node: YamlNode) -> bool:
        """Whether a value is null or an empty list, without an anchor or a tag."""
        return bool(_NOTHING.fullmatch(self.text, node.start, node.end))

    def flows(self) -> dict[Flow, list[PlacedRule]]:
        """Maps each allowed flow to the rules that allow it."""
        found: dict[Flow, list[PlacedRule]] = {}
        if self.rules is None or not isinstance(self.rules.content.event, SequenceStartEvent):
            return found
        for entry in self.rules.content.children:
            give_way()
            if flow := _flow(entry.content.rule_fields):
                found.setdefault(flow, []).append(PlacedRule(_team(entry.content.rule_fields), entry.line))
        return found


def read_rules_file(text: str) -> RulesFile:
    """Read a rules file, which must be a mapping or empty."""
    tree = read_tree(text)
    root = tree.root
    if root is None or root.start == root.end:
        return RulesFile(text, tree)
    if not (root.is_mapping and root.is_block):
        raise Refusal(f"The rules file contains {_described(root)} from line {root.line} on. The file needs {_WANTED}.")
    if (TEXT_TAG, "rules") in root.members:
        return RulesFile(text, tree, *root.members[TEXT_TAG, "rules"])
    if MERGE in root.members:
        raise _merged_in(root.members[MERGE][0].line)
    return RulesFile(text, tree)


def _merged_in(line: int) -> Refusal:
    return Refusal(
        f"Line {line} of the rules file merges another mapping, which may contain the rules. Write the rules below"
        " 'rules:'."
    )


def is_plain_list(rules: YamlNode) -> bool:
    event = rules.event
    return isinstance(event, SequenceStartEvent) and rules.is_block and not event.anchor and not event.tag


def refuse_form(rules: YamlNode) -> NoReturn:
    raise Refusal(
        f"The key `rules` of the rules file contains {_described(rules)} at line {rules.line}, where no rule can be"
        f" added safely. Rewrite this key and its value as {_WANTED}."
    )


def _described(node: YamlNode) -> str:
    event = node.event
    if isinstance(event, AliasEvent):
        return f"the alias *{event.anchor}"
    if event.anchor:
        return f"a value with the anchor &{event.anchor}"
    if getattr(event, "tag", None):
        return "a value with a tag"
    if isinstance(event, ScalarEvent):
        return f"the value {event.value!r:.80}"
    what = "a mapping" if isinstance(event, MappingStartEvent) else "a list"
    return what if node.is_block else f"{what} in {'braces' if node.is_mapping else 'brackets'}"


def _flow(fields: Mapping[str, YamlNode]) -> Flow | None:
    source, destination = (network_of(_scalar(fields.get(name))) for name in ("source", "destination"))
    port = _port(fields.get("port"))
    return (source, destination, port) if source and destination and port is not None else None


def _team(fields: Mapping[str, YamlNode]) -> str | None:
    # Team 123 (a number) differs from team "123" for programs that read the file.
    team = fields.get("team")
    is_text = team is not None and isinstance(team.event, ScalarEvent) and tag_of(team.event) == TEXT_TAG
    return _scalar(team) if is_text else None


def _scalar(node: YamlNode | None) -> str | None:
    return node.event.value if node is not None and isinstance(node.event, ScalarEvent) else None


def _port(node: YamlNode | None) -> int | None:
    """The port of a rule. If the port is missing, return the default. A port in quotes counts as a number."""
    if node is None or (isinstance(node.event, ScalarEvent) and tag_of(node.event) == NULL_TAG):
        return DEFAULT_PORT
    text = _scalar(node)
    return int(text) if text and _PORT.fullmatch(text) else None
