"""The roles file, which lists the toolsets and tools that callers with a role or scope can use."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final

import yaml

from clients.azure_devops.reach import EVERYTHING, DevOpsReach, ReachLock, entries
from identity.access import Access
from identity.caller import Acting, Caller
from identity.grants import Grants
from identity.roles_file import AGENTS, CHANGES, EXTERNAL, ROLES, SCOPES, SIGNED_IN, RolesFile
from identity.toolset_names import ALL, OF_A_TOOL, PACKS, REACH, opened_as

_NONE: Final = "none"
_FOR_PEOPLE: Final = "for-people"
# The allowed values, and whether each value lets an agent change something for a person without approval.
_ASKED: Final = {"asked": False, "unasked": True}
_LEVELS: Final[Mapping[str, Access | None]] = {_NONE: None, **{access.label: access for access in Access}}
# The keys of `reach`, and the maximum number of parts in the names listed under each key.
_REACHED: Final[Mapping[str, int]] = {"organizations": 1, "projects": 2, "repositories": 3}

_GUID: Final = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


@dataclass(frozen=True, slots=True)
class Opened:
    """The access to toolsets, and to individual tools whose access differs from the access to their toolset."""

    toolsets: Mapping[str, Access]
    tools: Mapping[tuple[str, str], Access | None]
    # The access is limited to these organizations, projects and repositories in Azure DevOps.
    reach: DevOpsReach = EVERYTHING

    @property
    def grants(self) -> Grants:
        """The grants that this entry of the roles file gives on its own."""
        return Grants.of(self.toolsets.items(), [(*tool, level) for tool, level in self.tools.items()])

    def level(self, toolset: str, tool: str) -> Access | None:
        of = opened_as(toolset)
        return self.tools.get((of, tool), self.toolsets.get(of))

    @property
    def extent(self) -> int:
        """A rough measure of the access that the entry gives. The measure is used to find the entry that gives the
        least access.
        """
        return sum(self.toolsets.values()) + sum(level or 0 for level in self.tools.values())


NOTHING: Final = Opened({}, {})


@dataclass(frozen=True, eq=False)
class Roles:
    """The content of the roles file.

    All signed-in callers have the access in `signed_in`. Roles and scopes add further access. Access is given to
    toolsets by name, so the file also applies to external toolsets that become available later. External toolsets that
    the file does not list are never accessible, even with access to `all`. Scopes in the file contain the application
    ID, like the scopes that clients request. Scopes in tokens do not contain it.
    """

    signed_in: Opened
    roles: Mapping[str, Opened]
    scopes: Mapping[str, Opened]
    # External toolsets that may become available while the server runs.
    external: tuple[str, ...] = ()
    # Maps the IDs of agents to the maximum access of these agents when they act for a person.
    agents: Mapping[str, Opened] = field(default_factory=dict)
    # The maximum access of all other agents when they act for a person.
    for_people: Opened = NOTHING
    # The agents that can make changes for a person without that person's approval.
    unasked: frozenset[str] = frozenset()

    @classmethod
    def read(
        cls,
        text: str,
        name: str,
        toolsets: Mapping[str, Collection[str]],
        by_name_only: Collection[tuple[str, str]] = (),
    ) -> Roles:
        """Read the roles file. `toolsets` maps the names of the built-in toolsets to the names of their tools.

        Access to a toolset does not include its tools in `by_name_only`: the file must name each of these tools.
        """
        return _Reading(name, tuple(toolsets), toolsets, by_name_only).roles(text)

    def grants_of(self, caller: Caller) -> Grants:
        """The grants of a caller.

        An agent that acts for a person has only the access that both the person and the agent have. An agent that acts
        for itself has the access of its roles.
        """
        roles = tuple(sorted(caller.roles & self.roles.keys()))
        if caller.acts is Acting.AGENT:
            return self._of_an_agent(roles)
        scopes = tuple(sorted(scope for scope in self.scopes if caller.scopes & {scope, short(scope)}))
        if not caller.agent:
            return self._of_a_person(roles, scopes)
        return self._of_an_agent_for_a_person(roles, scopes, self._line_of(caller))

    def has_to_ask(self, caller: Caller) -> bool:
        """Whether the caller is an agent that needs approval from the person it acts for."""
        return caller.acts is Acting.FOR_A_PERSON and self._line_of(caller) not in self.unasked

    def _line_of(self, caller: Caller) -> str:
        agent = caller.agent.id if caller.agent else ""
        return agent if agent in self.agents else _FOR_PEOPLE

    @lru_cache(maxsize=256)  # noqa: B019 - a single instance per process
    def _of_an_agent_for_a_person(self, roles: tuple[str, ...], scopes: tuple[str, ...], agent: str) -> Grants:
        most = self.agents.get(agent, self.for_people)
        return self._of_a_person(roles, scopes) & _granted([most])

    @lru_cache(maxsize=256)  # noqa: B019 - same
    def _of_an_agent(self, roles: tuple[str, ...]) -> Grants:
        return _granted([self.roles[role] for role in roles])

    @lru_cache(maxsize=256)  # noqa: B019 - same
    def _of_a_person(self, roles: tuple[str, ...], scopes: tuple[str, ...]) -> Grants:
        by_name = (*(self.roles[role] for role in roles), *(self.scopes[scope] for scope in scopes))
        return _granted([self.signed_in, *by_name])

    def scopes_for(self, toolset: str, tool: str, access: Access) -> list[str]:
        """The scopes that give this access, starting with the scope that gives the least access."""
        return list(_enough(self.scopes, toolset, tool, access))

    def roles_for(self, toolset: str, tool: str, access: Access) -> list[str]:
        """The roles that give this access, starting with the role that gives the least access."""
        return list(_enough(self.roles, toolset, tool, access))


def _granted(opened: Sequence[Opened]) -> Grants:
    """The combined grants from several entries of the roles file."""
    levels: dict[str, Access] = {}
    for toolset, access in (entry for one in opened for entry in one.toolsets.items()):
        levels[toolset] = max(access, levels.get(toolset, access))
    # Each tool gets the highest access that any entry gives to it. Even if one role excludes a tool, another role may
    # give access to the tool.
    tools = {tool for one in opened for tool in one.tools}
    exceptions = [(*tool, _most(one.level(*tool) for one in opened)) for tool in tools]
    granted = Grants.of(levels.items(), exceptions)
    if all(one.reach.is_everything for one in opened):
        return granted
    return replace(granted, shares=frozenset((one.grants, one.reach) for one in opened))


def short(scope: str) -> str:
    """The scope as it appears in tokens: without the application ID."""
    return scope.rpartition("/")[2]


def _most(levels: Iterable[Access | None]) -> Access | None:
    return max((level for level in levels if level is not None), default=None)


def _enough(openings: Mapping[str, Opened], toolset: str, tool: str, access: Access) -> Iterable[str]:
    fitting = [name for name, opened in openings.items() if (opened.level(toolset, tool) or 0) >= access]
    return sorted(fitting, key=lambda name: openings[name].extent)


@dataclass(frozen=True, slots=True)
class _Reading(RolesFile):
    by_name_only: Collection[tuple[str, str]]

    def roles(self, text: str) -> Roles:
        sections = self.sections(text)
        self._refuse_alike(sections.get(SCOPES))
        external = self.external(sections.get(EXTERNAL))
        return self.knowing(external).opened_by(sections, external)

    def opened_by(self, sections: Mapping[str, yaml.Node], external: tuple[str, ...]) -> Roles:
        signed_in = sections.get(SIGNED_IN)
        return Roles(
            self._opened(signed_in, SIGNED_IN) if signed_in else NOTHING,
            self._named(sections.get(ROLES), ROLES),
            self._named(sections.get(SCOPES), SCOPES),
            external,
            *self._agents(sections.get(AGENTS)),
        )

    def _agents(self, node: yaml.Node | None) -> tuple[Mapping[str, Opened], Opened, frozenset[str]]:
        """Read the maximum access of agents that act for a person, and the list of agents that need no approval.

        By default, an agent has the person's access, except to secrets.
        """
        agents: dict[str, Opened] = {}
        unasked: set[str] = set()
        for name, inner in self.entries(node, AGENTS) if node else ():
            if name != _FOR_PEOPLE and not _GUID.fullmatch(name):
                self.fail(inner, f"{name!r} must be {_FOR_PEOPLE} or the application (client) id of an agent")
            if name.lower() in agents:
                self.fail(inner, f"duplicate key {name!r}")
            agents[name.lower()] = self._opened(inner, name, besides=CHANGES)
            if self._is_unasked(inner, name):
                unasked.add(name.lower())
        everything = Opened(dict.fromkeys(self.toolsets, Access.DESTROY), dict.fromkeys(self.by_name_only))
        return agents, agents.pop(_FOR_PEOPLE, everything), frozenset(unasked)

    def _is_unasked(self, node: yaml.Node, name: str) -> bool:
        said = dict(self.entries(node, name)).get(CHANGES)
        if said is None:
            return False
        if said.value not in _ASKED:
            self.fail(said, f"{CHANGES} of an agent must be one of {', '.join(_ASKED)}")
        return _ASKED[said.value]

    def _named(self, node: yaml.Node | None, section: str) -> dict[str, Opened]:
        return {name: self._opened(inner, name) for name, inner in self.entries(node, section)} if node else {}

    def _refuse_alike(self, node: yaml.Node | None) -> None:
        seen: set[str] = set()
        for name, value in self.entries(node, SCOPES) if node else ():
            if short(name) in seen:
                self.fail(value, f"two scopes end with {short(name)!r}, and a token contains only this part")
            seen.add(short(name))

    def _opened(self, node: yaml.Node, where: str, besides: str = "") -> Opened:
        """Read the access that a role or scope gives.

        Names of groups and packs are replaced with their toolsets. If several names match a toolset, the most specific
        name wins.

        The key named in `besides` is skipped.
        """
        named = {name: inner for name, inner in self.entries(node, where) if name != besides}
        reach = self._reach(named.pop(REACH)) if REACH in named else EVERYTHING
        stated = sorted(named.items(), key=lambda entry: _exactness(entry[0], self._access(entry[1])))
        levels: dict[str, Access | None] = {}
        tools: dict[tuple[str, str], Access | None] = dict.fromkeys(self.by_name_only)
        for name, level in stated:
            access = self._access(level)
            if OF_A_TOOL in name:
                tools[self.tool(name, level)] = access
            else:
                levels |= dict.fromkeys(self.named_toolsets(name, level), access)
        return Opened({toolset: access for toolset, access in levels.items() if access is not None}, tools, reach)

    def _reach(self, node: yaml.Node) -> DevOpsReach:
        """Read the reach of a role or scope: the organizations, projects and repositories to which it gives access."""
        locked: dict[str, frozenset[str]] = {}
        for name, listed in self.entries(node, REACH):
            if name not in _REACHED:
                self.fail(listed, f"unknown key {name!r} in {REACH}. Valid: {', '.join(_REACHED)}")
            locked[name] = self._listed(listed, name)
        if not locked:
            self.fail(node, f"{REACH} is empty. Add at least one of these lists: {', '.join(_REACHED)}")
        return DevOpsReach.within(ReachLock(**locked))

    def _listed(self, node: yaml.Node, name: str) -> frozenset[str]:
        if not isinstance(node, yaml.SequenceNode) or not node.value:
            self.fail(node, f"{name} must be a non-empty list, for example [Web, Shop]")
        texts = [entry.value for entry in node.value if isinstance(entry, yaml.ScalarNode)]
        if len(texts) < len(node.value):
            self.fail(node, f"{name} must be a list of names or ids")
        try:
            return entries(texts, _REACHED[name])
        except ValueError as problem:
            self.fail(node, f"{name}: {problem}")

    def _access(self, node: yaml.Node) -> Access | None:
        if not isinstance(node, yaml.ScalarNode) or node.value not in _LEVELS:
            self.fail(node, f"access must be one of {', '.join(_LEVELS)}")
        return _LEVELS[node.value]


def _exactness(name: str, access: Access | None) -> tuple[bool, int]:
    """The sort key of a toolset entry in a role. More specific names come later, and override earlier entries.

    All packs come before other names. Of several packs, the pack with the least access comes last.
    """
    return name != ALL, -(access or 0) if name in PACKS else len(name)
