"""Finds IDs in the query and body of a request, and rejects those outside the allowed scope."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import unquote

from clients.azure.confinement.request_paths import out_of_reach
from clients.azure.ids import ResourceId
from clients.azure.messages import AzureRequest
from clients.azure.reach import GroupBounds
from clients.folding import folded
from refusal import Refusal

# The maximum number of times that a text may be URL-encoded. An ID can be in a URL that is encoded inside another URL.
_TIMES_ENCODED: Final = 3
_SUBSCRIPTION: Final = re.compile(
    r"subscriptions[/\\]+([^/\\\s'\"?#&,;<>]+)(?:[/\\]+resourcegroups[/\\]+([\w.()-]+))?", re.IGNORECASE
)
# Matches the ID of a subscription after a name, for example in `subscriptionId eq '<id>'` or in JSON.
_NAMED: Final = re.compile(
    r"subscription(?:_?id)?s?['\"\s\\]*(?:[:=]|eq\b)[\[\s'\"\\]*([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})",
    re.IGNORECASE,
)
_GROUP_OF_MANAGEMENT: Final = re.compile(r"managementgroups[/\\]", re.IGNORECASE)
# Matches the name of a resource group after a name that ends with "resource group", or in a path.
_GROUP: Final = re.compile(r"resource_?groups?(?:_?name)?['\"\s\\]*[:=/][\s'\"\\/]*([\w.()-]+)", re.IGNORECASE)
_GUID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
# A management group, or a path that leads to a parent.
_WIDER: Final = re.compile(r"management_?group|[/\\]\.\.", re.IGNORECASE)


def refuse_mentions(request: AzureRequest, bounds: GroupBounds) -> None:
    """Reject a request that mentions subscriptions or groups outside the allowed scope.

    Raises:
        Refusal: The request mentions a subscription or group outside the allowed scope.
    """
    for text in _texts(request):
        if _GROUP_OF_MANAGEMENT.search(text) or not all(_is_within(*named, bounds) for named in _named_in(text)):
            raise out_of_reach(bounds)


def mentions_only(request: AzureRequest, group: ResourceId) -> bool:
    """Whether the query and the body of a request mention no place outside a group.

    Every other ID counts as a place, because it could be the ID of a subscription.
    """
    own = {folded(group.subscription), folded(group.group)}
    named = {found for text in _texts(request) for found in (*_GROUP.findall(text), *_GUID.findall(text))}
    return {folded(one) for one in named} <= own and not any(map(_WIDER.search, _texts(request)))


def _named_in(text: str) -> list[tuple[str, str]]:
    """Return the subscriptions and groups in a text. The group is empty if only a subscription is named."""
    named = [(found[1], found[2] or "") for found in _SUBSCRIPTION.finditer(text)]
    return [*named, *((found[1], "") for found in _NAMED.finditer(text))]


def _is_within(subscription: str, group: str, bounds: GroupBounds) -> bool:
    if not group:
        return bounds.opens(subscription)
    # A closing parenthesis may belong to the name of the group, or may end a function call in a filter. Try both.
    named = {group, group.rstrip(").")} - {""}
    return any(bounds.admits(ResourceId(("subscriptions", subscription, "resourceGroups", one))) for one in named)


def _texts(request: AzureRequest) -> Iterator[str]:
    for text in (*(f"{name}={value}" for name, value in request.query.items()), _written(request.body)):
        yield from _decoded(text)


def _decoded(text: str) -> Iterator[str]:
    """Yield the text itself, and the result of each step of URL decoding."""
    readings = [text]
    while (plain := unquote(readings[-1])) != readings[-1]:
        readings.append(plain)
        if len(readings) > _TIMES_ENCODED:
            raise Refusal("The request contains a URL that is encoded too many times.")
    yield from readings


def _written(body: Any) -> str:
    if body is None:
        return ""
    return body.decode(errors="replace") if isinstance(body, bytes) else json.dumps(body, ensure_ascii=False)
