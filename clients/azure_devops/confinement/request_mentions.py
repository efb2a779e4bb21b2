"""Finds the projects, repositories, builds and work items that the query and body of a request mention."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from clients.azure_devops.confinement.addresses import OrganizationAddresses
from clients.azure_devops.confinement.sieve import item_of, items_in, repositories_of
from clients.azure_devops.messages import JSON_PATCH, DevOpsRequest

# In work items, the values of these fields start with a project name. Only the end of a field's name is listed.
_PLACES: Final = frozenset({"teamproject", "areapath", "iterationpath"})
_NUMBERED_PLACES: Final = frozenset({"areaid", "iterationid", "nodeid"})
_NAMED_PLACES: Final = frozenset({"areapath", "iteration", "iterationpath"})
_NUMBERS: Final = frozenset({"requirementid", "parentid", "previousid", "nextid"})
_LISTS_OF_NUMBERS: Final = frozenset({"ids", "workitemids"})
_PROJECT_IDS: Final = frozenset({"project", "projectid", "searchcriteria.projectid"})
_REPOSITORY_IDS: Final = frozenset({"repositoryid", "searchcriteria.repositoryid", "searchcriteria.sourcerepositoryid"})
_FIELD: Final = re.compile(r"/fields/(.+)", re.DOTALL)


class Mention(NamedTuple):
    """An object that a request mentions: a `project`, a `repository`, a `build` or an `item`."""

    kind: str
    what: str


def mentions(request: DevOpsRequest, addresses: OrganizationAddresses) -> Iterator[Mention]:
    for name, value in request.query.items():
        yield from _of_query(name.lower(), value, addresses)
    if request.is_repeatable:
        return
    yield from (Mention("item", str(number)) for number in items_in(request.body))
    if request.content_type == JSON_PATCH:
        yield from (mention for operation in request.body or () for mention in _of_operation(operation))
    yield from _of_body(request.body, "", addresses)


def _of_query(name: str, value: Any, addresses: OrganizationAddresses) -> Iterator[Mention]:
    if name in _PROJECT_IDS and value:
        yield Mention("project", str(value))
    if name in _REPOSITORY_IDS and value:
        yield Mention("repository", str(value))
    # Skip links to parts of builds. The build ID in these links is checked together with the project in the path.
    if isinstance(value, str) and value.startswith("vstfs:") and not value.lower().startswith("vstfs:///build/"):
        yield Mention("project", addresses.project_in(value) or "")


def _of_operation(operation: Mapping[str, Any]) -> Iterator[Mention]:
    """An operation changes a work item. Yield the project or the other work item that the operation mentions.

    A field may be given by its reference name or display name.
    """
    found = _FIELD.match(str(operation.get("path")))
    name = re.sub(r"[\s_]", "", found[1]).lower().rpartition(".")[2] if found else ""
    if name in _PLACES and operation.get("value"):
        yield Mention("project", str(operation["value"]).strip("\\").partition("\\")[0])
    if name in _NUMBERED_PLACES:
        yield Mention("project", "")
    if name == "parent" and operation.get("value"):
        yield Mention("item", str(operation["value"]))


def _of_body(value: Any, name: str, addresses: OrganizationAddresses) -> Iterator[Mention]:
    if isinstance(value, Mapping):
        yield from _of_record(value, name)
        for key, inner in value.items():
            yield from _of_body(inner, str(key), addresses)
    elif isinstance(value, list):
        for entry in value:
            yield from _of_body(entry, name, addresses)
    elif value:
        yield from _of_value(value, name, addresses)


def _of_value(value: Any, name: str, addresses: OrganizationAddresses) -> Iterator[Mention]:
    if name.lower() in _NUMBERS | _LISTS_OF_NUMBERS:
        yield Mention("item", str(value))
    if not isinstance(value, str):
        return
    if name.lower() in _NAMED_PLACES:
        yield Mention("project", value.strip("\\").partition("\\")[0])
    if (build := addresses.build_in(value)) is not None:
        yield Mention("build", str(build))
    elif name == "url" or value.startswith("vstfs:"):
        found = {"project": addresses.project_in(value), "repository": addresses.repository_in(value)}
        yield from (Mention(kind, what) for kind, what in found.items() if what is not None)


def _of_record(record: Mapping[str, Any], name: str) -> Iterator[Mention]:
    yield from (Mention("repository", found) for found in repositories_of(record))
    if name in {"project", "projectReference"} and (record.get("id") or record.get("name")):
        yield Mention("project", str(record.get("id") or record.get("name")))
    number = item_of(record, name)
    if number is not None:
        yield Mention("item", str(number))
