"""Names that are taken all over Azure: whether one is free, before anything is made."""

from __future__ import annotations

from typing import Final

from clients.azure.client import Azure
from clients.azure.failures import AzureRefusal
from clients.azure.ids import ResourceId
from clients.azure.messages import FOUND, AzureRequest, of_id
from refusal import Refusal

_VERSIONS: Final = {"Microsoft.Storage": "2023-05-01", "Microsoft.KeyVault": "2023-07-01"}
_TAKEN: Final = "is taken already, by somebody anywhere in Azure or by what was deleted lately and can be recovered"
_UNKNOWN: Final = "whether the name is free in all of Azure: only a part of the subscription may be reached here"


async def refuse_taken(azure: Azure, subscription: str, type: str, name: str) -> list[str]:
    """Refuse a name that somebody has, or that none may have; what of it could not be found out.

    Raises:
        Refusal: It is taken, or is none.
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
        why = _TAKEN if is_taken else "is none that Azure allows there"
        raise Refusal(f"The name {name!r} {why}. Choose another one.")
    return []


async def refuse_there(azure: Azure, place: ResourceId, version: str = FOUND) -> None:
    """Refuse to make anew what is there: to write it once more would change it.

    Raises:
        Refusal: It is there.
    """
    try:
        await azure.json(of_id("GET", place, version=version))
    except AzureRefusal as refusal:
        if refusal.status == 404:
            return
        raise
    raise already_there(place)


def already_there(place: ResourceId) -> Refusal:
    return Refusal(f"{place.name!r} is there already, and is not made anew: {place.text}")
