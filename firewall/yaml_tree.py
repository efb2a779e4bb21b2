"""Grows a YAML document into a tree that knows where everything stands, and refuses what no edit could be sure of."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, cast

from yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    CollectionStartEvent,
    DocumentStartEvent,
    Event,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
)

from firewall.rule import FIELDS
from firewall.yaml_events import MERGE_TAG, TEXT_TAG, Meaning, end_of, start_of, tag_of
from refusal import Refusal

MAX_DEPTH = 50
# Some fifteen hundred rules. An event and its node take about a kilobyte, and twenty microseconds.
MAX_VALUES = 15_000

MERGE: Meaning = (MERGE_TAG, "<<")
_OPEN = -1
# What most nodes hold, all of them together: a container of its own for each would be most of what a tree costs.
_NOTHING: Final[Mapping[Any, Any]] = MappingProxyType({})


def _nothing() -> Mapping[Any, Any]:
    return _NOTHING


@dataclass(slots=True, eq=False)
class YamlNode:
    """A scalar, list, mapping or alias; the places of its first and last event, and where the last ends in the text."""

    event: NodeEvent
    first: int
    last: int
    end: int
    alias_of: "YamlNode | None" = None
    children: Sequence["YamlNode"] = ()
    members: Mapping[Meaning, tuple["YamlNode", "YamlNode"]] = field(default_factory=_nothing)
    rule_fields: Mapping[str, "YamlNode"] = field(default_factory=_nothing)
    weight: int = 1

    @property
    def content(self) -> "YamlNode":
        return self.alias_of or self

    @property
    def start(self) -> int:
        return start_of(self.event).index

    @property
    def column(self) -> int:
        return start_of(self.event).column

    @property
    def line(self) -> int:
        return start_of(self.event).line + 1

    @property
    def is_block(self) -> bool:
        return isinstance(self.event, CollectionStartEvent) and not self.event.flow_style

    @property
    def is_mapping(self) -> bool:
        return isinstance(self.event, MappingStartEvent)

    def add(self, child: "YamlNode") -> None:
        """Take in a part of a list or a mapping.

        Raises:
            Refusal: It is a key, and a list or a mapping itself: what a reader makes of that differs.
        """
        is_key = len(self.children) % 2 == 0 and self.is_mapping
        if is_key and not isinstance(child.content.event, ScalarEvent):
            raise Refusal(f"Line {child.line} of the rules file has a list or a mapping as a key. Use a text there.")
        cast("list[YamlNode]", self.children).append(child)  # of a list or a mapping, the tree made it one

    def pairs(self) -> Iterator[tuple["YamlNode", "YamlNode"]]:
        return zip(self.children[::2], self.children[1::2], strict=True)


class YamlTree:
    """The events of one document so far, and the tree they make."""

    # PyYAML's own composer recurses without a bound and lets repeated keys pass, so this tree is grown in a loop.

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.root: YamlNode | None = None
        self._open: list[YamlNode] = []
        self._anchors: dict[str, YamlNode] = {}
        self._values = 0

    def take(self, event: Event) -> None:
        """Grow by one event.

        Raises:
            Refusal: The document is too deep or too big, repeats a key, or is not the only one.
        """
        self.events.append(event)
        if isinstance(event, NodeEvent):
            self._plant(event)
        elif isinstance(event, CollectionEndEvent):
            self._close(event)
        elif isinstance(event, DocumentStartEvent):
            self._start_document(event)

    def _start_document(self, event: DocumentStartEvent) -> None:
        if self.root is not None:
            line = start_of(event).line + 1
            raise Refusal(f"A second YAML document starts at line {line} of the rules file. Keep one document in it.")

    def _plant(self, event: NodeEvent) -> None:
        place = len(self.events) - 1
        node = YamlNode(event, place, place, end_of(event).index)
        if isinstance(event, AliasEvent):
            node.alias_of = self._anchored(event)
        elif event.anchor:
            self._anchors[event.anchor] = node
        self._count(node)
        if self._open:
            self._open[-1].add(node)
        else:
            self.root = node
        if isinstance(event, CollectionStartEvent):
            self._descend(node)

    def _anchored(self, alias: AliasEvent) -> YamlNode:
        target = self._anchors.get(alias.anchor or "")
        if target is None or target.last == _OPEN:
            trouble = "names nothing before it" if target is None else "refers to itself"
            raise Refusal(
                f"The alias *{alias.anchor} at line {start_of(alias).line + 1} of the rules file {trouble}. "
                "Write the value out."
            )
        return target

    def _count(self, node: YamlNode) -> None:
        self._values += node.content.weight
        if self._values > MAX_VALUES:
            raise Refusal(
                f"By line {node.line} the rules file contains more than {MAX_VALUES:,} keys and values, including"
                " those of aliases. Write fewer aliases, or split the file."
            )

    def _descend(self, node: YamlNode) -> None:
        if len(self._open) == MAX_DEPTH:
            raise Refusal(
                f"Line {node.line} of the rules file is nested more than {MAX_DEPTH} levels deep. Flatten it."
            )
        # Counted from here to the close, what its own aliases stand for included.
        node.last, node.children = _OPEN, []
        node.weight = 1 - self._values
        self._open.append(node)

    def _close(self, event: CollectionEndEvent) -> None:
        node = self._open.pop()
        node.last = len(self.events) - 1
        node.end = end_of(event).index
        node.weight += self._values
        if node.is_mapping:
            node.members = self._members(node)
            # Whatever it merges in is closed by now, so a long chain of merges is resolved without recursion.
            node.rule_fields = _rule_fields(node)

    def _members(self, mapping: YamlNode) -> dict[Meaning, tuple[YamlNode, YamlNode]]:
        members: dict[Meaning, tuple[YamlNode, YamlNode]] = {}
        for key, value in mapping.pairs():
            name = _name(key)
            if name in members:
                raise Refusal(
                    f"Lines {members[name][0].line} and {key.line} of the rules file have the same key, {_shown(key)}, "
                    "in one mapping. Keep one of the two."
                )
            members[name] = key, value
        return members


def _rule_fields(mapping: YamlNode) -> dict[str, YamlNode]:
    """The fields of a rule that a mapping has, its own or merged in. Its own win, then those merged first."""
    fields: dict[str, YamlNode] = {}
    if MERGE in mapping.members:
        merged = mapping.members[MERGE][1].content
        for base in reversed([merged] if merged.is_mapping else merged.children):
            fields |= base.content.rule_fields
    for name in FIELDS:
        if (TEXT_TAG, name) in mapping.members:
            fields[name] = mapping.members[TEXT_TAG, name][1].content
    return fields


def _name(key: YamlNode) -> Meaning:
    # Whatever is no scalar was refused as a key.
    scalar = cast("ScalarEvent", key.content.event)
    return tag_of(scalar), scalar.value


def _shown(key: YamlNode) -> str:
    return f"{cast('ScalarEvent', key.content.event).value!r:.80}"
