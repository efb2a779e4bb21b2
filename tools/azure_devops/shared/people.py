"""The people and groups of an organization, found by what one knows of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import DevOpsRequest
from clients.azure_devops.organization import Host
from refusal import Refusal
from tools.azure_devops.shared.answers import Json, at, shape
from tools.azure_devops.shared.identifiers import is_id

ME: Final = "@me"
# The kinds that there are, each followed by what is no name: `first.last` is none.
_DESCRIPTOR: Final = re.compile(r"(?:aad|aadgp|aadsp|acs|bnd|imp|msa|s2s|scp|svc|ucs|vss|vssgp|win)\.[\w-]{20,}")
_SHAPE: Final = shape(
    "id",
    name="providerDisplayName",
    mail="properties.Mail.$value",
    account="properties.Account.$value",
    descriptor="subjectDescriptor",
    active="isActive",
    group="isContainer",
)


def shown_identity(identity: Mapping[str, Any]) -> Json:
    return _SHAPE(identity)


async def current_user(devops: AzureDevOps) -> Json:
    """Whom Azure DevOps takes us for."""
    request = DevOpsRequest("GET /_apis/connectionData", version="7.1-preview.1")
    me: Json = (await devops.json(request))["authenticatedUser"]
    return me


async def identities(devops: AzureDevOps, who: str) -> list[Json]:
    """The identities of an id, a descriptor, an address or an alias, or else those whose name begins so."""
    for search in _searches(who):
        request = DevOpsRequest("GET /_apis/identities", query=search | {"queryMembership": "none"}, host=Host.USERS)
        # An id that nobody has is answered by a null.
        if found := [identity for identity in (await devops.json(request))["value"] or () if identity]:
            return found
    return []


async def id_of(devops: AzureDevOps, who: str) -> str:
    """The id of one person or group.

    Raises:
        Refusal: Nobody is meant, or several are.
    """
    if is_id(who):
        return who
    if who.lower() == ME:
        return str((await current_user(devops))["id"])
    found = await identities(devops, who)
    if len(found) == 1:
        return str(found[0]["id"])
    names = ", ".join(f"{identity['providerDisplayName']} ({identity['id']})" for identity in found[:5])
    raise Refusal(f"{who!r} is {f'not one but several: {names}' if found else 'nobody here'}. search_users finds ids.")


async def assignee(devops: AzureDevOps, who: str | None) -> str | None:
    """Who is meant to have a work item. Only queries know of @Me: as the value of a field it would be nobody's name."""
    if (who or "").lower() != ME:
        return who
    me = await current_user(devops)
    return str(at(me, "properties.Account.$value") or me["providerDisplayName"])


def _searches(who: str) -> list[dict[str, str]]:
    """What to look for until somebody is found: people sign in with other addresses than they mail from."""
    if is_id(who):
        return [{"identityIds": who}]
    if _DESCRIPTOR.fullmatch(who):
        return [{"subjectDescriptors": who}]
    filters = ("MailAddress", "AccountName", "Alias") if "@" in who else ("General", "Alias")
    return [{"searchFilter": name, "filterValue": who} for name in filters]
