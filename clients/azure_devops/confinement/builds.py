"""Limits access to resources that belong to builds: approvals, test runs, links of work items, and changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from clients.azure_devops.confinement.addresses import OrganizationAddresses
from clients.azure_devops.confinement.work_items import ITEM
from clients.azure_devops.messages import DevOpsRequest

APPROVALS: Final = "pipelines/approvals"
TEST_RUNS: Final = "test/runs"
BUILD: Final = "build/builds/*"
# The resources that list the changes in a build. These changes may come from several repositories, even from other
# projects.
CHANGES: Final = frozenset({"build/changes", "build/builds/*/changes"})
# The maximum number of IDs in a request. The IDs are part of the URL, which has a maximum length.
_PIECE: Final = 100


def go_by_builds(resource: str, *, opens_repositories: bool) -> bool:
    """Whether each entry of the response must name a build, because access to the entry depends on the build."""
    whole = resource.removesuffix("/*")
    return resource == ITEM or whole == APPROVALS or (whole == TEST_RUNS and not opens_repositories)


def build_of(record: Mapping[str, Any]) -> int | None:
    """The number of the build that a test run or an approval belongs to."""
    found = (record.get("pipeline") or {}).get("owner") or record.get("build") or {}
    number = str(found.get("id") or "")
    return int(number) if number.isdecimal() else None


def builds_in(document: Mapping[str, Any]) -> set[int]:
    """The numbers of the builds to which a document or an entry in it belongs."""
    entries = document["value"] if isinstance(document.get("value"), list) else [document]
    return {number for entry in entries for number in (build_of(entry), *_linked(entry)) if number is not None}


def _linked(item: Mapping[str, Any]) -> Iterator[int | None]:
    """The numbers of the builds that a work item links to."""
    return (OrganizationAddresses.build_in(str(relation.get("url") or "")) for relation in item.get("relations") or ())


def requests_for(project: str, numbers: Iterable[int]) -> Iterator[DevOpsRequest]:
    """Return the requests that read builds by number. The responses contain only builds of this project."""
    ordered = sorted(numbers)
    for start in range(0, len(ordered), _PIECE):
        query = {"buildIds": ",".join(map(str, ordered[start : start + _PIECE]))}
        yield DevOpsRequest("GET /{project}/_apis/build/builds", {"project": project}, query)
