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


def refuse_mentions(request: AzureRequest, bounds: GroupBounds) -> None:
    """Reject a request that mentions subscriptions or groups outside the allowed scope.

    Raises:
        Refusal: The request mentions a subscription or group outside the allowed scope.
    """
    for text in _texts(request):
        if _GROUP_OF_MANAGEMENT.search(text):
            raise out_of_reach(bounds)
        named = [found.groups("") for found in _SUBSCRIPTION.finditer(text)]
        named += [(found[1], "") for found in _NAMED.finditer(text)]
        if not all(_is_within(subscription, group, bounds) for subscription, group in named):
            raise out_of_reach(bounds)


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
