"""Creates storage accounts with secure settings, and deletes them."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final, Literal

from changes.preview import Fact, Preview
from changes.undo import by_call, by_hand
from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.messages import AzureRequest, of_id
from clients.azure.named import group_called
from clients.azure.storage.accounts import ACCOUNT, StorageAccount, account_called
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.access import Arm
from tools.azure.shared.answers import Json, at
from tools.azure.shared.applying import SECONDS, Judge, gone, made
from tools.azure.shared.inspecting import Inspected
from tools.azure.shared.mentions import named_by
from tools.azure.shared.names import refuse_taken, refuse_there
from tools.azure.shared.parameters import ResourceGroup, Subscription
from tools.azure.shared.resource_change import ResourceChange, Shows
from tools.azure.storage.storage_parameters import OF_ACCOUNT, AccountName

part = Part()

_CONTAINERS_VERSION: Final = "2023-05-01"
_MOST_CONTAINERS: Final = 200
_NAMED: Final = 20
_LOST: Final = (
    "Everything in the account is deleted. At best, the account can be restored in the portal within 14 days."
)

NewName = Annotated[str, Field(pattern=r"^[a-z0-9]{3,24}$", description="Unique in Azure")]
Location = Annotated[str, Field(min_length=2, max_length=60, description="Example: westeurope")]
Sku = Literal["Standard_LRS", "Standard_ZRS", "Standard_GRS", "Standard_GZRS", "Standard_RAGRS", "Premium_LRS"]
Redundancy = Annotated[Sku, Field(description="Replication")]
SharedKeys = Annotated[bool, Field(description="Allow account keys, not only roles")]


@part.change(
    Access.WRITE,
    harmless=(*OF_ACCOUNT, "resource_group", "location", "sku", "shared_keys"),
    seconds=SECONDS,
)
async def create_storage_account(
    azure: Arm,
    account: NewName,
    resource_group: ResourceGroup,
    location: Location,
    sku: Redundancy = "Standard_ZRS",
    shared_keys: SharedKeys = False,
    subscription: Subscription = None,
) -> ResourceChange:
    """Create a storage account: https and TLS 1.2 only, no public blobs. Shared keys are off by default."""
    place = await _place(azure, account, resource_group, subscription)
    await refuse_there(azure, place)
    unknown = await refuse_taken(azure, place.subscription, ACCOUNT.type, account)

    def shown(known: Inspected) -> Preview:
        return Preview(
            what=f"The new storage account {account} in the group {resource_group}",
            sentence=f"Create the storage account {account} in the group {resource_group}",
            facts={**known.facts(place), **_settings(location, sku, shared_keys=shared_keys)},
            undo=by_call("delete_storage_account", account=place.text),
            missing=unknown,
            notes=["Access to its data requires a role such as 'Storage Blob Data Contributor'; Owner is not enough."],
        )

    request = of_id("PUT", place, body=_body(location, sku, shared_keys=shared_keys))
    change = _change(azure, request, place, None, made, shown)
    return replace(
        change,
        answers=lambda done: {
            "created": place.text,
            "endpoints": at(done.document, "properties.primaryEndpoints"),
        },
    )


def _settings(location: str, sku: str, *, shared_keys: bool) -> dict[str, Fact]:
    return {
        "location": location,
        "redundancy": sku,
        "account keys": "allowed" if shared_keys else "not allowed; access requires a role",
        "public blobs": "not allowed",
        "transport": "https only, TLS 1.2 at least",
        "network": "public; roles control access",
    }


def _body(location: str, sku: str, *, shared_keys: bool) -> Json:
    return {
        "location": location,
        "kind": "StorageV2",
        "sku": {"name": sku},
        "properties": {
            "accessTier": "Hot",
            "minimumTlsVersion": "TLS1_2",
            "supportsHttpsTrafficOnly": True,
            "allowBlobPublicAccess": False,
            "allowSharedKeyAccess": shared_keys,
            "allowCrossTenantReplication": False,
            "defaultToOAuthAuthentication": True,
        },
    }


@part.change(Access.DESTROY, harmless=OF_ACCOUNT, seconds=SECONDS)
async def delete_storage_account(azure: Arm, account: AccountName, subscription: Subscription = None) -> ResourceChange:
    """Delete a storage account with everything in it."""
    found = await account_called(azure, account, subscription, anew=True)

    async def shown(known: Inspected) -> Preview:
        holds, unread = await _containers(azure, found)
        users, unknown = await named_by(azure, found.id, [found.id.text, f"//{found.name}."])
        return Preview(
            what=f"The storage account {found.name} with everything in it",
            sentence=f"Delete the storage account {found.name} with everything in it",
            facts={**known.facts(found.id), **holds, "used by": users},
            grave=_LOST,
            undo=by_hand("in the portal, within 14 days, but not guaranteed"),
            missing=[*unread, *unknown],
            notes=["Tables, queues and file shares are also deleted, but this preview does not inspect them."],
        )

    change = _change(azure, of_id("DELETE", found.id), found.id, dict(found.record), gone, shown)
    return replace(change, answers={"deleted": found.id.text})


def _change(
    azure: Azure, request: AzureRequest, place: ResourceId, before: Json | None, judge: Judge, shows: Shows
) -> ResourceChange:
    call = f"show_storage_account(account={place.text!r})"
    looking = of_id("GET", place, version=ACCOUNT.version) if before else None
    return ResourceChange(
        azure, request, on=place, before=before, looking=looking, judge=judge, call=call, shows=shows, answers={}
    )


async def _containers(azure: Azure, account: StorageAccount) -> tuple[dict[str, Fact], list[str]]:
    """Return the containers that Resource Manager lists for an account. Also return what could not be read."""
    request = of_id("GET", account.id, "/blobServices/default/containers", version=_CONTAINERS_VERSION)
    try:
        page = await azure.page(request, _MOST_CONTAINERS)
    except Refusal as refusal:
        return {}, [f"its containers: {refusal}"]
    names = sorted(str(one.get("name")) for one in page.items)
    kept = [str(one.get("name")) for one in page.items if _is_protected(one)]
    more = [f"and {len(names) - _NAMED} more"] if len(names) > _NAMED else []
    number = f"{len(names)}{' or more' if page.has_more else ''}"
    protected = {"protected by a policy or a legal hold": sorted(kept)} if kept else {}
    return {"containers": number, "their names": [*names[:_NAMED], *more], **protected}, []


def _is_protected(container: Json) -> bool:
    return any(at(container, f"properties.{name}") is True for name in ("hasImmutabilityPolicy", "hasLegalHold"))


async def _place(azure: Azure, account: str, group: str, subscription: str | None) -> ResourceId:
    where = await group_called(azure, group, subscription)
    return ResourceId.of(f"{where.text}/providers/{ACCOUNT.type}/{account}")
