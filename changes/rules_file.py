"""Reads the approval rules in the roles file."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

import yaml

from changes.approval_request import RequiredApprover
from changes.effects import Effect
from changes.presets import PRESETS
from changes.rule import TAG, Rule, stray_place
from clients.folding import folded
from identity.access import Access
from identity.roles_file import CHANGES, EXTERNAL, RolesFile
from identity.toolset_names import OF_A_TOOL

_TOOLS, _ACCESS, _EFFECT, _IN, _ASK, _OF, _FRESH, _NOTIFY = (
    *("tools", "access", "effect", "in"),
    *("ask", "of", "fresh", "notify"),
)
_KEYS: Final = (_TOOLS, _ACCESS, _EFFECT, _IN, _ASK, _OF, _FRESH, _NOTIFY)
_PRESET: Final = "preset"
# The lifetime of a browser session in minutes. A rule cannot accept a sign-in that is older than this lifetime.
_MOST_MINUTES: Final = 480
_MINUTES: Final = re.compile("[1-9][0-9]{0,2}")
_CHANGING: Final = {access.label: access for access in (Access.WRITE, Access.DESTROY)}
_EFFECTS: Final = {effect.value: effect for effect in Effect}
_ASKS: Final = {asks.value: asks for asks in RequiredApprover}
_MOST: Final = 200


def rules_in(
    text: str,
    name: str,
    toolsets: Mapping[str, Collection[str]],
    roles: Collection[str],
    places: Collection[str] = (),
) -> tuple[Rule, ...]:
    """Read the approval rules of a roles file, in order.

    `roles` are the names of the roles in the file. `places` are the names of the channels that rules may use.

    Raises:
        Refusal: A rule is invalid. The message contains the line number.
    """
    file = RolesFile(name, tuple(toolsets), toolsets)
    sections = file.sections(text)
    node = sections.get(CHANGES)
    if node is None:
        return ()
    if not isinstance(node, yaml.SequenceNode) or len(node.value) > _MOST:
        file.fail(node, f"{CHANGES} must be a list of at most {_MOST} rules, each starting with `- `")
    reading = _Rules(file.knowing(file.external(sections.get(EXTERNAL))), roles, places)
    return tuple(rule for entry in node.value for rule in reading.rules(entry))


@dataclass(frozen=True, slots=True)
class _Rules:
    file: RolesFile
    roles: Collection[str]
    places: Collection[str]

    def rules(self, node: yaml.Node) -> tuple[Rule, ...]:
        """Read an entry: a rule, or a preset, which consists of several rules."""
        said = dict(self.file.entries(node, "a rule"))
        if _PRESET not in said:
            return (self._rule(node, said),)
        if len(said) > 1:
            self.file.fail(node, f"{_PRESET} must be the only key of its rule, because a preset is a list of rules")
        found: tuple[Rule, ...] = self._one_of(said[_PRESET], PRESETS, _PRESET)
        return found

    def _rule(self, node: yaml.Node, said: Mapping[str, yaml.Node]) -> Rule:
        for name, value in said.items():
            if name not in _KEYS:
                self.file.fail(value, f"unknown key {name!r}. A rule can have {', '.join(_KEYS)}")
        if _ASK not in said:
            self.file.fail(node, f"a rule requires `{_ASK}` with one of these values: {', '.join(_ASKS)}")
        asks = self._one_of(said[_ASK], _ASKS, _ASK)
        toolsets, tools = self._tools(said.get(_TOOLS))
        return Rule(
            asks,
            tools,
            toolsets,
            self._one_of(said[_ACCESS], _CHANGING, _ACCESS) if _ACCESS in said else None,
            self._places(said.get(_IN)),
            self._of(said.get(_OF), asks),
            self._fresh(said.get(_FRESH), asks),
            self._effects(said.get(_EFFECT)),
            notify=self._notify(said.get(_NOTIFY), asks),
        )

    def _effects(self, node: yaml.Node | None) -> frozenset[Effect]:
        if node is None:
            return frozenset()
        return frozenset(self._one_of(entry, _EFFECTS, _EFFECT) for _, entry in self._texts(node, _EFFECT))

    def _tools(self, node: yaml.Node | None) -> tuple[frozenset[str], frozenset[tuple[str, str]] | None]:
        """Read which toolsets and tools a rule selects. Empty means all."""
        if node is None:
            return frozenset(), None
        toolsets: set[str] = set()
        tools: set[tuple[str, str]] = set()
        for name, entry in self._texts(node, _TOOLS):
            if OF_A_TOOL in name:
                tools.add(self.file.tool(name, entry))
            else:
                toolsets.update(self.file.named_toolsets(name, entry))
        return frozenset(toolsets), frozenset(tools)

    def _places(self, node: yaml.Node | None) -> dict[str, tuple[str, ...]]:
        if node is None:
            return {}
        entries = self.file.entries(node, _IN)
        # Tag names are case-insensitive.
        places = {
            folded(name) if name.startswith(TAG) else name: self._patterns(value, name) for name, value in entries
        }
        if stray := stray_place(places):
            self.file.fail(node, stray)
        return places

    def _patterns(self, node: yaml.Node, name: str) -> tuple[str, ...]:
        if isinstance(node, yaml.ScalarNode) and node.value:
            return (node.value,)
        return tuple(text for text, _ in self._texts(node, name))

    def _of(self, node: yaml.Node | None, asks: RequiredApprover) -> tuple[str, ...]:
        if node is None:
            return ()
        if asks is not RequiredApprover.ANOTHER:
            self.file.fail(
                node, f"{_OF} lists roles of another person, so it requires {_ASK}: {RequiredApprover.ANOTHER}"
            )
        named = self._texts(node, _OF)
        for role, entry in named:
            if role not in self.roles:
                self.file.fail(entry, f"unknown role {role!r}. The roles are {', '.join(self.roles)}")
        return tuple(role for role, _ in named)

    def _notify(self, node: yaml.Node | None, asks: RequiredApprover) -> tuple[str, ...]:
        if node is None:
            return ()
        if asks is not RequiredApprover.ANOTHER:
            self.file.fail(node, f"{_NOTIFY} notifies other people, so it requires {_ASK}: {RequiredApprover.ANOTHER}")
        named = self._texts(node, _NOTIFY)
        for place, entry in named:
            if place not in self.places:
                known = f"The channels are {', '.join(self.places)}" if self.places else "NOTIFY_PLACES is empty"
                self.file.fail(entry, f"unknown channel {place!r}. {known}")
        return tuple(place for place, _ in named)

    def _fresh(self, node: yaml.Node | None, asks: RequiredApprover) -> int:
        if node is None:
            return 0
        if asks is RequiredApprover.NOBODY:
            self.file.fail(
                node, f"{_FRESH} requires an approver, so it cannot be combined with {_ASK}: {RequiredApprover.NOBODY}"
            )
        said = node.value if isinstance(node, yaml.ScalarNode) else ""
        if not (_MINUTES.fullmatch(said) and int(said) <= _MOST_MINUTES):
            self.file.fail(node, f"{_FRESH} must be a number of minutes from 1 to {_MOST_MINUTES}")
        return int(said)

    def _texts(self, node: yaml.Node, name: str) -> list[tuple[str, yaml.Node]]:
        if not isinstance(node, yaml.SequenceNode) or not node.value:
            self.file.fail(node, f"{name} must be a non-empty list, for example [one, another]")
        for entry in node.value:
            if not isinstance(entry, yaml.ScalarNode) or not entry.value:
                self.file.fail(entry, f"{name} must be a list of names")
        return [(entry.value, entry) for entry in node.value]

    def _one_of(self, node: yaml.Node, known: Mapping[str, Any], name: str) -> Any:
        if not isinstance(node, yaml.ScalarNode) or node.value not in known:
            self.file.fail(node, f"{name} must be one of {', '.join(known)}")
        return known[node.value]
