"""The conditions under which an entry of a response is shown. An entry without the required fields is not shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from clients.azure_devops.confinement.asking import project_of
from clients.azure_devops.confinement.bounds import repository
from clients.azure_devops.confinement.builds import APPROVALS, CHANGES, TEST_RUNS, build_of
from clients.azure_devops.confinement.sieve import DevOpsSieve, repositories_of
from clients.azure_devops.confinement.work_items import ITEM, ITEMS

Test = Callable[[DevOpsSieve, Mapping[str, Any]], bool]

_SAYS_PROJECT: Final = frozenset(
    {
        "wiki/wikis",
        "search/codesearchresults",
        "search/wikisearchresults",
        "search/workitemsearchresults",
    }
)
_FEEDS: Final = frozenset({"packaging/feeds", "packaging/feeds/*"})
# Maps the start of a REST resource to fields that describe pipelines, builds, pull requests or files without showing
# their repositories. These fields are hidden if access is restricted to some repositories.
_WITHOUT_REPOSITORY: Final[Mapping[str, frozenset[str]]] = {
    "build/": frozenset({"triggerInfo"}),
    # The total and the facets also count results on later pages, which may belong to other repositories.
    "search/code": frozenset({"count", "facets"}),
    "notification/": frozenset({"criteria", "artifactId", "artifactUri"}),
    "testplan/": frozenset({"buildDefinition", "buildId", "previousBuildId", "releaseEnvironmentDefinition"}),
}
_SAYS_REPOSITORY: Final = ("build/builds", "build/definitions", "wiki/wikis", "search/codesearchresults")


@dataclass(frozen=True, slots=True)
class EntryConditions:
    """The conditions that each entry of a response must meet, and the fields that are never shown."""

    tests: tuple[Test, ...] = ()
    hidden: frozenset[str] = frozenset()

    def put_on(self, sieve: DevOpsSieve) -> None:
        sieve.hidden = self.hidden
        sieve.holds = lambda entry: all(isinstance(entry, Mapping) and test(sieve, entry) for test in self.tests)


def standing_of(resource: str, *, is_of_one: bool, opens_repositories: bool) -> EntryConditions:
    """The conditions for the entries of a REST resource. `is_of_one` says whether the request is limited to a single
    allowed project. `opens_repositories` says whether all repositories of this project are allowed.
    """
    tests = [_OF[resource]] if resource in _OF else []
    # Feeds of the organization can be requested through any project, so the project of each feed must also be checked.
    if (resource in _SAYS_PROJECT and not is_of_one) or resource in _FEEDS:
        tests.append(_says_project)
    if resource.removesuffix("/*") in _SAYS_REPOSITORY:
        tests.append(_says_repository)
    if resource in CHANGES and not opens_repositories:
        tests.append(_says_location)
    return EntryConditions(tuple(tests), _hidden_fields(resource, opens_repositories=opens_repositories))


def _hidden_fields(resource: str, *, opens_repositories: bool) -> frozenset[str]:
    # Only a widget can interpret its own settings, so the settings cannot be checked.
    if resource.startswith("dashboard/"):
        return frozenset({"settings", "artifactId"})
    if opens_repositories:
        return frozenset()
    return next((names for start, names in _WITHOUT_REPOSITORY.items() if resource.startswith(start)), frozenset())


def _is_item_within(sieve: DevOpsSieve, record: Mapping[str, Any]) -> bool:
    return sieve.bounds.project(project_of(record)) is not None


def _is_project_within(sieve: DevOpsSieve, record: Mapping[str, Any]) -> bool:
    return sieve.bounds.project_of(record) is not None


def _is_repository_within(sieve: DevOpsSieve, record: Mapping[str, Any]) -> bool:
    return sieve.bounds.admits(repository(record))


def _is_of_repository_within(sieve: DevOpsSieve, record: Mapping[str, Any]) -> bool:
    inner = record.get("repository")
    return isinstance(inner, Mapping) and sieve.bounds.admits(repository(inner))


def _is_of_build_within(sieve: DevOpsSieve, record: Mapping[str, Any]) -> bool:
    return build_of(record) in sieve.builds


def _is_of_build_where_locked(sieve: DevOpsSieve, record: Mapping[str, Any]) -> bool:
    return sieve.repositories is None or _is_of_build_within(sieve, record)


def _is_iteration_within(sieve: DevOpsSieve, record: Mapping[str, Any]) -> bool:
    return sieve.bounds.project(str(record.get("path") or "").strip("\\").partition("\\")[0]) is not None


def _is_for_project_within(sieve: DevOpsSieve, record: Mapping[str, Any]) -> bool:
    scope = record.get("scope")
    return isinstance(scope, Mapping) and sieve.bounds.project_of(scope) is not None


def _says_project(sieve: DevOpsSieve, record: Mapping[str, Any]) -> bool:
    return any(True for _ in sieve.own_projects(record))


def _says_repository(sieve: DevOpsSieve, record: Mapping[str, Any]) -> bool:
    return sieve.repositories is None or any(True for _ in repositories_of(record))


def _says_location(sieve: DevOpsSieve, record: Mapping[str, Any]) -> bool:
    """Whether the URL of a commit shows its repository in Azure Repos. The URL of a commit on GitHub does not."""
    return sieve.addresses.repository_in(str(record.get("location"))) is not None


_OF: Final[Mapping[str, Test]] = {
    ITEM: _is_item_within,
    ITEMS: _is_item_within,
    "projects": _is_project_within,
    "git/repositories": _is_repository_within,
    "git/repositories/*": _is_repository_within,
    "git/pullrequests": _is_of_repository_within,
    "git/pullrequests/*": _is_of_repository_within,
    "notification/subscriptions": _is_for_project_within,
    "work/teamsettings/iterations": _is_iteration_within,
    "work/teamsettings/iterations/*": _is_iteration_within,
    APPROVALS: _is_of_build_within,
    f"{APPROVALS}/*": _is_of_build_within,
    TEST_RUNS: _is_of_build_where_locked,
    f"{TEST_RUNS}/*": _is_of_build_where_locked,
}
