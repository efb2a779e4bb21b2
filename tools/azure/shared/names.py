"""Checks whether a globally unique name is available before a resource is created."""

from __future__ import annotations

from typing import Final

from clients.azure.client import Azure
from clients.azure.failures import AzureRefusal
from clients.azure.ids import ResourceId
from clients.azure.messages import FOUND, AzureRequest, of_id
from refusal import Refusal

_VERSIONS: Final = {"Microsoft.Storage": "2023-05-01", "Microsoft.KeyVault": "2023-07-01"}
_TAKEN: Final = "is already used in Azure, possibly by a deleted resource that can still be recovered"
_UNKNOWN: Final = "whether the name is available in Azure: this server can reach only a part of the subscription"


async def refuse_taken(azure: Azure, subscription: str, type: str, name: str) -> list[str]:
    """Refuse a taken or invalid name. Return what could not be checked.

    Raises:
        Refusal: The name is taken or invalid.
    """
    if not await azure.reaches_all_of(subscription):
        return [_UNKNOWN]
    namespace = type.partition("/")[0]
    found = await azure.json(
        AzureRequest(
            f"POST /subscriptions/{{subscription}}/providers/{namespace}/checkNameAvailability",
            {"subscription": subscription},
            body={"name": name, "type": type},
            version=_VERSIONS[namespace],
            is_read=True,
        )
    )
    if found.get("nameAvailable") is False:
        is_taken = found.get("reason") == "AlreadyExists"
        why = _TAKEN if is_taken else "is not allowed for this type of resource"
        raise Refusal(f"The name {name!r} {why}. Choose another name.")
    return []


async def refuse_there(azure: Azure, place: ResourceId, version: str = FOUND) -> None:
    """Refuse to create a resource that already exists, because the request would change the existing resource.

    Raises:
        Refusal: The resource exists.
    """
    try:
        await azure.json(of_id("GET", place, version=version))
    except AzureRefusal as refusal:
        if refusal.status == 404:
            return
        raise
    raise already_there(place)


def already_there(place: ResourceId) -> Refusal:
    return Refusal(f"{place.name!r} already exists: {place.text}")
