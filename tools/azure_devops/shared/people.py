"""Finds users and groups of an organization by id, name or address."""

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
# The known prefixes of descriptors. User names such as `first.last` do not match this pattern.
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
    """Return the user that Azure DevOps identifies as the caller."""
    request = DevOpsRequest("GET /_apis/connectionData", version="7.1-preview.1")
    me: Json = (await devops.json(request))["authenticatedUser"]
    return me


async def identities(devops: AzureDevOps, who: str) -> list[Json]:
    """Return the identities with this id, descriptor, address or alias, or with a name that starts with this text."""
    for search in _searches(who):
        request = DevOpsRequest("GET /_apis/identities", query=search | {"queryMembership": "none"}, host=Host.USERS)
        # For an unknown id, the service returns null.
        if found := [identity for identity in (await devops.json(request))["value"] or () if identity]:
            return found
    return []


async def id_of(devops: AzureDevOps, who: str) -> str:
    """Return the id of one user or group. Raise a Refusal unless exactly one identity matches."""
    if is_id(who):
        return who
    if who.lower() == ME:
        return str((await current_user(devops))["id"])
    found = await identities(devops, who)
    if len(found) == 1:
        return str(found[0]["id"])
    names = ", ".join(f"{identity['providerDisplayName']} ({identity['id']})" for identity in found[:5])
    raise Refusal(f"User {who!r} {f'is ambiguous: {names}' if found else 'not found'}. search_users finds ids.")


async def assignee(devops: AzureDevOps, who: str | None) -> str | None:
    """Return the assignee of a work item. The service resolves @Me only in queries, so this function resolves @Me
    itself.
    """
    if (who or "").lower() != ME:
        return who
    me = await current_user(devops)
    return str(at(me, "properties.Account.$value") or me["providerDisplayName"])


def _searches(who: str) -> list[dict[str, str]]:
    """Return the searches in the order in which to try them. Several searches are needed because a user's sign-in
    address may differ from the email address.
    """
    if is_id(who):
        return [{"identityIds": who}]
    if _DESCRIPTOR.fullmatch(who):
        return [{"subjectDescriptors": who}]
    filters = ("MailAddress", "AccountName", "Alias") if "@" in who else ("General", "Alias")
    return [{"searchFilter": name, "filterValue": who} for name in filters]
