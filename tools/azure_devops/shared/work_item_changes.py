"""Changes work items with JSON Patch operations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.failures import DevOpsRefusal
from clients.azure_devops.messages import JSON_PATCH, DevOpsRequest
from clients.azure_devops.organization import Organization
from refusal import Refusal
from tools.azure_devops.shared.field_names import is_reference_name
from tools.azure_devops.shared.work_item_texts import DESCRIPTION, REPRODUCTION, TEXTS
from tools.azure_devops.shared.work_item_types import STATE, valid_states, work_item_type

Operation = dict[str, Any]

WORK_ITEM: Final = "/_apis/wit/workitems/{id}"
_FIELDS: Final = {
    "title": "System.Title",
    "state": STATE,
    "assignedTo": "System.AssignedTo",
    "areaPath": "System.AreaPath",
    "iterationPath": "System.IterationPath",
    "tags": "System.Tags",
    "priority": "Microsoft.VSTS.Common.Priority",
}


async def change(devops: AzureDevOps, id: int, operations: Iterable[Operation]) -> dict[str, Any]:
    """Apply all operations to a work item, or none. If a state is invalid, list the valid states."""
    given = list(operations)
    try:
        return await patched(devops, id, given)
    except DevOpsRefusal as refused:
        if not is_about_state(refused, given):
            raise
        raise refused.with_more(await _states_for(devops, id)) from refused


async def patched(devops: AzureDevOps, id: int, operations: Sequence[Operation]) -> dict[str, Any]:
    """Apply these operations, and return the changed work item."""
    request = DevOpsRequest(f"PATCH {WORK_ITEM}", {"id": id}, body=list(operations), content_type=JSON_PATCH)
    return await devops.json(request)


async def created(devops: AzureDevOps, project: str, type: str, operations: Sequence[Operation]) -> dict[str, Any]:
    """Create a work item. If a state is invalid, list the valid states."""
    place, line = {"project": project, "type": type}, "POST /{project}/_apis/wit/workitems/${type}"
    try:
        return await devops.json(DevOpsRequest(line, place, body=list(operations), content_type=JSON_PATCH))
    except DevOpsRefusal as refused:
        if not is_about_state(refused, operations):
            raise
        raise refused.with_more(await _states_of(devops, project, type)) from refused


def is_about_state(refused: DevOpsRefusal, operations: Iterable[Operation]) -> bool:
    """Check whether an invalid state may have caused the error. The service's error does not list the valid states."""
    return refused.status == 400 and any(operation["path"] == f"/fields/{STATE}" for operation in operations)


async def _states_for(devops: AzureDevOps, id: int) -> str:
    """Return the valid states of a work item. Return an empty string if the states cannot be read."""
    fields = f"System.WorkItemType,System.TeamProject,{STATE}"
    try:
        found = (await devops.json(DevOpsRequest(f"GET {WORK_ITEM}", {"id": id}, {"fields": fields})))["fields"]
    except Refusal:
        return ""
    return await _states_of(devops, found["System.TeamProject"], found["System.WorkItemType"], found[STATE])


async def _states_of(devops: AzureDevOps, project: str, type: str, before: str | None = None) -> str:
    try:
        return valid_states(await work_item_type(devops, project, type), before)
    except Refusal:
        # Without the valid states, the caller still gets the service's own message, which is sufficient.
        return ""


def set_fields(named: Mapping[str, Any], others: Mapping[str, Any] | None) -> list[Operation]:
    """Return the operations that set fields. `named` contains values by parameter name. Parameters with the value None
    are skipped. `others` contains values by the reference names of fields.
    """
    given = {_FIELDS[name]: value for name, value in named.items() if value is not None}
    if isinstance(tags := given.get("System.Tags"), list):
        given["System.Tags"] = "; ".join(tags)
    return [_set(name, value) for name, value in (given | dict(others or {})).items()]


def texts_of(description: str | None, others: Mapping[str, Any] | None, type: str) -> dict[str, str]:
    """Return the long texts by field name. For bugs, the form shows reproduction steps instead of the description."""
    field = REPRODUCTION if type.lower() == "bug" else DESCRIPTION
    texts = {name: text for name, text in (others or {}).items() if name in TEXTS and isinstance(text, str)}
    return texts if description is None else {field: description} | texts


def only_at(revision: int | None) -> list[Operation]:
    """Return the operation that makes the change fail if the work item is no longer at this revision."""
    return [] if revision is None else [{"op": "test", "path": "/rev", "value": revision}]


def add_relation(kind: str, url: str, **attributes: str | None) -> Operation:
    given = {name: value for name, value in attributes.items() if value}
    return {"op": "add", "path": "/relations/-", "value": {"rel": kind, "url": url, "attributes": given}}


def remove_relation(index: int) -> Operation:
    return {"op": "remove", "path": f"/relations/{index}"}


def address_of(organization: Organization, id: int) -> str:
    """Return the URL to use in links to a work item."""
    return f"{organization.url()}/_apis/wit/workItems/{id}"


def _set(name: str, value: Any) -> Operation:
    if not is_reference_name(name):
        raise Refusal(f"Field {name!r} is not valid. Use reference names such as System.Title.")
    return {"op": "add", "path": f"/fields/{name}", "value": value}
