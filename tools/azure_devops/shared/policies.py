"""Lists the branch policies of all repositories in a project, by repository name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import DevOpsRequest
from clients.azure_devops.paging import HEADER_TOKEN, ListPage
from clients.side_by_side import Foremost, side_by_side
from tools.azure_devops.shared.answers import Json, at, branch_name, many, present, shape
from tools.azure_devops.shared.git_references import full_name
from tools.azure_devops.shared.parameters import MOST_RESULTS
from tools.azure_devops.shared.repositories import KnownRepository, known_repositories, names_of
from tools.azure_devops.shared.scopes import scope_hint

POLICY: Final = shape("id", "settings", type="type.displayName", enabled="isEnabled", blocking="isBlocking")
_MOST_SCOPES: Final = 20


@dataclass(frozen=True, slots=True)
class PolicyFilter:
    """Selects policies by branch and by type. A policy must apply to the branch, which is the default branch if
    `branch` is None. The name of the policy's type must contain `type`.
    """

    type: str | None = None
    branch: str | None = None

    def is_of(self, policy: Any) -> bool:
        return (self.type or "").lower() in str(at(policy, "type.displayName")).lower()

    def covers(self, scope: Any, repository: KnownRepository) -> bool:
        """Check whether a policy's scope includes the branch of a repository. A scope without a branch includes all
        branches.
        """
        default = str(repository.record.get("defaultBranch"))
        branch = full_name(self.branch) if self.branch else default
        if scope.get("matchKind") == "DefaultBranch":
            return branch == default
        name = str(scope.get("refName") or "\n")
        return branch == name or (scope.get("matchKind") == "Prefix" and branch.startswith(f"{name.rstrip('/')}/"))


@dataclass(frozen=True)
class _Project:
    """A project, with the repositories that policies can protect."""

    repositories: Sequence[KnownRepository]
    kind: PolicyFilter

    @cached_property
    def _by_id(self) -> dict[str, list[KnownRepository]]:
        return {str(known.record.get("id")): [known] for known in self.repositories}

    def covered(self, policy: Any) -> Iterator[KnownRepository]:
        for scope in _scopes(policy):
            yield from (
                repository for repository in self._repositories_in(scope) if self.kind.covers(scope, repository)
            )

    def unprotected(self, policies: Sequence[Any]) -> list[str]:
        """Return the repositories in which no policy protects the selected branch."""
        strict = [policy for policy in policies if policy.get("isEnabled") is not False]
        protected = {repository.title for policy in strict for repository in self.covered(policy)}
        return [known.title for known in self.repositories if known.title not in protected and not known.is_empty]

    def shown(self, policy: Any) -> Json:
        settings = policy.get("settings")
        rest = {name: value for name, value in settings.items() if name != "scope"} if _scopes(policy) else settings
        places = [self._place(scope) for scope in _scopes(policy)]
        more = len(places) - _MOST_SCOPES
        said = present({"for": places[:_MOST_SCOPES], "more": more if more > 0 else None})
        return POLICY(policy | {"settings": rest}) | said

    def _repositories_in(self, scope: Any) -> Sequence[KnownRepository]:
        repository_id = scope.get("repositoryId")
        return self.repositories if repository_id is None else self._by_id.get(str(repository_id), [])

    def _place(self, scope: Any) -> str:
        names = [str(known.record.get("name")) for known in self._repositories_in(scope)[:1]] or ["another repository"]
        repository = "all repositories" if scope.get("repositoryId") is None else names[0]
        branch = (
            "default branch" if scope.get("matchKind") == "DefaultBranch" else branch_name(scope.get("refName") or "")
        )
        below = " and below" if scope.get("matchKind") == "Prefix" else ""
        return f"{repository}: {branch or 'all branches'}{below}"


async def policies_everywhere(devops: AzureDevOps, project: str | None, kind: PolicyFilter, limit: int) -> Json:
    """Return the policies of all repositories, and list the repositories without policies. This sends one request per
    project.
    """
    projects: dict[str, list[KnownRepository]] = {}
    for repository in await known_repositories(devops, project):
        projects.setdefault(str(repository.place["project"]), []).append(repository)
    foremost = Foremost(limit, _number, descending=False)
    lacking: list[str] = []

    async def ask(name: str) -> None:
        request = DevOpsRequest("GET /{project}/_apis/policy/configurations", {"project": name})
        page = await devops.page(request, HEADER_TOKEN, MOST_RESULTS)
        about = _Project(projects[name], kind)
        policies = [policy for policy in page.items if kind.is_of(policy) and not policy.get("isDeleted")]
        meant = [policy for policy in policies if not kind.branch or any(about.covered(policy))]
        foremost.add(ListPage([about.shown(policy) | {"project": name} for policy in meant], page.has_more))
        lacking.extend(about.unprotected(policies))

    reading = await side_by_side({name: name for name in projects}, ask)
    reading.refuse_if_none("projects")
    said = {**reading.said("projects"), **names_of("lacking", lacking)}
    return many(foremost.page, dict, **said, scope=scope_hint(devops, project))


def _scopes(policy: Any) -> list[Any]:
    found = at(policy, "settings.scope")
    return [scope for scope in found if isinstance(scope, Mapping)] if isinstance(found, list) else []


def _number(policy: Any) -> int:
    number = policy.get("id")
    return number if isinstance(number, int) else 0
