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
# The fields in which a record refers to a build that may belong to another repository. A pipeline can move to another
# repository, so even an earlier build of the same pipeline may belong to another repository.
_EARLIER: Final = "failingSince"
OTHER_BUILDS: Final = frozenset({"latestBuild", "latestCompletedBuild", "triggeredByBuild", _EARLIER})
# The resources whose references to other builds are looked up. In all other resources, such references are not shown.
_REFERRING: Final = frozenset({BUILD, "build/definitions/*", "test/runs/*/results"})
# The maximum number of IDs in a request. The IDs are part of the URL, which has a maximum length.
_PIECE: Final = 100


def go_by_builds(resource: str, *, opens_repositories: bool) -> bool:
    """Whether access to entries of the response, or to parts of them, depends on builds."""
    whole = resource.removesuffix("/*")
    is_limited = whole == TEST_RUNS or resource in _REFERRING
    return resource == ITEM or whole == APPROVALS or (is_limited and not opens_repositories)


def build_of(record: Mapping[str, Any]) -> int | None:
    """The number of the build that a test run or an approval belongs to."""
    found = (record.get("pipeline") or {}).get("owner") or record.get("build") or {}
    number = str(found.get("id"))
    return int(number) if number.isdecimal() else None


def other_build_of(record: Mapping[str, Any], name: str) -> int | None:
    """The number of the build that a record refers to. `name` is the name of the field that contains the record."""
    found = record.get("build") if name == _EARLIER else record
    number = str(found.get("id")) if isinstance(found, Mapping) else ""
    return int(number) if number.isdecimal() else None


def builds_in(document: Mapping[str, Any]) -> set[int]:
    """The numbers of the builds that a document, or one of its entries, belongs to or refers to."""
    entries = document["value"] if isinstance(document.get("value"), list) else [document]
    found = (number for entry in entries for number in (build_of(entry), *_linked(entry), *_others(entry)))
    return {number for number in found if number is not None}


def _linked(item: Mapping[str, Any]) -> Iterator[int | None]:
    """The numbers of the builds that a work item links to."""
    return (OrganizationAddresses.build_in(str(relation.get("url"))) for relation in item.get("relations") or ())


def _others(entry: Mapping[str, Any]) -> Iterator[int | None]:
    """The numbers of the builds that a record refers to."""
    return (other_build_of(inner, name) for name in OTHER_BUILDS if isinstance(inner := entry.get(name), Mapping))


def requests_for(project: str, numbers: Iterable[int]) -> Iterator[DevOpsRequest]:
    """Return the requests that read builds by number. The responses contain only builds of this project."""
    ordered = sorted(numbers)
    for start in range(0, len(ordered), _PIECE):
        query = {"buildIds": ",".join(map(str, ordered[start : start + _PIECE]))}
        yield DevOpsRequest("GET /{project}/_apis/build/builds", {"project": project}, query)
