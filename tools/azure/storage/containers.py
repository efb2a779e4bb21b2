"""Creates blob containers, and deletes them with their blobs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final

from changes.preview import Fact, Preview
from changes.undo import by_call, by_hand, never
from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.messages import AzureRequest, of_id
from clients.azure.storage import blobs
from clients.azure.storage.accounts import StorageAccount, account_called
from clients.azure.storage.blobs import BlobFilter
from clients.azure.storage.data import Data
from clients.azure.storage.policies import keeping
from clients.azure.times import to_seconds
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.access import Arm
from tools.azure.shared.answers import Json, at
from tools.azure.shared.applying import SECONDS, Judge, gone, made, read
from tools.azure.shared.inspecting import Inspected
from tools.azure.shared.names import refuse_there
from tools.azure.shared.parameters import Subscription
from tools.azure.shared.resource_change import ResourceChange, Shows
from tools.azure.storage.storage_parameters import OF_ACCOUNT, AccountName, ContainerName

part = Part()

_VERSION: Final = "2023-05-01"
_MOST: Final = 2000
_HARMLESS: Final = (*OF_ACCOUNT, "container")

NewContainer = Annotated[str, Field(pattern=r"^[a-z0-9](-?[a-z0-9]){2,62}$", description="Its name")]


@part.change(Access.WRITE, harmless=_HARMLESS, seconds=SECONDS)
async def create_container(
    azure: Arm, account: AccountName, container: NewContainer, subscription: Subscription = None
) -> ResourceChange:
    """Create a private blob container in a storage account."""
    found = await account_called(azure, account, subscription, anew=True)
    place = _place(found, container)
    await refuse_there(azure, place, _VERSION)

    def shown(known: Inspected) -> Preview:
        return Preview(
            what=f"The new container {container} of the storage account {found.name}",
            sentence=f"Create the private container {container} in the storage account {found.name}",
            facts={**known.facts(place), "account": found.id.text, "public access": "none"},
            undo=by_call("delete_container", account=found.id.text, container=container),
        )

    request = of_id("PUT", place, body={"properties": {"publicAccess": "None"}}, version=_VERSION)
    return _change(azure, request, None, made, shown, {"created": place.text})


@part.change(Access.DESTROY, harmless=_HARMLESS, seconds=SECONDS)
async def delete_container(
    azure: Arm, account: AccountName, container: ContainerName, subscription: Subscription = None
) -> ResourceChange:
    """Delete a blob container with everything in it."""
    found = await account_called(azure, account, subscription, anew=True)
    place = _place(found, container)
    request = of_id("DELETE", place, version=_VERSION)
    document = await read(azure, of_id("GET", place, version=_VERSION))
    if document is None:
        raise Refusal(f"Container {container!r} not found. Use list_containers to find containers.")

    async def shown(_known: Inspected) -> Preview:
        days = (await keeping(azure, found)).container_days
        holds, unread = await _contents(azure, found, container)
        return Preview(
            what=f"The container {container} of the storage account {found.name}, with everything in it",
            sentence=f"Delete the container {container} of the storage account {found.name} with all its blobs",
            facts={
                "account": found.id.text,
                **holds,
                "restorable (days)": days,
                "changed": to_seconds(at(document, "properties.lastModifiedTime")),
                "public access": at(document, "properties.publicAccess"),
                "lease": at(document, "properties.leaseState"),
                "protected by a policy": at(document, "properties.hasImmutabilityPolicy"),
                "legal hold": at(document, "properties.hasLegalHold"),
            },
            grave="" if days else "The account does not keep deleted containers, so the deletion is final.",
            undo=by_hand(f"restore it in the portal within {days} days")
            if days
            else never("the account does not keep deleted containers"),
            missing=unread,
        )

    return _change(azure, request, document, gone, shown, {"deleted": place.text})


async def _contents(azure: Azure, account: StorageAccount, container: str) -> tuple[dict[str, Fact], list[str]]:
    """Return the size of a container's contents, counting only the blobs that the caller can read."""
    try:
        found = await blobs.blobs(Data(azure, account, "blob"), BlobFilter(container, is_deep=True), _MOST, None)
    except Refusal as refusal:
        return {}, [f"the size of its contents: {refusal}"]
    sizes = [int(entry.findtext("Properties/Content-Length") or 0) for entry in found.entries]
    more = " or more" if found.following else ""
    return {"blobs": f"{len(sizes)}{more}", "bytes": f"{sum(sizes)}{more}"}, []


def _place(account: StorageAccount, container: str) -> ResourceId:
    return ResourceId((*account.id.segments, "blobServices", "default", "containers", container))


def _change(
    azure: Azure, request: AzureRequest, before: Json | None, judge: Judge, shows: Shows, answers: Mapping[str, Any]
) -> ResourceChange:
    place = ResourceId.of(request.path)
    account = ResourceId(place.segments[:8])
    call = f"list_containers(account={account.text!r}, prefix={place.name!r})"
    return ResourceChange(azure, request, on=place, before=before, judge=judge, call=call, shows=shows, answers=answers)
