"""Removes records outside the allowed scope from a response, according to the project and repository of each record."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from clients.azure_devops.confinement.addresses import OrganizationAddresses
from clients.azure_devops.confinement.bounds import Named, NameIndex, OrganizationBounds, Repository
from clients.azure_devops.confinement.builds import OTHER_BUILDS, other_build_of

GONE: Final = object()

_PROJECTS: Final = ("project", "projectReference", "teamProject", "teamProjectReference")
_PROJECT_NAMES: Final = ("projectId", "teamProjectId", "projectName", "teamProjectName")
_TEAM_PROJECT: Final = ("System.TeamProject", "system.teamproject")
_PARENT: Final = "System.Parent"
# If one of these values is removed from a record, the whole record is removed.
_SCOPE: Final = "scope"
_ITSELF: Final = frozenset(
    {"repository", "workItem", "testCase", "target", "settings", _SCOPE}
    | {"url", "href", "remoteUrl", "webUrl", "sshUrl", "location"}
)
# Names of the fields that contain the entries of a list in a response.
_ENTRIES: Final = ("value", "results")
# Names of the fields that contain the old and the new value of a work item field in a response.
_VALUES: Final = frozenset({"oldValue", "newValue"})
_ITEMS: Final = frozenset({"workItem", "testCase", "source", "target", "workItems", "workItemRefs", "associatedBugs"})
_ITEM_NUMBERS: Final = frozenset({_PARENT, "requirementId"})
_NAMES_OF_PEOPLE: Final = ("displayName", "providerDisplayName", "principalName")
_SCOPED_NAME: Final = re.compile(r"\[([^\]]*)\]\\")
# The names of scopes that mean the organization or the service itself, and therefore have no project.
_NO_PROJECT: Final = frozenset({"team foundation"})
# The field in which a fork names the repository from which it was created.
_FORKED: Final = "parentRepository"
_GIT: Final = frozenset({"tfsgit", "azurereposgit", "git", ""})


@dataclass
class DevOpsSieve:
    """Filters a response.

    For each work item, `items` states whether the item is allowed. `repositories` are the IDs of allowed repositories;
    None if all repositories of an allowed project are allowed.
    """

    bounds: OrganizationBounds
    addresses: OrganizationAddresses
    items: Mapping[int, bool] = field(default_factory=dict)
    repositories: NameIndex[Repository] | None = None
    # The allowed builds to which the entries belong.
    builds: frozenset[int] = frozenset()
    # An additional condition that the record, or each entry of a list, must meet.
    holds: Callable[[Any], bool] = lambda _: True
    # The fields that are never shown, because they cannot be checked.
    hidden: frozenset[str] = frozenset()
    left_out: int = 0
    is_whole: bool = True

    def answer(self, document: Mapping[str, Any]) -> Any:
        """The part of the document that is in the allowed scope, or GONE if no part is in the scope."""
        entries = next((name for name in _ENTRIES if isinstance(document.get(name), list)), "")
        if not entries and not self.holds(document):
            return GONE
        lists = {name: self._rows(value, name, entries) for name, value in document.items() if isinstance(value, list)}
        shown = self._mapping({name: value for name, value in document.items() if name not in lists})
        if shown is GONE:
            return GONE
        shown |= lists
        if entries and "count" in shown and self.left_out:
            shown["count"] = len(shown[entries])
        return {name: shown[name] for name in document if name in shown}

    def _rows(self, rows: list[Any], name: str, entries: str) -> list[Any]:
        there = [row for row in rows if name != entries or self.holds(row)]
        kept = [found for row in there if (found := self.shown(row, name)) is not GONE]
        self.left_out += len(rows) - len(kept)
        self.is_whole &= len(rows) == len(kept)
        return kept

    def shown(self, value: Any, name: str = "") -> Any:
        if isinstance(value, Mapping):
            return self._mapping(value, name)
        if isinstance(value, list):
            kept = [found for entry in value if (found := self.shown(entry, name)) is not GONE]
            self.is_whole &= len(kept) == len(value)
            return kept
        if name in _ITEM_NUMBERS and value and not self._admits_item(value):
            return GONE
        return GONE if isinstance(value, str) and self._leads_out(value) else value

    def _mapping(self, record: Mapping[str, Any], name: str = "") -> Any:
        if self._is_out(record, name):
            self.is_whole = False
            return GONE
        kept: dict[str, Any] = {}
        for key, value in record.items():
            if key in self.hidden:
                continue
            found = self.shown(value, name if key in _VALUES else key)
            if found is GONE or (key == _SCOPE and value and not found):
                self.is_whole = False
                if key in _ITSELF:
                    return GONE
            else:
                kept[key] = found
        return kept

    def _is_out(self, record: Mapping[str, Any], name: str) -> bool:
        if any(not known for known in self.own_projects(record)):
            return True
        if self.repositories is not None and self._is_of_other_repository(record, name, self.repositories):
            return True
        if any(self._is_of_others(record.get(key)) for key in _NAMES_OF_PEOPLE):
            return True
        number = item_of(record, name)
        return number is not None and not self._admits_item(number)

    def _is_of_other_repository(self, record: Mapping[str, Any], name: str, allowed: NameIndex[Repository]) -> bool:
        if name in OTHER_BUILDS and other_build_of(record, name) not in self.builds:
            return True
        if name == _FORKED and not self._is_repository_of(allowed, str(record.get("id")), record):
            return True
        # A trigger that names a pipeline does not show the repository of this pipeline.
        if name == "triggers" and record.get("definition"):
            return True
        return any(not self._is_repository_of(allowed, one, record) for one in repositories_of(record))

    def own_projects(self, record: Mapping[str, Any]) -> Iterator[bool]:
        """For each project of a record, yield whether the project is allowed."""
        for key in _PROJECTS:
            value = record.get(key)
            if isinstance(value, Mapping) and (value.get("id") or value.get("name")):
                yield self.bounds.project_of(value) is not None
            elif isinstance(value, str) and value:
                yield self.bounds.project(value) is not None
        for value in (*(record.get(key) for key in _PROJECT_NAMES), *_team_projects(record)):
            if isinstance(value, str) and value:
                yield self.bounds.project(value) is not None

    def _is_repository_of(self, allowed: NameIndex[Repository], what: str, record: Mapping[str, Any]) -> bool:
        """Whether a repository is one of the allowed repositories.

        The ID identifies the repository. If there is no ID, the name and the project identify the repository.
        """
        project = self.bounds.project_of(record["project"]) if isinstance(record.get("project"), Mapping) else None
        return any(one.id == what.lower() or (project and one.project.id == project.id) for one in allowed.alike(what))

    def _is_of_others(self, name: Any) -> bool:
        """Whether a name denotes a group or team of a project that is not allowed."""
        found = _SCOPED_NAME.match(name) if isinstance(name, str) else None
        if not found or found[1].lower() in {*_NO_PROJECT, self.addresses.organization.name.lower()}:
            return False
        return self.bounds.project(found[1]) is None

    def _admits_item(self, number: Any) -> bool:
        return self.items.get(int(number), False) if str(number).isdecimal() else False

    def _leads_out(self, text: str) -> bool:
        if (build := self.addresses.build_in(text)) is not None:
            return build not in self.builds
        named = self.addresses.project_in(text)
        project = self.bounds.project(named) if named is not None else None
        if named is not None and project is None:
            return True
        if self.repositories is not None and self._leads_to_other_repository(text, project, self.repositories):
            return True
        number = self.addresses.work_item_in(text) if "://" in text[:10] and "\n" not in text else None
        return number is not None and not self.items.get(number, True)

    def _leads_to_other_repository(self, text: str, project: Named | None, allowed: NameIndex[Repository]) -> bool:
        repository = self.addresses.repository_in(text)
        if not repository:
            return self.addresses.may_lead_to_any_repository(text)
        found = allowed.alike(repository)
        return not any(one.id == repository.lower() or (project and one.project.id == project.id) for one in found)


def items_in(value: Any, name: str = "") -> Iterator[int]:
    """Yield the numbers of the work items to which a document refers without naming a project."""
    if isinstance(value, Mapping):
        number = item_of(value, name)
        if number is not None:
            yield number
        for key, inner in value.items():
            yield from items_in(inner, name if key in _VALUES else key)
    elif isinstance(value, list):
        for entry in value:
            yield from items_in(entry, name)
    elif name in _ITEM_NUMBERS and str(value).isdecimal() and int(value):
        yield int(value)


def item_of(record: Mapping[str, Any], name: str) -> int | None:
    """The number of the work item that a record describes or refers to; None if the record itself names a project."""
    if any(True for _ in _team_projects(record)):
        return None
    found = str(record.get("id") or "") if name in _ITEMS else ""
    if not found and isinstance(url := record.get("url"), str):
        return OrganizationAddresses.work_item_in(url)
    return int(found) or None if found.isdecimal() else None


def repositories_of(record: Mapping[str, Any]) -> Iterator[str]:
    """Yield the IDs of a record's repositories. For a repository outside Azure Repos, yield "none"."""
    if isinstance(found := record.get("repositoryId"), str) and found:
        yield found
    inner = record.get("repository")
    if isinstance(inner, Mapping):
        kind = str(inner.get("type") or "").lower()
        yield str(inner.get("id") or inner.get("name") or "none") if kind in _GIT else "none"


def _team_projects(record: Mapping[str, Any]) -> Iterator[str]:
    fields = record.get("fields")
    for name in _TEAM_PROJECT:
        value = fields.get(name) if isinstance(fields, Mapping) else None
        if isinstance(value, str):
            yield value
