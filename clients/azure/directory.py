"""Looks up people and groups in Microsoft Graph, if the settings allow it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from clients.azure.client import Azure
from clients.azure.ids import is_guid
from clients.azure.messages import AzureRequest
from refusal import Refusal

SETTING: Final = "AZURE_READ_DIRECTORY"
NOT_READ: Final = (
    "This server cannot read names of people and groups, or members of groups. To let the server read them, an"
    f" operator must set {SETTING} to true, and an administrator must consent."
)
_USER: Final = "id,displayName,userPrincipalName"
_GROUP: Final = "id,displayName"
_MOST_MEMBERS: Final = 100
MOST_IDS: Final = 1000
_LONGEST_SIGN_IN: Final = 113
_LONGEST_NAME: Final = 256


@dataclass(frozen=True, slots=True)
class DirectoryEntry:
    """A person, a group or an app. Only a person has a sign-in name."""

    id: str
    name: str
    sign_in: str = ""
    is_group: bool = False

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> DirectoryEntry:
        own, name, sign_in = (str(record.get(one) or "") for one in ("id", "displayName", "userPrincipalName"))
        return cls(own, name, sign_in, _is_group(record))


@dataclass(frozen=True, slots=True)
class Members:
    """The people in a group, including those in nested groups."""

    people: list[DirectoryEntry]
    has_more: bool


async def person(azure: Azure, object_id: str) -> DirectoryEntry:
    return DirectoryEntry.of(await azure.json(_request(azure, "GET /v1.0/users/{id}", object_id, {"$select": _USER})))


async def group(azure: Azure, object_id: str) -> DirectoryEntry:
    return DirectoryEntry.of(await azure.json(_request(azure, "GET /v1.0/groups/{id}", object_id, {"$select": _GROUP})))


async def by_ids(azure: Azure, ids: Sequence[str]) -> dict[str, DirectoryEntry]:
    """Look up people, groups and apps by ID. Unknown IDs are left out."""
    body = {"ids": list(ids)[:MOST_IDS], "types": ["user", "group", "servicePrincipal"]}
    line = "POST /v1.0/directoryObjects/getByIds"
    request = AzureRequest(line, body=body, is_read=True, version=None, service=azure.cloud.directory)
    return {known.id.lower(): known for known in map(DirectoryEntry.of, _rows(await azure.json(request)))}


async def app_of(azure: Azure, application_id: str) -> DirectoryEntry | None:
    """The service principal of an app by its application ID; None if the tenant does not have one."""
    query = {"$filter": f"appId eq '{application_id}'", "$select": "id,displayName", "$top": "2"}
    request = AzureRequest("GET /v1.0/servicePrincipals", query=query, version=None, service=azure.cloud.directory)
    found = _rows(await azure.json(request))
    return DirectoryEntry.of(found[0]) if found else None


async def members(azure: Azure, group_id: str) -> Members:
    """The people in a group and its nested groups. Microsoft Graph expands the nested groups."""
    query = {"$select": _USER, "$top": str(_MOST_MEMBERS)}
    found = await azure.json(_request(azure, "GET /v1.0/groups/{id}/transitiveMembers", group_id, query))
    entries = found.get("value") or []
    people = [DirectoryEntry.of(one) for one in entries if isinstance(one, dict) and not _is_group(one)]
    return Members(people, bool(found.get("@odata.nextLink")))


async def group_called(azure: Azure, name: str) -> DirectoryEntry:
    """The only group with this display name."""
    if not name.isprintable() or len(name) > _LONGEST_NAME:
        raise Refusal("Pass a group's display name or object id.")
    text = name.strip().replace("'", "''")
    query = {"$filter": f"displayName eq '{text}'", "$select": _GROUP, "$top": "2"}
    request = AzureRequest("GET /v1.0/groups", query=query, version=None, service=azure.cloud.directory)
    found = _rows(await azure.json(request))
    if len(found) != 1:
        raise Refusal(f"{'Several groups have' if found else 'No group has'} this name. Pass the object id.")
    return DirectoryEntry.of(found[0])


async def signed_in_as(azure: Azure, sign_in: str) -> DirectoryEntry:
    """The only person with this sign-in name or email address."""
    if len(sign_in) > _LONGEST_SIGN_IN or not sign_in.isprintable() or "@" not in sign_in:
        raise Refusal("Pass a person's sign-in name or email, for example ada@example.com, or an object id.")
    text = sign_in.strip().replace("'", "''")
    query = {"$filter": f"userPrincipalName eq '{text}' or mail eq '{text}'", "$select": _USER, "$top": "2"}
    request = AzureRequest("GET /v1.0/users", query=query, version=None, service=azure.cloud.directory)
    found = _rows(await azure.json(request))
    if len(found) != 1:
        raise Refusal(
            f"{'Several people have' if found else 'No one has'} this sign-in name or email. Pass the object id."
        )
    return DirectoryEntry.of(found[0])


def _rows(document: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [one for one in document.get("value") or [] if isinstance(one, dict)]


def _request(azure: Azure, line: str, object_id: str, query: Mapping[str, str]) -> AzureRequest:
    if not is_guid(object_id):
        raise Refusal("Invalid object id. Example: 11111111-2222-3333-4444-555555555555.")
    return AzureRequest(line, {"id": object_id}, query, version=None, service=azure.cloud.directory)


def _is_group(record: Mapping[str, Any]) -> bool:
    return str(record.get("@odata.type")).endswith(".group")
