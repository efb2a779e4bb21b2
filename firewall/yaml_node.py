"""YAML nodes with their positions in the source: scalars, aliases, lists and mappings."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from yaml.events import AliasEvent, CollectionEndEvent, CollectionStartEvent, MappingStartEvent, NodeEvent

from firewall.yaml_events import Meaning, end_of, start_of

_NOTHING: Final[Mapping[Any, Any]] = MappingProxyType({})


class YamlNode:
    """A scalar. The other kinds of nodes are subclasses."""

    # Most nodes are scalars. To save memory in large trees, a scalar stores only one attribute. The other attributes
    # are empty containers that all scalars share.
    __slots__ = ("event",)

    children: Sequence["YamlNode"] = ()
    members: Mapping[Meaning, tuple["YamlNode", "YamlNode"]] = _NOTHING
    rule_fields: Mapping[str, "YamlNode"] = _NOTHING
    is_mapping = False
    is_block = False
    weight = 1

    def __init__(self, event: NodeEvent) -> None:
        self.event = event

    @property
    def content(self) -> "YamlNode":
        """The node itself or, if it is an alias, the node that it refers to."""
        return self

    @property
    def start(self) -> int:
        return start_of(self.event).index

    @property
    def end(self) -> int:
        return end_of(self.event).index

    @property
    def column(self) -> int:
        return start_of(self.event).column

    @property
    def line(self) -> int:
        return start_of(self.event).line + 1

    def pairs(self) -> Iterator[tuple["YamlNode", "YamlNode"]]:
        return zip(self.children[::2], self.children[1::2], strict=True)


class Alias(YamlNode):
    """An alias, and the node that it refers to."""

    __slots__ = ("_target",)

    def __init__(self, event: AliasEvent, target: YamlNode) -> None:
        super().__init__(event)
        self._target = target

    @property
    def content(self) -> YamlNode:
        return self._target


class Collection(YamlNode):
    """A list or a mapping. `closing` is the event at the end, or None until this event has been parsed."""

    __slots__ = ("children", "closing", "is_block", "is_mapping", "members", "rule_fields", "weight")

    def __init__(self, event: CollectionStartEvent) -> None:
        self.event = event
        self.children: list[YamlNode] = []
        self.members = self.rule_fields = _NOTHING
        self.is_mapping = type(event) is MappingStartEvent
        self.is_block = not event.flow_style
        self.closing: CollectionEndEvent | None = None
        self.weight = 1

    @property
    def end(self) -> int:
        return end_of(self.closing or self.event).index
