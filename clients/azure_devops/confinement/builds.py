"""What goes by a build: approvals, runs of tests, links of work items, and the changes that are new in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from clients.azure_devops.confinement.addresses import OrganizationAddresses
from clients.azure_devops.confinement.work_items import ITEM
from clients.azure_devops.messages import DevOpsRequest

APPROVALS: Final = "pipelines/approvals"
TEST_RUNS: Final = "test/runs"
BUILD: Final = "build/builds/*"
# A build may have taken its files from several repositories, of other projects, too.
CHANGES: Final = frozenset({"build/changes", "build/builds/*/changes"})
# They are in the address.
_PIECE: Final = 100


def go_by_builds(resource: str, *, opens_repositories: bool) -> bool:
    """Whether what is answered has to say of which build it is."""
    whole = resource.removesuffix("/*")
    return resource == ITEM or whole == APPROVALS or (whole == TEST_RUNS and not opens_repositories)


def build_of(record: Mapping[str, Any]) -> int | None:
    """The build that a run of tests or an approval is of."""
    found = (record.get("pipeline") or {}).get("owner") or record.get("build") or {}
    number = str(found.get("id") or "")
    return int(number) if number.isdecimal() else None


def builds_in(document: Mapping[str, Any]) -> set[int]:
    """The builds that the entries of a document are of, or the document itself."""
    entries = document["value"] if isinstance(document.get("value"), list) else [document]
    return {number for entry in entries for number in (build_of(entry), *_linked(entry)) if number is not None}


def _linked(item: Mapping[str, Any]) -> Iterator[int | None]:
    """The builds to which a work item is linked."""
    return (OrganizationAddresses.build_in(str(relation.get("url") or "")) for relation in item.get("relations") or ())


def requests_for(project: str, numbers: Iterable[int]) -> Iterator[DevOpsRequest]:
    """Ask for builds of a project by their numbers; others are not answered."""
    ordered = sorted(numbers)
    for start in range(0, len(ordered), _PIECE):
        query = {"buildIds": ",".join(map(str, ordered[start : start + _PIECE]))}
        yield DevOpsRequest("GET /{project}/_apis/build/builds", {"project": project}, query)
