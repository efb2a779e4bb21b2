"""The roles file: which role or scope opens which toolsets and tools, and how far."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Final, NoReturn

import yaml

from clients.azure_devops.reach import EVERYTHING, Lock, Reach, entries
from identity.access import Access
from identity.caller import Acting, Caller
from identity.grants import Grants
from identity.toolset_names import ALL, OF_A_TOOL, REACH, is_or_holds, problem_of_external
from refusal import Refusal

_NONE: Final = "none"
_EXTERNAL, _SIGNED_IN, _ROLES, _SCOPES = "external", "signed-in", "roles", "scopes"
_AGENTS, _FOR_PEOPLE = "agents", "for-people"
_SECTIONS: Final = (_EXTERNAL, _SIGNED_IN, _ROLES, _SCOPES, _AGENTS)
_LEVELS: Final[Mapping[str, Access | None]] = {_NONE: None, **{access.label: access for access in Access}}
_LONGEST_FILE: Final = 100_000
# What a reach may name, and of how many parts a name there may consist.
_REACHED: Final[Mapping[str, int]] = {"organizations": 1, "projects": 2, "repositories": 3}

_GUID: Final = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_TOOL: Final = re.compile(r"[A-Za-z0-9_.-]{1,128}")


@dataclass(frozen=True, slots=True)
class Opened:
    """How far each toolset is opened; and single tools, by toolset and name, with which it is otherwise."""

    toolsets: Mapping[str, Access]
    tools: Mapping[tuple[str, str], Access | None]
    # Within which of Azure DevOps it opens them.
    reach: Reach = EVERYTHING

    @property
    def grants(self) -> Grants:
        """What it grants by itself."""
        return Grants.of(self.toolsets.items(), [(*tool, level) for tool, level in self.tools.items()])

    def level(self, toolset: str, tool: str) -> Access | None:
        return self.tools.get((toolset, tool), self.toolsets.get(toolset))

    @property
    def extent(self) -> int:
        """How much it opens, roughly, to find the one that opens least."""
        return sum(self.toolsets.values()) + sum(level or 0 for level in self.tools.values())


NOTHING: Final = Opened({}, {})


@dataclass(frozen=True, eq=False)
class Roles:
    """`signed_in` is what everybody has who signed in; roles and scopes open more, and several open what each does.

    Grants are given to names, so they hold for an external toolset whenever it appears; one that the file does not list
    is opened by nothing in it, not even by `all`.

    Scopes are named as a client asks for them; a token has them without the application that they belong to.
    """

    signed_in: Opened
    roles: Mapping[str, Opened]
    scopes: Mapping[str, Opened]
    # The toolsets that may come from outside, while the server runs.
    external: tuple[str, ...] = ()
    # The most that each agent may do for a person, by its id.
    agents: Mapping[str, Opened] = field(default_factory=dict)
    # The same for all others.
    for_people: Opened = NOTHING

    @classmethod
    def read(
        cls,
        text: str,
        name: str,
        toolsets: Mapping[str, Collection[str]],
        by_name_only: Collection[tuple[str, str]] = (),
    ) -> Roles:
        """Read the file; `toolsets` are those in code, with the names of their tools.

        What opens a toolset opens none of its tools that are open `by_name_only`.

        Raises:
            Refusal: It is not valid; the line at fault is named.
        """
        return _Reading(name, tuple(toolsets), toolsets, by_name_only).roles(text)

    def grants_of(self, caller: Caller) -> Grants:
        """What the caller may do: for a person an agent may what both may, for itself what its roles say."""
        roles = tuple(sorted(caller.roles & self.roles.keys()))
        if caller.acts is Acting.AGENT:
            return self._of_an_agent(roles)
        scopes = tuple(sorted(scope for scope in self.scopes if caller.scopes & {scope, short(scope)}))
        if not caller.agent:
            return self._of_a_person(roles, scopes)
        named = caller.agent.id if caller.agent.id in self.agents else _FOR_PEOPLE
        return self._of_an_agent_for_a_person(roles, scopes, named)

    @lru_cache(maxsize=256)  # noqa: B019 - there is one such object in a process
    def _of_an_agent_for_a_person(self, roles: tuple[str, ...], scopes: tuple[str, ...], agent: str) -> Grants:
        most = self.agents.get(agent, self.for_people)
        return self._of_a_person(roles, scopes) & _granted([most])

    @lru_cache(maxsize=256)  # noqa: B019 - likewise
    def _of_an_agent(self, roles: tuple[str, ...]) -> Grants:
        return _granted([self.roles[role] for role in roles])

    @lru_cache(maxsize=256)  # noqa: B019 - likewise
    def _of_a_person(self, roles: tuple[str, ...], scopes: tuple[str, ...]) -> Grants:
        by_name = (*(self.roles[role] for role in roles), *(self.scopes[scope] for scope in scopes))
        return _granted([self.signed_in, *by_name])

    def scopes_for(self, toolset: str, tool: str, access: Access) -> list[str]:
        """The scopes of which each is enough, the one that opens least first."""
        return list(_enough(self.scopes, toolset, tool, access))

    def roles_for(self, toolset: str, tool: str, access: Access) -> list[str]:
        """The roles of which each is enough, the one that opens least first."""
        return list(_enough(self.roles, toolset, tool, access))


def _granted(opened: Sequence[Opened]) -> Grants:
    """What several open together."""
    levels: dict[str, Access] = {}
    for toolset, access in (entry for one in opened for entry in one.toolsets.items()):
        levels[toolset] = max(access, levels.get(toolset, access))
    # What one role makes an exception of is what it is by the others.
    tools = {tool for one in opened for tool in one.tools}
    exceptions = [(*tool, _most(one.level(*tool) for one in opened)) for tool in tools]
    granted = Grants.of(levels.items(), exceptions)
    if all(one.reach.is_everything for one in opened):
        return granted
    return replace(granted, shares=frozenset((one.grants, one.reach) for one in opened))


def short(scope: str) -> str:
    """A scope as tokens have it: without the application that it belongs to."""
    return scope.rpartition("/")[2]


def _most(levels: Iterable[Access | None]) -> Access | None:
    return max((level for level in levels if level is not None), default=None)


def _enough(openings: Mapping[str, Opened], toolset: str, tool: str, access: Access) -> Iterable[str]:
    fitting = [name for name, opened in openings.items() if (opened.level(toolset, tool) or 0) >= access]
    return sorted(fitting, key=lambda name: openings[name].extent)


@dataclass(frozen=True, slots=True)
class _Reading:
    """Reads one file, and knows the line of whatever is wrong in it."""

    name: str
    # Those in code; with those that the file lists as external, once these have been read.
    toolsets: tuple[str, ...]
    # The tools of those in code. Which ones those from outside will have, nobody knows yet.
    tools: Mapping[str, Collection[str]]
    by_name_only: Collection[tuple[str, str]]

    def roles(self, text: str) -> Roles:
        if len(text) > _LONGEST_FILE:
            raise Refusal(f"{self.name} is longer than {_LONGEST_FILE} characters.")
        sections = {name: node for name, node in self._entries(self._document(text), "the file") if node.value}
        for section, node in sections.items():
            if section not in _SECTIONS:
                self._fail(node, f"there is no section {section!r}. The sections are {', '.join(_SECTIONS)}")
        self._refuse_alike(sections.get(_SCOPES))
        external = self._external(sections.get(_EXTERNAL))
        return replace(self, toolsets=(*self.toolsets, *external)).opened_by(sections, external)

    def opened_by(self, sections: Mapping[str, yaml.Node], external: tuple[str, ...]) -> Roles:
        signed_in = sections.get(_SIGNED_IN)
        return Roles(
            self._opened(signed_in, _SIGNED_IN) if signed_in else NOTHING,
            self._named(sections.get(_ROLES), _ROLES),
            self._named(sections.get(_SCOPES), _SCOPES),
            external,
            *self._agents(sections.get(_AGENTS)),
        )

    def _agents(self, node: yaml.Node | None) -> tuple[Mapping[str, Opened], Opened]:
        """What each agent may do for a person at most, and all others: reading, unless the file says otherwise."""
        agents: dict[str, Opened] = {}
        for name, inner in self._entries(node, _AGENTS) if node else ():
            if name != _FOR_PEOPLE and not _GUID.fullmatch(name):
                self._fail(inner, f"{name!r} is neither {_FOR_PEOPLE} nor the application (client) id of an agent")
            if name.lower() in agents:
                self._fail(inner, f"{name!r} stands here twice")
            agents[name.lower()] = self._opened(inner, name)
        reading = Opened(dict.fromkeys(self.toolsets, Access.READ), dict.fromkeys(self.by_name_only))
        return agents, agents.pop(_FOR_PEOPLE, reading)

    def _external(self, node: yaml.Node | None) -> tuple[str, ...]:
        if node is None:
            return ()
        if not isinstance(node, yaml.SequenceNode):
            self._fail(node, f"{_EXTERNAL} has to consist of `- name` lines")
        names: dict[str, None] = {}
        for entry in node.value:
            name = entry.value if isinstance(entry, yaml.ScalarNode) else ""
            if problem := problem_of_external(name, self.toolsets):
                self._fail(entry, f"{name!r} {problem}")
            if name in names:
                self._fail(entry, f"{name!r} stands here twice")
            names[name] = None
        return tuple(names)

    def _document(self, text: str) -> yaml.Node:
        try:
            document = yaml.compose(text, Loader=yaml.SafeLoader)
        except yaml.MarkedYAMLError as error:
            line = error.problem_mark.line + 1 if error.problem_mark else 1
            raise Refusal(f"{self.name}, line {line}: this is not YAML: {error.problem}.") from None
        except (yaml.YAMLError, RecursionError):
            raise Refusal(f"{self.name} is not YAML that can be read.") from None
        if document is None:
            raise Refusal(f"{self.name} is empty, so nobody may do anything. Name roles in it.")
        return document

    def _named(self, node: yaml.Node | None, section: str) -> dict[str, Opened]:
        return {name: self._opened(inner, name) for name, inner in self._entries(node, section)} if node else {}

    def _refuse_alike(self, node: yaml.Node | None) -> None:
        seen: set[str] = set()
        for name, value in self._entries(node, _SCOPES) if node else ():
            if short(name) in seen:
                self._fail(value, f"two scopes end with {short(name)!r}, which is all that a token has of them")
            seen.add(short(name))

    def _opened(self, node: yaml.Node, where: str) -> Opened:
        """Resolve the names of groups; what is named more exactly wins."""
        named = dict(self._entries(node, where))
        reach = self._reach(named.pop(REACH)) if REACH in named else EVERYTHING
        stated = sorted(named.items(), key=lambda entry: (entry[0] != ALL, len(entry[0])))
        levels: dict[str, Access | None] = {}
        tools: dict[tuple[str, str], Access | None] = dict.fromkeys(self.by_name_only)
        for name, level in stated:
            access = self._access(level)
            if OF_A_TOOL in name:
                tools[self._tool(name, level)] = access
            else:
                levels |= dict.fromkeys(self._toolsets(name, level), access)
        return Opened({toolset: access for toolset, access in levels.items() if access is not None}, tools, reach)

    def _reach(self, node: yaml.Node) -> Reach:
        """Within which organizations, projects and repositories a role or a scope opens what it opens."""
        locked: dict[str, frozenset[str]] = {}
        for name, listed in self._entries(node, REACH):
            if name not in _REACHED:
                self._fail(listed, f"{REACH} is of {', '.join(_REACHED)}, and not of {name!r}")
            locked[name] = self._listed(listed, name)
        if not locked:
            self._fail(node, f"{REACH} names nothing. It has lists of {', '.join(_REACHED)}")
        return Reach.within(Lock(**locked))

    def _listed(self, node: yaml.Node, name: str) -> frozenset[str]:
        if not isinstance(node, yaml.SequenceNode) or not node.value:
            self._fail(node, f"{name} has to be a list, such as [Web, Shop], that names at least one")
        texts = [entry.value for entry in node.value if isinstance(entry, yaml.ScalarNode)]
        if len(texts) < len(node.value):
            self._fail(node, f"{name} has to be a list of names or ids")
        try:
            return entries(texts, _REACHED[name])
        except ValueError as problem:
            self._fail(node, f"{name}: {problem}")

    def _tool(self, name: str, node: yaml.Node) -> tuple[str, str]:
        toolset, _, tool = name.partition(OF_A_TOOL)
        if toolset not in self.toolsets:
            self._fail(node, f"there is no toolset {toolset!r}, of which {tool!r} would be a tool")
        known = self.tools.get(toolset)
        if known is not None and tool not in known:
            self._fail(node, f"the toolset {toolset!r} has no tool {tool!r}. Its tools are {', '.join(known)}")
        if not _TOOL.fullmatch(tool):
            self._fail(node, f"{tool!r} is no name of a tool")
        return toolset, tool

    def _toolsets(self, name: str, node: yaml.Node) -> list[str]:
        found = [toolset for toolset in self.toolsets if is_or_holds(name, toolset)]
        if not found:
            listed = f"The toolsets are {', '.join([ALL, *self.toolsets])}; others are listed under {_EXTERNAL}"
            self._fail(node, f"there is no toolset {name!r}. {listed}")
        return found

    def _access(self, node: yaml.Node) -> Access | None:
        if not isinstance(node, yaml.ScalarNode) or node.value not in _LEVELS:
            self._fail(node, f"an access is one of {', '.join(_LEVELS)}")
        return _LEVELS[node.value]

    def _entries(self, node: yaml.Node, where: str) -> Iterator[tuple[str, yaml.Node]]:
        if not isinstance(node, yaml.MappingNode):
            self._fail(node, f"{where} has to consist of `name: value` lines")
        seen: set[str] = set()
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode) or not key.value:
                self._fail(key, "a name has to be a word")
            if key.value in seen:
                self._fail(key, f"{key.value!r} stands here twice")
            seen.add(key.value)
            yield key.value, value

    def _fail(self, node: Any, problem: str) -> NoReturn:
        raise Refusal(f"{self.name}, line {node.start_mark.line + 1}: {problem}.")
