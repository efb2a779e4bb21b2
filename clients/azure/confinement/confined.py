"""Limits all requests to Azure to the subscriptions or groups that settings allow. No tool can bypass this limit.

The path or the service of a request shows which resource the request concerns. Requests are not sent if they are
outside the allowed scope or cannot be limited to it. Entries outside the scope are removed from responses.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from clients.advice import NO_ADVICE, Advice
from clients.azure.cloud import Service
from clients.azure.confinement.directory import is_about_rights, noted, refuse_unknown
from clients.azure.confinement.mentions import refuse_mentions
from clients.azure.confinement.queries import narrowed, refuse_reaching
from clients.azure.confinement.request_paths import Extent, RequestPath, extent_of, out_of_reach, segments_of
from clients.azure.confinement.sieve import AzureSieve, NotWithinError
from clients.azure.failures import refuse_failure
from clients.azure.ids import ResourceId
from clients.azure.messages import Authorize, AzureAnswer, AzureRequest, PatientExchange
from clients.azure.paging import collected
from clients.azure.reach import AzureReach, GroupBounds
from clients.azure.versions import SUBSCRIPTIONS_VERSION
from clients.decoding import decoded
from clients.folding import folded
from clients.kept import Kept
from refusal import Refusal

_MOST_SUBSCRIPTIONS: Final = 1000
_POLLED: Final = ("Azure-AsyncOperation", "Location")
_OF_OPERATIONS: Final = "operation"
# If one host serves the data of many resources, only requests with this path can be limited to a single resource.
_ASKED_OF_LOGS: Final = "query"
_ABSENT: Final = "Not found, or outside the allowed scope."
_DONE: Final = "Azure accepted the change, but its answer is outside the allowed scope. Do not repeat the call."


@dataclass
class ConfinedAzure:
    """Sends the requests of a tool call, and limits them to the allowed scope.

    Callers do not share cached data.
    """

    exchange: PatientExchange
    manager: Service
    authorize: Authorize
    reach: AzureReach
    caller: Hashable = None
    advice: Advice = NO_ADVICE
    kept: Kept = field(default_factory=Kept)
    # Microsoft Graph, if the settings allow looking up people and groups.
    directory: Service | None = None
    # The IDs of people and groups who have roles in the allowed scope. Only these people and groups can be looked up.
    known: set[str] = field(default_factory=set)
    # The paths that Azure returned for polling operations in the allowed scope.
    polled: set[str] = field(default_factory=set)

    async def sleep(self, seconds: float) -> None:
        await self.exchange.sleep(seconds)

    async def admit(self, service: Service) -> None:
        bounds = await self._bounds()
        if service.owner is None or not bounds.admits(service.owner):
            raise out_of_reach(bounds)
        await self.exchange.admit(service)

    async def send(
        self, service: Service, request: AzureRequest, authorization: str, largest: int | None = None
    ) -> AzureAnswer:
        bounds = await self._bounds()
        if service.owner is not None:
            _refuse_data(service, service.owner, request, bounds)
            return await self.exchange.send(service, request, authorization, largest)
        if service == self.directory:
            refuse_unknown(request, self.known)
            return await self.exchange.send(service, request, authorization, largest)
        if service.base_url != self.manager.base_url:
            raise Refusal(f"{service.name} cannot be limited to the allowed scope.")
        place = RequestPath.of(request)
        extent = extent_of(request, place, bounds, self.polled)
        refuse_reaching(request, bounds)
        if extent is Extent.GRAPH:
            request = narrowed(request, bounds)
        else:
            refuse_mentions(request, bounds)
        answer = await self.exchange.send(service, request, authorization, largest)
        if extent is Extent.ALL:
            self._note_polled(answer)
        left = _left_of(answer, AzureSieve(extent, bounds))
        if is_about_rights(place.path):
            self.known |= noted(left)
        return left

    async def opens_all_of(self, subscription: str) -> bool:
        """Whether requests about the whole subscription are allowed."""
        return (await self._bounds()).opens_all_of(subscription)

    async def refuse_elsewhere(self, ids: Iterable[str], documents: Iterable[Any]) -> None:
        bounds = await self._bounds()
        for text in ids:
            if not bounds.admits(ResourceId.of(text)):
                raise out_of_reach(bounds)
        for document in documents:
            refuse_mentions(AzureRequest("POST /", body=document), bounds)

    def expect(self, address: str) -> None:
        self.polled |= _operations([address])

    async def _bounds(self) -> GroupBounds:
        if self.reach.is_by_ids:
            return self.reach.bounds({})
        key = (self.manager.base_url, self.caller, "names of subscriptions")
        return self.reach.bounds(await self.kept.get(key, self._names))

    async def _names(self) -> dict[str, str]:
        """The names of all subscriptions that the caller can see, including those outside the allowed scope."""
        page = await collected(
            self._look,
            self.manager,
            AzureRequest("GET /subscriptions", version=SUBSCRIPTIONS_VERSION),
            _MOST_SUBSCRIPTIONS,
        )
        return {str(one.get("subscriptionId")): str(one.get("displayName")) for one in page.items}

    async def _look(self, request: AzureRequest) -> AzureAnswer:
        if RequestPath.of(request).path != "subscriptions":
            raise Refusal("Azure's list of subscriptions links to another host. Such links are not followed.")
        authorization = await self.authorize(self.manager.scope)
        answer = await self.exchange.send(self.manager, request, authorization)
        refuse_failure(self.manager, request, answer, self.advice)
        return answer

    def _note_polled(self, answer: AzureAnswer) -> None:
        """Remember the path for polling an operation, because this path differs from the path of the first request."""
        if answer.status in {200, 201, 202}:
            self.polled |= _operations(answer.headers.get(name, "") for name in _POLLED)


def _operations(addresses: Iterable[str]) -> set[str]:
    """Return the normalized path of each URL that polls an operation."""
    paths = (folded(unquote(urlsplit(address).path).strip("/")) for address in addresses)
    return {path for path in paths if _OF_OPERATIONS in path}


def _refuse_data(service: Service, owner: ResourceId, request: AzureRequest, bounds: GroupBounds) -> None:
    """Reject requests for data unless the resource that contains the data is in the allowed scope.

    If one host serves the data of many resources, the request's path contains the resource. A query then reads only
    this resource, unless the query text names other data sources. Another function checks the query text.
    """
    if not bounds.admits(owner):
        raise out_of_reach(bounds)
    if service.place and tuple(segments_of(request)) != (*service.place, _ASKED_OF_LOGS):
        raise out_of_reach(bounds)
    refuse_reaching(request, bounds, is_of_one=bool(service.place))


def _left_of(answer: AzureAnswer, sieve: AzureSieve) -> AzureAnswer:
    """The part of a response that is in the allowed scope. Raises Refusal if no part is in this scope."""
    if answer.status >= 300 or not answer.content.strip():
        return answer
    try:
        left = sieve.answer(decoded(answer.text))
    except (ValueError, RecursionError):
        return _undecoded(answer, sieve.extent)
    except NotWithinError:
        raise Refusal(_DONE if answer.is_of_change else _ABSENT) from None
    if not sieve.has_changed:
        return answer
    return replace(answer, content=json.dumps(left).encode(), left_out=sieve.left_out)


def _undecoded(answer: AzureAnswer, extent: Extent) -> AzureAnswer:
    if extent in {Extent.ALL, Extent.NOBODYS}:
        return answer  # the target is allowed, so the response may have any format, and may be truncated
    raise Refusal(_ABSENT) from None
