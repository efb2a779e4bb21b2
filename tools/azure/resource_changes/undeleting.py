"""Finds and restores deleted resources that Azure still keeps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from changes.preview import Preview
from changes.undo import Undo, by_call
from clients.answers import at, present, some_of
from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.messages import AzureRequest, of_id
from clients.azure.resource_scopes import type_and_name
from clients.side_by_side import side_by_side
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.access import Arm
from tools.azure.shared.answers import Json, every
from tools.azure.shared.applying import SECONDS, made
from tools.azure.shared.everywhere import scopes_asked
from tools.azure.shared.inspecting import Inspected
from tools.azure.shared.parameters import ResourceIdText, Subscription
from tools.azure.shared.resource_change import ResourceChange

part = Part()

_MOST: Final = 200
_VAULT: Final = "microsoft.keyvault/vaults"
_NOT_BACK: Final = "roles, locks and connections must be created again"


@dataclass(frozen=True, slots=True)
class _Kind:
    """How to restore resources of one type: the list of deleted resources, the API version, and the request body."""

    listed: str
    version: str
    restored: Mapping[str, Any]


_KINDS: Final[Mapping[str, _Kind]] = {
    "Microsoft.CognitiveServices/accounts": _Kind("deletedAccounts", "2024-10-01", {"properties": {"restore": True}}),
    "Microsoft.AppConfiguration/configurationStores": _Kind(
        "deletedConfigurationStores",
        "2024-05-01",
        {"sku": {"name": "standard"}, "properties": {"createMode": "Recover"}},
    ),
    "Microsoft.OperationalInsights/workspaces": _Kind("deletedWorkspaces", "2023-09-01", {}),
}


@dataclass(frozen=True, slots=True)
class _Deleted:
    """A deleted resource: its former id and location, the time of its deletion, and how long Azure keeps it."""

    id: str
    location: str
    deleted: str
    until: str
    tags: Mapping[str, Any]

    @classmethod
    def of(cls, kind: str, record: Mapping[str, Any]) -> _Deleted:
        own = str(at(record, "properties.configurationStoreId") or record.get("id") or "")
        values = (at(record, f"properties.{name}") for name in ("location", "deletionDate", "scheduledPurgeDate"))
        location, deleted, until = (str(one or "") for one in values)
        tags = record.get("tags") or at(record, "properties.tags")
        kept = tags if isinstance(tags, Mapping) else {}
        return cls(_id_before(kind, own), str(record.get("location") or location), deleted, until, kept)


def _id_before(kind: str, own: str) -> str:
    """Return the former id of a deleted resource. Azure lists deleted resources under ids that contain the region."""
    parts = own.strip("/").split("/")
    lowered = [part.lower() for part in parts]
    if "locations" not in lowered or "resourcegroups" not in lowered:
        return own
    group = parts[lowered.index("resourcegroups") + 1]
    return f"/subscriptions/{parts[1]}/resourceGroups/{group}/providers/{kind}/{parts[-1]}"


@part.tool(Access.READ)
async def list_deleted_resources(azure: Arm, subscription: Subscription = None) -> Json:
    """List deleted resources that Azure still keeps: AI services, App Configuration, Log Analytics workspaces."""
    scopes = await scopes_asked(azure, subscription)
    asked = {f"{kind} in {name}": (scope, kind) for name, scope in scopes.items() for kind in _KINDS}
    found: list[_Deleted] = []

    async def read(one: tuple[ResourceId, str]) -> None:
        found.extend(await _deleted(azure, one[0].subscription, one[1]))

    reading = await side_by_side(asked, read)
    reading.refuse_if_none("types")
    records = [
        present({"id": one.id, "location": one.location, "deleted": one.deleted, "kept_until": one.until})
        for one in sorted(found, key=lambda one: one.id.lower())
    ]
    return every(records, asked=some_of(list(scopes)), **reading.said("types"))


@part.change(Access.WRITE, harmless=("resource_id",), seconds=SECONDS)
async def undelete_resource(azure: Arm, resource_id: ResourceIdText) -> ResourceChange:
    """Restore (bring back) a deleted resource that Azure still keeps, by its id from list_deleted_resources."""
    resource, kind = _deleted_id(resource_id)
    one = await _one(azure, resource, kind)
    version, name = _KINDS[kind].version, type_and_name(resource.text)[1]

    def shown(known: Inspected) -> Preview:
        if known.document(resource) is not None:
            raise Refusal("A resource with this id exists: it was not deleted, or was created again.")
        return Preview(
            what=f"{kind} {name}, as before its deletion",
            sentence=f"Restore the deleted {name} ({kind}) as it was",
            facts={"location": one.location, "deleted": one.deleted, "kept until": one.until, "group": resource.group},
            undo=by_call("delete_azure_resource", resource_id=resource.text),
            destroys=False,
        )

    return ResourceChange(
        azure,
        of_id("PUT", resource, body={"location": one.location, **_KINDS[kind].restored}, version=version),
        on=resource,
        before=None,
        judge=made,
        call=f"show_resource(resource_id={resource.text!r})",
        shows=shown,
        answers={"id": resource.text, "location": one.location},
        within=[{"tags": one.tags}] if one.tags else [],
    )


def brought_back(resource: ResourceId) -> Undo | None:
    """Return the call that restores a resource after it is deleted, or None if resources of its type cannot be
    restored.
    """
    if resource.type.lower() == _VAULT:
        return by_call("recover_keyvault", vault=resource.name).but(_NOT_BACK)
    if any(resource.type.lower() == kind.lower() for kind in _KINDS):
        return by_call("undelete_resource", resource_id=resource.text).but(_NOT_BACK)
    return None


def _deleted_id(text: str) -> tuple[ResourceId, str]:
    resource = ResourceId.of(text)
    kind = next((one for one in _KINDS if one.lower() == resource.type.lower()), "")
    if not kind or resource.is_list or not resource.group:
        raise Refusal(
            f"This tool restores these types: {', '.join(_KINDS)}. For vaults and their"
            " contents, use the keyvault toolset. list_deleted_resources shows ids."
        )
    return resource, kind


async def _one(azure: Azure, resource: ResourceId, kind: str) -> _Deleted:
    for one in await _deleted(azure, resource.subscription, kind):
        if one.id.lower() == resource.key:
            return one
    raise Refusal(
        "No deleted resource with this id found; Azure may have purged the resource. Use list_deleted_resources to"
        " list deleted resources."
    )


async def _deleted(azure: Azure, subscription: str, kind: str) -> list[_Deleted]:
    known, namespace = _KINDS[kind], kind.partition("/")[0]
    line = "GET /subscriptions/{subscription}/providers/{namespace}/{listed}"
    values = {"subscription": subscription, "namespace": namespace, "listed": known.listed}
    page = await azure.page(AzureRequest(line, values, version=known.version), _MOST)
    return [_Deleted.of(kind, one) for one in page.items]
