"""Queries all repositories in parallel, and merges the results into one list. The answer lists the repositories whose
query failed.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final

from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.failures import DevOpsRefusal
from clients.azure_devops.messages import DevOpsRequest
from clients.azure_devops.paging import ListPage
from clients.azure_devops.records import records
from clients.side_by_side import Foremost, SourceReading, side_by_side
from mcp_server.declarations.field import Field
from refusal import Refusal
from tools.azure_devops.shared.answers import Json, at, many, present
from tools.azure_devops.shared.scopes import one_project, scope_hint

AnyRepository = Annotated[str | None, Field(description="Name or id; default: all")]
PartOfName = Annotated[str | None, Field(description="Part of the repository names")]

_MOST_NAMES: Final = 100
# Error types for a branch, file or folder that does not exist in a repository.
_LACKING: Final = frozenset({"GitItemNotFoundException", "GitUnresolvableToCommitException"})


@dataclass(frozen=True, slots=True)
class KnownRepository:
    """A repository as the service lists it. `label` is unique within an answer."""

    record: Json
    label: Json

    @property
    def title(self) -> str:
        return f"{at(self.record, 'project.name')}/{self.record.get('name')}"

    @property
    def place(self) -> Json:
        return {"project": str(at(self.record, "project.name")), "repositoryId": str(self.record.get("name"))}

    @property
    def is_empty(self) -> bool:
        return not self.record.get("defaultBranch")


Read = Callable[[KnownRepository], Awaitable[ListPage]]


@dataclass(frozen=True, slots=True, kw_only=True)
class TopEntries:
    """Selects the entries to return from all repositories: how many, sorted by which field, in which order."""

    limit: int
    by: str
    descending: bool = True

    def rank(self, entry: Any) -> tuple[str, ...]:
        return str(entry.get(self.by)), str(entry.get("project")), str(entry.get("repository"))


async def known_repositories(
    devops: AzureDevOps, project: str | None, part_of_name: str | None = None
) -> list[KnownRepository]:
    """With one request, read the repositories of the selected projects. Return them sorted by name."""
    where = one_project(devops, project)
    found = records(
        (await devops.json(DevOpsRequest("GET /{project}/_apis/git/repositories", {"project": where})))["value"]
    )
    part = (part_of_name or "").lower()
    known = [
        _repository_of(record, is_of_one=bool(where)) for record in found if part in str(record.get("name")).lower()
    ]
    return sorted(known, key=lambda repository: repository.title)


async def each_of(
    repositories: Sequence[KnownRepository], ask: Callable[[KnownRepository], Awaitable[None]]
) -> SourceReading:
    """Query repositories in parallel. Disabled repositories are not queried, because they reject requests."""

    async def ask_one(repository: KnownRepository) -> None:
        if repository.record.get("isDisabled") is True:
            raise Refusal("The repository is disabled.")
        await ask(repository)

    return await side_by_side({repository.title: repository for repository in repositories}, ask_one)


async def of_all_repositories(
    devops: AzureDevOps, project: str | None, read: Read, top: TopEntries, part_of_name: str | None = None
) -> Json:
    """Call `read` for each repository to get its entries, and return the top entries of all repositories in one
    answer.
    """
    foremost = Foremost(top.limit, top.rank, descending=top.descending)
    lacking: list[str] = []

    async def ask(repository: KnownRepository) -> None:
        page = ListPage([]) if repository.is_empty else await _read(repository, read)
        foremost.add(ListPage([entry | repository.label for entry in page.items], page.has_more))
        if not page.items:
            lacking.append(repository.title)

    reading = await each_of(await known_repositories(devops, project, part_of_name), ask)
    reading.refuse_if_none("repositories")
    said = {**reading.said("repositories"), **names_of("lacking", lacking)}
    return many(foremost.page, dict, **said, scope=scope_hint(devops, project))


def names_of(what: str, names: Sequence[str]) -> Json:
    """Return names in alphabetical order, up to a limit, and the number of names that are left out."""
    more = len(names) - _MOST_NAMES
    return present({what: sorted(names)[:_MOST_NAMES], f"more{what.capitalize()}": more if more > 0 else None})


async def _read(repository: KnownRepository, read: Read) -> ListPage:
    try:
        return await read(repository)
    except DevOpsRefusal as refusal:
        if refusal.key not in _LACKING:
            raise
        return ListPage([])


def _repository_of(record: Json, *, is_of_one: bool) -> KnownRepository:
    project = None if is_of_one else at(record, "project.name")
    return KnownRepository(record, present({"repository": record.get("name"), "project": project}))
