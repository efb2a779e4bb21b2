"""Builds a tree of nodes with source positions from a YAML document. Rejects documents that cannot be edited safely."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import cast

from yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    CollectionStartEvent,
    DocumentStartEvent,
    Event,
    NodeEvent,
    ScalarEvent,
)

from firewall.rule import FIELDS
from firewall.yaml_events import MERGE_TAG, TEXT_TAG, Meaning, start_of, tag_of
from firewall.yaml_node import Alias, Collection, YamlNode
from refusal import Refusal

MAX_DEPTH = 50
# About 1,500 rules. Each value takes about a kilobyte of memory and two microseconds.
MAX_VALUES = 15_000

MERGE: Meaning = (MERGE_TAG, "<<")
_OWN_FIELDS = tuple((name, (TEXT_TAG, name)) for name in FIELDS)


@dataclass(frozen=True, slots=True)
class YamlTree:
    """The events of a YAML document, and the tree of its nodes."""

    events: list[Event]
    root: YamlNode | None

    def first_place(self, node: YamlNode) -> int:
        """The index of a node's first event."""
        return self.events.index(node.event)

    def last_place(self, node: YamlNode) -> int:
        """The index of a node's last event."""
        return self.events.index((isinstance(node, Collection) and node.closing) or node.event)


def grown_from(events: Iterable[Event]) -> YamlTree:
    """Build the tree of a document.

    Raises:
        Refusal: The document is nested too deeply, is too large, repeats a key, or is not the only document.
    """
    growth = _Growth()
    growth.take(events)
    return YamlTree(growth.events, next(iter(growth.top), None))


class _Growth:
    """The incomplete tree: the events so far, and the lists and mappings that are still open."""

    # The tree is built in a loop, because PyYAML's composer recurses without a limit and accepts duplicate keys.

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.top: list[YamlNode] = []
        self._siblings = self.top
        self._open: list[Collection] = []
        self._anchors: dict[str, YamlNode] = {}
        self._values = 0

    def take(self, events: Iterable[Event]) -> None:
        keep = self.events.append
        for event in events:
            keep(event)
            # Three quarters of all events are plain scalars. Plain scalars are handled inline, because a function call
            # for each scalar would take most of the time.
            if type(event) is ScalarEvent and not event.anchor and self._values < MAX_VALUES:
                self._values += 1
                self._siblings.append(YamlNode(event))
            elif isinstance(event, NodeEvent):
                self._plant(event)
            elif isinstance(event, CollectionEndEvent):
                self._close(event)
            elif isinstance(event, DocumentStartEvent):
                self._start_document(event)

    def _start_document(self, event: DocumentStartEvent) -> None:
        if self.top:
            line = start_of(event).line + 1
            raise Refusal(
                f"A second YAML document starts at line {line} of the rules file. Keep only one document in the file."
            )

    def _plant(self, event: NodeEvent) -> None:
        node = self._node(event)
        self._count(node)
        self._check_key(node)
        self._siblings.append(node)
        if isinstance(node, Collection):
            self._descend(node)

    def _node(self, event: NodeEvent) -> YamlNode:
        if isinstance(event, AliasEvent):
            return Alias(event, self._anchored(event))
        node = Collection(event) if isinstance(event, CollectionStartEvent) else YamlNode(event)
        if event.anchor:
            self._anchors[event.anchor] = node
        return node

    def _anchored(self, alias: AliasEvent) -> YamlNode:
        target = self._anchors.get(alias.anchor or "")
        if target is None or target in self._open:
            trouble = (
                "refers to an anchor that is not defined before the alias" if target is None else "refers to itself"
            )
            raise Refusal(
                f"The alias *{alias.anchor} at line {start_of(alias).line + 1} of the rules file {trouble}. "
                "Write the value instead of the alias."
            )
        return target

    def _count(self, node: YamlNode) -> None:
        self._values += node.content.weight
        if self._values > MAX_VALUES:
            raise Refusal(
                f"Up to line {node.line}, the rules file contains more than {MAX_VALUES:,} keys and values, including"
                " the targets of aliases. Write fewer aliases, or split the file."
            )

    def _check_key(self, node: YamlNode) -> None:
        """Reject lists and mappings as keys, because YAML readers treat them differently."""
        is_key = self._open and self._open[-1].is_mapping and len(self._siblings) % 2 == 0
        if is_key and isinstance(node.content, Collection):
            raise Refusal(f"Line {node.line} of the rules file has a list or a mapping as a key. Use text as a key.")

    def _descend(self, node: Collection) -> None:
        if len(self._open) == MAX_DEPTH:
            raise Refusal(
                f"Line {node.line} of the rules file is nested more than {MAX_DEPTH} levels deep. Flatten it."
            )
        # The weight of a node is the number of nodes in it, including the targets of its aliases. It is the running
        # total of nodes at the end of this node, minus the total at its start.
        node.weight = 1 - self._values
        self._open.append(node)
        self._siblings = node.children

    def _close(self, event: CollectionEndEvent) -> None:
        node = self._open.pop()
        self._siblings = self._open[-1].children if self._open else self.top
        node.closing = event
        node.weight += self._values
        if node.is_mapping:
            node.members = _members(node)
            # At this point, the merged mappings are complete, so long chains of merges require no recursion.
            node.rule_fields = _rule_fields(node)


def _members(mapping: Collection) -> dict[Meaning, tuple[YamlNode, YamlNode]]:
    members = {_name(pair[0]): pair for pair in mapping.pairs()}
    if 2 * len(members) < len(mapping.children):
        _refuse_repeated_key(mapping)
    return members


def _refuse_repeated_key(mapping: Collection) -> None:
    keys: dict[Meaning, YamlNode] = {}
    for key in mapping.children[::2]:
        if (first := keys.setdefault(_name(key), key)) is not key:
            raise Refusal(
                f"Lines {first.line} and {key.line} of the rules file have the same key, {_display_name(key)}, "
                "in one mapping. Remove one of these keys."
            )


def _rule_fields(mapping: Collection) -> dict[str, YamlNode]:
    """The fields of a rule. Own fields override merged fields, and earlier merges override later merges."""
    fields: dict[str, YamlNode] = {}
    members = mapping.members
    if MERGE in members:
        merged = members[MERGE][1].content
        for base in reversed([merged] if merged.is_mapping else merged.children):
            fields |= base.content.rule_fields
    for name, key in _OWN_FIELDS:
        if key in members:
            fields[name] = members[key][1].content
    return fields


def _name(key: YamlNode) -> Meaning:
    # All keys are scalars, because keys of other kinds were rejected earlier.
    scalar = cast("ScalarEvent", key.content.event)
    return tag_of(scalar), scalar.value


def _display_name(key: YamlNode) -> str:
    return f"{cast('ScalarEvent', key.content.event).value!r:.80}"
