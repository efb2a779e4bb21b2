"""Changes to work items, as the JSON Patch operations that the service wants."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import JSON_PATCH, Request
from clients.azure_devops.organization import Organization
from refusal import Refusal
from tools.azure_devops.shared.work_item_texts import DESCRIPTION, REPRODUCTION, TEXTS

Operation = dict[str, Any]

WORK_ITEM: Final = "/_apis/wit/workitems/{id}"
_FIELDS: Final = {
    "title": "System.Title",
    "state": "System.State",
    "assignedTo": "System.AssignedTo",
    "areaPath": "System.AreaPath",
    "iterationPath": "System.IterationPath",
    "tags": "System.Tags",
    "priority": "Microsoft.VSTS.Common.Priority",
}


async def change(devops: AzureDevOps, id: int, operations: Iterable[Operation]) -> dict[str, Any]:
    """Apply all of some operations to a work item, or none of them."""
    request = Request(f"PATCH {WORK_ITEM}", {"id": id}, body=list(operations), content_type=JSON_PATCH)
    return await devops.json(request)


def set_fields(named: Mapping[str, Any], others: Mapping[str, Any] | None) -> list[Operation]:
    """Set fields by the names of parameters, leaving out what is None, and others by their reference names."""
    given = {_FIELDS[name]: value for name, value in named.items() if value is not None}
    if isinstance(tags := given.get("System.Tags"), list):
        given["System.Tags"] = "; ".join(tags)
    return [_set(name, value) for name, value in (given | dict(others or {})).items()]


def texts_of(description: str | None, others: Mapping[str, Any] | None, type: str) -> dict[str, str]:
    """The long texts among what is given, by their fields. The form of a bug shows another one as its description."""
    field = REPRODUCTION if type.lower() == "bug" else DESCRIPTION
    texts = {name: text for name, text in (others or {}).items() if name in TEXTS and isinstance(text, str)}
    return texts if description is None else {field: description} | texts


def only_at(revision: int | None) -> list[Operation]:
    """Let the change fail if the work item is no longer at this revision."""
    return [] if revision is None else [{"op": "test", "path": "/rev", "value": revision}]


def add_relation(kind: str, url: str, **attributes: str | None) -> Operation:
    given = {name: value for name, value in attributes.items() if value}
    return {"op": "add", "path": "/relations/-", "value": {"rel": kind, "url": url, "attributes": given}}


def remove_relation(index: int) -> Operation:
    return {"op": "remove", "path": f"/relations/{index}"}


def address_of(organization: Organization, id: int) -> str:
    """The address by which one work item names another."""
    return f"{organization.url()}/_apis/wit/workItems/{id}"


def _set(name: str, value: Any) -> Operation:
    if not name or set(name) & set("/~"):
        raise Refusal(f"{name!r} is not a field. Fields have reference names such as System.Title.")
    return {"op": "add", "path": f"/fields/{name}", "value": value}
