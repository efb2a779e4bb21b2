"""Determines from the path of a request how much of the request's target is in the allowed scope.

Unknown paths are rejected.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from clients.azure.ids import ResourceId, is_guid, is_segment
from clients.azure.messages import AzureRequest
from clients.azure.reach import GroupBounds
from clients.folding import folded
from refusal import Refusal

_LONGEST: Final = 4096
_PLACES: Final = {(0, "subscriptions"), (2, "resourcegroups")}
_NAME_OF_A_GROUP: Final = 3
_NAMESPACE: Final = r"[a-z0-9]+(?:\.[a-z0-9]+)+"
# Paths of metadata about types, locations and permissions. Responses about metadata contain no resources of customers.
_OF_NOBODY: Final = re.compile(
    rf"tenants|providers|providers/{_NAMESPACE}|providers/{_NAMESPACE}/operations"
    rf"|providers/microsoft\.authorization/provideroperations(?:/{_NAMESPACE})?"
)
_OF_NOBODY_THERE: Final = re.compile(
    rf"subscriptions/[^/]+(?:/locations|/providers(?:/{_NAMESPACE}(?:/resourcetypes)?)?"
    r"|/providers/microsoft\.authorization/permissions|/providers/microsoft\.compute/skus)?"
)
# Paths of role and policy definitions. Built-in definitions are public; custom definitions are not.
_DEFINITIONS: Final = re.compile(
    r"(?:subscriptions/[0-9a-f-]{36}/)?providers/microsoft\.authorization"
    r"/(?:roledefinitions|policydefinitions|policysetdefinitions)(?:/[^/]+)?"
)
_GRAPHS: Final = "providers/microsoft.resourcegraph/"
_GRAPH: Final = f"{_GRAPHS}resources"
_ROLES: Final = "/providers/microsoft.authorization/roledefinitions"
_CLOSED: Final = "This request cannot be limited to the allowed scope"


class Extent(Enum):
    """How much of a request's target is in the allowed scope."""

    ALL = auto()
    # Only some groups of the subscription, or some role or policy definitions, are in the allowed scope. Each entry of
    # the response contains its scope.
    ROWS = auto()
    # Metadata that contains no resources of customers.
    NOBODYS = auto()
    # The list of subscriptions.
    SUBSCRIPTIONS = auto()
    # A Resource Graph query. The body of the query contains the scope.
    GRAPH = auto()


@dataclass(frozen=True, slots=True)
class RequestPath:
    """The path of a request, normalized for comparison."""

    path: str
    resource: ResourceId

    @classmethod
    def of(cls, request: AzureRequest) -> RequestPath:
        """Parse the path of a request. Paths that some parsers would split into other segments are rejected.

        Raises:
            Refusal: A segment is ambiguous.
        """
        segments = tuple(segments_of(request))
        if not all(map(is_segment, segments)) or sum(map(len, segments)) > _LONGEST:
            raise Refusal(f"{_CLOSED}: the parts of a path must not be empty or encoded, and must not contain a slash.")
        if not _has_one_place(segments):
            raise Refusal(f"{_CLOSED}: it names more than one subscription or resource group.")
        return cls(folded("/".join(segments)), ResourceId(segments))

    @property
    def is_of_subscription(self) -> bool:
        return is_guid(self.resource.subscription)


def _has_one_place(segments: Sequence[str]) -> bool:
    """Whether the path names at most one subscription and one resource group, at the positions where Azure expects
    these names.
    """
    words = [folded(segment) for segment in segments]
    ends = [place for place in range(0, len(words), 2) if words[place] == "providers"]
    named = [
        (place, word)
        for place, word in enumerate(words[: ends[0] if ends else None])
        # The fourth segment is the name of a resource group, so it may be any word, even `subscriptions`.
        if word in {"subscriptions", "resourcegroups"} and place != _NAME_OF_A_GROUP
    ]
    return all((place, word) in _PLACES for place, word in named)


def segments_of(request: AzureRequest) -> Iterator[str]:
    """The segments of a path before URL encoding."""
    values = {name: str(value) for name, value in request.present_values.items()}
    path = request.present_line.partition(" ")[2]
    for part in path.removeprefix("/").removesuffix("/").split("/"):
        yield part.format_map(values)


def extent_of(request: AzureRequest, place: RequestPath, bounds: GroupBounds, polled: Collection[str]) -> Extent:
    """Determine how much of a request's target is in the allowed scope.

    `polled` contains the paths that Azure returned for polling operations.

    Raises:
        Refusal: The target is outside the allowed scope, or it cannot be determined whether the target is in this
            scope.
    """
    if place.is_of_subscription:
        return _in_subscription(request, place, bounds, polled)
    if request.method == "POST" and place.path == _GRAPH:
        return Extent.GRAPH
    if request.method != "GET":
        raise out_of_reach(bounds)
    if place.path == "subscriptions":
        return Extent.SUBSCRIPTIONS
    if is_definition(place.path):
        return Extent.ROWS
    if _OF_NOBODY.fullmatch(place.path):
        return Extent.NOBODYS
    raise Refusal(f"{_CLOSED}: it concerns the whole tenant. {_limits_of(bounds)}")


def _in_subscription(request: AzureRequest, place: RequestPath, bounds: GroupBounds, polled: Collection[str]) -> Extent:
    subscription = place.resource.subscription
    if not bounds.opens(subscription):
        raise out_of_reach(bounds)
    if request.method != "GET" and (_GRAPHS in place.path or _ROLES in place.path):
        # A change to a role affects all scopes where the role can be assigned, not only the scope in the path.
        raise Refusal(f"{_CLOSED}. {_limits_of(bounds)}")
    if bounds.admits(place.resource):
        return Extent.ALL
    if place.resource.group:
        raise out_of_reach(bounds)
    if request.method != "GET":
        raise Refusal(f"{_CLOSED}: it concerns a whole subscription. {_limits_of(bounds)}")
    if place.path in polled:
        return Extent.ALL
    return Extent.NOBODYS if _OF_NOBODY_THERE.fullmatch(place.path) else Extent.ROWS


def is_definition(path: str) -> bool:
    """Whether a normalized path concerns role or policy definitions."""
    return bool(_DEFINITIONS.fullmatch(path))


def out_of_reach(bounds: GroupBounds) -> Refusal:
    return Refusal(f"The request is outside the allowed scope. {_limits_of(bounds)}")


def _limits_of(bounds: GroupBounds) -> str:
    """A sentence about the allowed scope, for error messages."""
    if not bounds.subscriptions:
        return "Nothing that you can see is in the allowed scope. An operator sets this scope."
    some = "some resource groups" if bounds.knows_groups else "some subscriptions"
    tools = "list_resource_groups lists them" if bounds.knows_groups else "list_azure_subscriptions lists them"
    return f"An operator limits this server to {some}; {tools}."
