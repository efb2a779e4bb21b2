"""Containers of blobs: made, and deleted with what is in them."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field

from changes.preview import Fact, Preview
from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.messages import of_id
from clients.azure.storage import blobs
from clients.azure.storage.accounts import Account, account_called
from clients.azure.storage.blobs import Wanted
from clients.azure.storage.data import Data
from clients.azure.storage.policies import keeping
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.provider import Arm
from tools.azure.shared.answers import Json, at
from tools.azure.shared.doing import SECONDS, Judge, Look, change, gone, made
from tools.azure.shared.names import already_there, refuse_there
from tools.azure.shared.parameters import Subscription
from tools.azure.shared.previews import look_at
from tools.azure.storage.shared import OF_ACCOUNT, AccountName, ContainerName

part = Part()

_VERSION: Final = "2023-05-01"
_MOST: Final = 2000
_HARMLESS: Final = (*OF_ACCOUNT, "container")

NewContainer = Annotated[str, Field(pattern=r"^[a-z0-9](-?[a-z0-9]){2,62}$", description="Its name")]


async def _created(
    azure: Arm, account: AccountName, container: NewContainer, subscription: Subscription = None
) -> Preview:
    """Where it is made, and that there is none yet."""
    found = await account_called(azure, account, subscription)
    place = _place(found, container)
    known = await look_at(azure, place)
    if known.document(place) is not None:
        raise already_there(place)
    known.refuse_locked("change")
    return Preview(
        what=f"The new container {container} of the storage account {found.name}",
        facts={**known.facts(place), "account": found.id.text, "public access": "none"},
        places=known.places,
        missing=known.missing,
    )


@part.tool(Access.WRITE, previewed=_created, harmless=_HARMLESS, seconds=SECONDS)
async def create_container(
    azure: Arm, account: AccountName, container: NewContainer, subscription: Subscription = None
) -> Json:
    """Create a private blob container in a storage account."""
    place = _place(await account_called(azure, account, subscription), container)
    await refuse_there(azure, place, _VERSION)
    body = {"properties": {"publicAccess": "None"}}
    done = await change(azure, of_id("PUT", place, body=body, version=_VERSION), _look_at(place, made))
    return done.told(created=place.text)


async def _deleted(
    azure: Arm, account: AccountName, container: ContainerName, subscription: Subscription = None
) -> Preview:
    """What goes with it, and for how long it can be restored."""
    found = await account_called(azure, account, subscription)
    place = _place(found, container)
    known = await look_at(azure, place)
    document = known.document(place)
    if document is None:
        raise Refusal(f"There is no container {container!r}. list_containers names those there are.")
    known.refuse_locked("delete")
    days = (await keeping(azure, found)).container_days
    holds, unread = await _held(azure, found, container)
    return Preview(
        what=f"The container {container} of the storage account {found.name}, with all that is in it",
        facts={
            "account": found.id.text,
            **holds,
            "restorable for days": days,
            "changed": at(document, "properties.lastModifiedTime"),
            "public access": at(document, "properties.publicAccess"),
            "lease": at(document, "properties.leaseState"),
            "kept by a policy": at(document, "properties.hasImmutabilityPolicy"),
            "legal hold": at(document, "properties.hasLegalHold"),
        },
        places=known.places,
        grave="" if days else "The account keeps no deleted containers, so nothing in it can be restored.",
        missing=[*known.missing, *unread],
    )


@part.tool(Access.DESTROY, previewed=_deleted, harmless=_HARMLESS, seconds=SECONDS)
async def delete_container(
    azure: Arm, account: AccountName, container: ContainerName, subscription: Subscription = None
) -> Json:
    """Delete a blob container with all that is in it."""
    place = _place(await account_called(azure, account, subscription), container)
    done = await change(azure, of_id("DELETE", place, version=_VERSION), _look_at(place, gone))
    return done.told(deleted=place.text)


async def _held(azure: Azure, account: Account, container: str) -> tuple[dict[str, Fact], list[str]]:
    """How much is in it, as far as the caller may see."""
    try:
        found = await blobs.blobs(Data(azure, account, "blob"), Wanted(container, is_deep=True), _MOST, None)
    except Refusal as refusal:
        return {}, [f"how much is in it: {refusal}"]
    sizes = [int(entry.findtext("Properties/Content-Length") or 0) for entry in found.entries]
    more = " or more" if found.following else ""
    return {"blobs": f"{len(sizes)}{more}", "bytes": f"{sum(sizes)}{more}"}, []


def _place(account: Account, container: str) -> ResourceId:
    return ResourceId((*account.id.segments, "blobServices", "default", "containers", container))


def _look_at(place: ResourceId, judge: Judge) -> Look:
    account = ResourceId(place.segments[:8])
    return Look(
        of_id("GET", place, version=_VERSION),
        judge,
        f"list_containers(account={account.text!r}, prefix={place.name!r})",
    )
