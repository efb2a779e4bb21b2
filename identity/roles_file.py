"""Reads the structure of the roles file: sections and names. Error messages contain line numbers."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Final, Self

import yaml

from identity.toolset_names import ALL, INSTALLED, OF_A_TOOL, is_installed, is_or_holds, problem_of_external
from yaml_file import YamlFile

EXTERNAL, SIGNED_IN, ROLES, SCOPES, AGENTS, CHANGES, TENANTS = (
    "external",
    "signed-in",
    "roles",
    "scopes",
    "agents",
    "changes",
    "tenants",
)
_SECTIONS: Final = (EXTERNAL, SIGNED_IN, ROLES, SCOPES, AGENTS, CHANGES, TENANTS)
_TOOL: Final = re.compile(r"[A-Za-z0-9_.-]{1,128}")


@dataclass(frozen=True, slots=True)
class RolesFile(YamlFile):
    """Reads the roles file."""

    # The names of the built-in toolsets. After the file's list of external toolsets is read, this field also contains
    # their names.
    toolsets: tuple[str, ...]
    # The tools of built-in toolsets. The tools of external toolsets are not yet known when the file is read.
    tools: Mapping[str, Collection[str]]

    def sections(self, text: str) -> dict[str, yaml.Node]:
        """Read the sections that are not empty.

        Raises:
            Refusal: The file is invalid. The message contains the line number.
        """
        document = self.document(text, ", so nobody has access. Add roles to the file.")
        sections = {name: node for name, node in self.entries(document, "the file") if node.value}
        for section, node in sections.items():
            if section not in _SECTIONS:
                self.fail(node, f"unknown section {section!r}. The sections are {', '.join(_SECTIONS)}")
        return sections

    def knowing(self, external: tuple[str, ...]) -> Self:
        """A copy of this reader that also accepts the names of these external toolsets."""
        return replace(self, toolsets=(*self.toolsets, *external))

    def external(self, node: yaml.Node | None) -> tuple[str, ...]:
        if node is None:
            return ()
        if not isinstance(node, yaml.SequenceNode):
            self.fail(node, f"{EXTERNAL} must consist of `- name` lines")
        names: dict[str, None] = {}
        for entry in node.value:
            name = self._external_name(entry)
            if name in names:
                self.fail(entry, f"duplicate key {name!r}")
            names[name] = None
        return tuple(names)

    def _external_name(self, entry: yaml.Node) -> str:
        name: str = entry.value if isinstance(entry, yaml.ScalarNode) else ""
        if problem := problem_of_external(name, self.toolsets):
            self.fail(entry, f"{name!r} {problem}")
        if is_installed(name):
            self.fail(entry, f"{name!r} was installed by a tool; use {INSTALLED!r} for all installed toolsets")
        return name

    def tool(self, name: str, node: yaml.Node) -> tuple[str, str]:
        toolset, _, tool = name.partition(OF_A_TOOL)
        if toolset not in self.toolsets:
            self.fail(node, f"unknown toolset {toolset!r} in {tool!r}")
        known = self.tools.get(toolset)
        if known is not None and tool not in known:
            self.fail(node, f"the toolset {toolset!r} has no tool {tool!r}. Its tools are {', '.join(known)}")
        if not _TOOL.fullmatch(tool):
            self.fail(node, f"{tool!r} is not a tool name")
        return toolset, tool

    def named_toolsets(self, name: str, node: yaml.Node) -> list[str]:
        found = [toolset for toolset in self.toolsets if is_or_holds(name, toolset)]
        if not found:
            listed = f"The toolsets are {', '.join([ALL, *self.toolsets])}; list other toolsets under {EXTERNAL}"
            self.fail(node, f"unknown toolset {name!r}. {listed}")
        return found
