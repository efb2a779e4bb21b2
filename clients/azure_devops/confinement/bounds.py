"""Applies the allowed scope to the projects of an organization."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

from clients.azure_devops.reach import DevOpsReach, ReachLock, folded, parts_of


@dataclass(frozen=True, slots=True)
class Named:
    """A project or a repository, with its ID and current name."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class Repository(Named):
    project: Named


N = TypeVar("N", bound=Named)


def named(record: Mapping[str, Any]) -> Named:
    return Named(str(record.get("id") or "").lower(), str(record.get("name") or ""))


def repository(record: Mapping[str, Any]) -> Repository:
    about = named(record)
    return Repository(about.id, about.name, named(record.get("project") or {}))


class NameIndex(Generic[N]):
    """Finds an entry by name or ID.

    Case is ignored in names. If several names match, the case must match, too.
    """

    def __init__(self, known: Iterable[N]) -> None:
        self.all = list(known)
        self._by_id = {one.id: one for one in self.all if one.id}
        self._exactly: defaultdict[str, list[N]] = defaultdict(list)
        self._nearly: defaultdict[str, list[N]] = defaultdict(list)
        for one in self.all:
            self._exactly[one.name].append(one)
            self._nearly[folded(one.name)].append(one)

    def meant(self, what: str) -> N | None:
        if by_id := self._by_id.get(what.lower()):
            return by_id
        found = self._exactly.get(what) or self._nearly.get(folded(what)) or []
        return found[0] if len(found) == 1 else None

    def alike(self, what: str) -> list[N]:
        """All entries that match, ignoring case."""
        by_id = self._by_id.get(what.lower())
        return [by_id] if by_id else self._nearly.get(folded(what), [])


@dataclass(frozen=True)
class OrganizationBounds:
    """The allowed scope within an organization, and all projects that the caller can see."""

    organization: Sequence[str]
    reach: DevOpsReach
    known: NameIndex[Named]

    @cached_property
    def projects(self) -> Mapping[str, Named]:
        """The allowed projects. Each key is the ID of a project."""
        return {one.id: one for one in self.known.all if any(one.id in ids for ids, _ in self._alternatives)}

    def project(self, what: str) -> Named | None:
        """The allowed project with this name or ID; None if there is none."""
        found = self.known.meant(what)
        return self.projects.get(found.id) if found else None

    def project_of(self, record: Mapping[str, Any]) -> Named | None:
        """The allowed project that a record refers to.

        If the record contains the ID of the project, the name of the project is ignored.
        """
        about = named(record)
        return self.projects.get(about.id) if about.id else self.project(about.name)

    def admits(self, one: Repository) -> bool:
        return any(
            one.project.id in ids and all(self._is_among(entries, one) for entries in limits)
            for ids, limits in self._alternatives
        )

    def opens_all_of(self, project: Named | None) -> bool:
        """Whether all repositories of a project are allowed. If `project` is None, this must be true for all allowed
        projects.
        """
        return all(self._is_open(one) for one in ([project] if project else self.projects.values()))

    @cached_property
    def _alternatives(self) -> Sequence[tuple[set[str], Sequence[frozenset[str]]]]:
        """Return, for each alternative of the allowed scope, the IDs of its projects and its lists of repositories."""
        return [
            (self._ids(all_of), [lock.repositories for lock in all_of if lock.repositories is not None])
            for all_of in self.reach.alternatives
        ]

    def _ids(self, all_of: Iterable[ReachLock]) -> set[str]:
        ids = {one.id for one in self.known.all}
        for entries in (lock.projects for lock in all_of if lock.projects is not None):
            ids &= {one.id for entry in entries if (one := self._project_named(entry))}
        return ids

    def _project_named(self, entry: str) -> Named | None:
        organization, project = parts_of(entry, 2)
        return self.known.meant(str(project)) if self._is_here(organization) else None

    def _is_open(self, project: Named) -> bool:
        return any(project.id in ids and not limits for ids, limits in self._alternatives)

    def _is_among(self, entries: Iterable[str], one: Repository) -> bool:
        return any(self._names(entry, one) for entry in entries)

    def _names(self, entry: str, one: Repository) -> bool:
        organization, project, what = parts_of(entry, 3)
        owner = self.known.meant(project) if project else None
        is_of_it = project is None or (owner is not None and owner.id == one.project.id)
        return is_of_it and self._is_here(organization) and NameIndex([one]).meant(str(what)) is not None

    def _is_here(self, organization: str | None) -> bool:
        return organization is None or folded(organization) in map(folded, self.organization)
