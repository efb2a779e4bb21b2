"""Reads the part of the roles file that maps callers to tenants of the team's data."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Final

import yaml

from identity.claims import LONGEST_VALUE
from identity.roles_file import TENANTS, RolesFile
from identity.tenants import NO_TENANTS, Tenants

_CLAIM, _SUBJECTS, _ROLES, _ACROSS = "claim", "subjects", "roles", "across"
_KEYS: Final = (_CLAIM, _SUBJECTS, _ROLES, _ACROSS)


def tenants_in(text: str, name: str, toolsets: Mapping[str, Collection[str]], roles: Collection[str]) -> Tenants:
    """Read the mapping of callers to tenants. `roles` are the names of the roles in the file.

    Raises:
        Refusal: The mapping is invalid. The message contains the line number.
    """
    file = RolesFile(name, tuple(toolsets), toolsets)
    node = file.sections(text).get(TENANTS)
    return _Reading(file, roles).tenants(node) if node else NO_TENANTS


@dataclass(frozen=True, slots=True)
class _Reading:
    file: RolesFile
    known: Collection[str]

    def tenants(self, node: yaml.Node) -> Tenants:
        said = dict(self.file.entries(node, TENANTS))
        for name, value in said.items():
            if name not in _KEYS:
                self.file.fail(value, f"unknown key {name!r} in {TENANTS}. Valid: {', '.join(_KEYS)}")
        return Tenants(
            self._text(said[_CLAIM]) if _CLAIM in said else "",
            self._mapped(said.get(_SUBJECTS), _SUBJECTS, lambda *_: None),
            self._mapped(said.get(_ROLES), _ROLES, self._check_role),
            self._across(said.get(_ACROSS)),
        )

    def _mapped(self, node: yaml.Node | None, where: str, check: Callable[[str, yaml.Node], None]) -> Mapping[str, str]:
        mapped: dict[str, str] = {}
        for name, value in self.file.entries(node, where) if node else ():
            check(name, value)
            mapped[name] = self._text(value)
        return mapped

    def _across(self, node: yaml.Node | None) -> frozenset[str]:
        if node is None:
            return frozenset()
        if not isinstance(node, yaml.SequenceNode):
            self.file.fail(node, f"{_ACROSS} must consist of `- name` lines")
        for entry in node.value:
            self._check_role(self._text(entry), entry)
        return frozenset(entry.value for entry in node.value)

    def _check_role(self, role: str, node: yaml.Node) -> None:
        if role not in self.known:
            self.file.fail(node, f"unknown role {role!r}. The roles are {', '.join(self.known)}")

    def _text(self, node: yaml.Node) -> str:
        value = node.value if isinstance(node, yaml.ScalarNode) else ""
        if not value or not value.isprintable() or len(value) > LONGEST_VALUE:
            self.file.fail(node, f"must be a string of 1 to {LONGEST_VALUE} characters")
        return str(value)
