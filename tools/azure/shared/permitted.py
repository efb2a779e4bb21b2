"""Checks the caller's permissions in Azure, before a change is approved or sent."""

from __future__ import annotations

from typing import Final

from clients.azure.client import Azure
from clients.azure.failures import AzureRefusal
from clients.azure.ids import ResourceId
from clients.azure.messages import AzureRequest, of_id
from clients.azure.needed_roles import role_for
from clients.azure.permissions import Permissions
from refusal import Refusal
from tools.azure.shared.rights import HERE, VERSION
from tools.permitted import UNKNOWN, not_permitted

_MOST: Final = 1000
_VERBS: Final = {"PUT": "write", "PATCH": "write", "DELETE": "delete", "POST": "action"}
_ADVICE: Final = (
    "If you are eligible for this role, activate it in Privileged Identity Management; otherwise ask an owner of the"
    " subscription."
)


def action_of(request: AzureRequest) -> str:
    """Return the management action that a request requires. Return an empty string for requests about a resource's
    data.
    """
    if request.service is not None:
        return ""
    try:
        place = ResourceId.of(request.path)
    except Refusal:
        return ""
    return f"{place.type}/{_VERBS[request.method]}" if place.namespace else ""


async def doubt_of(azure: Azure, scope: ResourceId, action: str, *, of_data: bool = False) -> str:
    """Refuse a forbidden action. Return why permissions are unknown, or an empty string."""
    if not action:
        return ""
    try:
        permissions = await _permissions(azure, scope)
    except Refusal:
        return UNKNOWN
    if permissions.allow(action, of_data=of_data):
        return ""
    raise not_permitted(f"{action!r} on {scope.text} requires {role_for(action)}", _ADVICE)


async def _permissions(azure: Azure, scope: ResourceId) -> Permissions:
    """Return the caller's permissions on a resource or, if it does not exist yet, on its group."""
    try:
        return Permissions.of((await azure.page(_request(scope), _MOST)).items)
    except AzureRefusal as refusal:
        if refusal.status != 404 or not scope.group or len(scope.segments) <= 4:
            raise
    return Permissions.of((await azure.page(_request(ResourceId(scope.segments[:4])), _MOST)).items)


def _request(scope: ResourceId) -> AzureRequest:
    return of_id("GET", scope, f"{HERE}/permissions", version=VERSION)
