"""Limits Microsoft Graph to people and groups with roles in the allowed scope.

People and groups can be looked up only by ID.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any, Final

from clients.azure.ids import is_guid
from clients.azure.messages import AzureAnswer, AzureRequest
from clients.decoding import decoded
from clients.folding import folded
from refusal import Refusal

_RIGHTS: Final = re.compile(
    r".*/providers/microsoft\.authorization/(?:roleassignments|roleeligibilityscheduleinstances|denyassignments)"
)
_PERSON: Final = re.compile(r"/v1\.0/(?:users/([^/]+)|groups/([^/]+)(?:/transitivemembers)?)")
_BY_IDS: Final = "/v1.0/directoryobjects/getbyids"
_OPTIONS: Final = frozenset({"$select", "$top"})


def is_about_rights(path: str) -> bool:
    """Whether a request to this normalized path lists role assignments or similar permissions."""
    return bool(_RIGHTS.fullmatch(path))


def noted(answer: AzureAnswer) -> set[str]:
    """The IDs of all people and groups in a list of permissions. All permissions must be in the allowed scope."""
    if answer.status != 200:
        return set()
    try:
        rows = decoded(answer.text)["value"]
        return {folded(one) for row in rows for one in _principals(row.get("properties")) if is_guid(one)}
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
        return set()  # another function tells the caller what is wrong with the response


def _principals(properties: Any) -> list[str]:
    if not isinstance(properties, Mapping):
        return []
    named = [*(properties.get("principals") or ()), *(properties.get("excludePrincipals") or ())]
    return [str(properties.get("principalId")), *(str(one.get("id")) for one in named)]


def _asks_for_known(request: AzureRequest, known: Collection[str]) -> bool:
    """Whether the request looks up people or groups by ID, and contains only known IDs."""
    body = request.body
    if folded(request.path) != _BY_IDS or request.method != "POST" or not isinstance(body, Mapping) or request.query:
        return False
    ids = body.get("ids")
    return body.keys() <= {"ids", "types"} and isinstance(ids, list) and all(folded(str(one)) in known for one in ids)


def refuse_unknown(request: AzureRequest, known: Collection[str]) -> None:
    """Reject all requests, except requests that look up known people and groups by ID."""
    if _asks_for_known(request, known):
        return
    found = _PERSON.fullmatch(folded(request.path))
    is_plain = request.method == "GET" and request.body is None and {*map(folded, request.query)} <= _OPTIONS
    if not found or not is_plain or (found[1] or found[2]) not in known:
        raise Refusal(
            "Access to Azure is restricted, so people and groups are shown only if they have roles within the allowed"
            " scope. Pass an object id from list_role_assignments."
        )
