"""Sends requests to Azure on behalf of a caller."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, Self, TypeVar

from clients.advice import NO_ADVICE, Advice
from clients.azure.cloud import Cloud, Service
from clients.azure.failures import AzureRefusal, refuse_failure, refuse_unreadable
from clients.azure.ids import ResourceId, is_guid
from clients.azure.long_operations import Waiting
from clients.azure.messages import FOUND, Authorize, AzureAnswer, AzureRequest, Limits, ListPage, PatientExchange
from clients.azure.paging import beginning_with, collected, is_list
from clients.azure.prices import PriceList
from clients.azure.versions import PROVIDERS_VERSION, SUBSCRIPTIONS_VERSION, Types, newest, supported_in
from clients.folding import folded
from clients.kept import SECONDS_KEPT, Kept
from refusal import Refusal

__all__ = ["Azure", "Subscription"]

V = TypeVar("V")

_MOST_SUBSCRIPTIONS: Final = 1000
_NAMED: Final = 20
_UNKNOWN_VERSION: Final = frozenset({"NoRegisteredProviderFound", "InvalidApiVersionParameter", "InvalidResourceType"})
_SECONDS_TYPES_ARE_KEPT: Final = 3600.0
_LARGE: Final = 128 * 1024
_SECONDS_FOR_AN_OPERATION: Final = 60.0


@dataclass(frozen=True, slots=True)
class Subscription:
    id: str
    name: str
    tenant: str = ""
    state: str = ""

    @property
    def called(self) -> tuple[str, str]:
        """The ID and the name of the subscription, normalized for comparison."""
        return folded(self.id), folded(self.name)


class Azure:
    """Sends requests to an Azure cloud on behalf of a caller.

    Creating a client is fast, so each tool call creates its own client.

    `subscription` is the default subscription.
    """

    def __init__(
        self,
        exchange: PatientExchange,
        cloud: Cloud,
        authorize: Authorize,
        *,
        subscription: str = "",
        advice: Advice = NO_ADVICE,
    ) -> None:
        self.cloud = cloud
        # Whether the settings allow looking up people and groups.
        self.reads_directory = False
        self.prices = PriceList()
        self._exchange = exchange
        self._authorize = authorize
        self._default = folded(subscription.strip())
        self._advice = advice
        self._kept = self._read_lately = Kept()
        self._caller: Hashable = ()
        self._limits: Limits | None = None

    def remembering(self, kept: Kept, caller: Hashable) -> Self:
        """Make this client use the given cache. Only calls with the same `caller` share cached data."""
        self._kept, self._read_lately, self._caller = kept, kept, caller
        return self

    def anew(self) -> Self:
        """Prepare this client to apply a change.

        After that, the client uses no data that other calls cached, and no data that was cached before the approval.
        API versions stay cached, because they do not affect what is shown or done.
        """
        self._read_lately = Kept()
        return self

    def within(self, limits: Limits) -> Self:
        """Limit this client to the allowed subscriptions and groups."""
        self._limits = limits
        return self

    def looking_up(self, *, people: bool) -> Self:
        """Set whether this client is allowed to look up people and groups."""
        self.reads_directory = people
        return self

    def pricing(self, prices: PriceList) -> Self:
        """Make this client look up prices in the given list."""
        self.prices = prices
        return self

    async def send(self, request: AzureRequest, largest: int | None = None) -> AzureAnswer:
        """Send a request. A response of more than `largest` bytes is truncated.

        Raises:
            Refusal: The request failed. The error message says why the request failed, and what to do.
        """
        service = request.service or self.cloud.manager
        if request.service is None and request.version == FOUND:
            return await self._send_in_newest(service, request, largest)
        return await self._send(service, request, largest)

    async def json(self, request: AzureRequest) -> dict[str, Any]:
        """Send a request whose response must be a JSON object."""
        document = (await self.send(request)).document
        if not isinstance(document, dict):
            raise Refusal("Azure's answer is not a JSON object. A proxy could be the cause.")
        return document

    async def page(self, request: AzureRequest, limit: int) -> ListPage:
        """Read a list page by page, up to a limit."""
        return await collected(self.send, request.service or self.cloud.manager, request, limit)

    async def found(self, request: AzureRequest, limit: int) -> ListPage | Any:
        """Send a request. If the response is a list, read it page by page, up to a limit."""
        answer = await self.send(request)
        if not is_list(answer.document):
            return answer.document
        service = request.service or self.cloud.manager
        return await collected(beginning_with(answer, self.send), service, request, limit)

    async def outcome(self, request: AzureRequest, within: float = _SECONDS_FOR_AN_OPERATION) -> AzureAnswer:
        """Send a request, and wait for the final result if Azure starts a long-running operation."""
        return await self.followed(request, await self.send(request), within)

    async def followed(
        self, request: AzureRequest, begun: AzureAnswer, within: float = _SECONDS_FOR_AN_OPERATION
    ) -> AzureAnswer:
        """Wait for the final result of an operation that has already been started."""
        service = request.service or self.cloud.manager
        return await Waiting(self.send, self._exchange.sleep, service, within).outcome(request, begun)

    async def sleep(self, seconds: float) -> None:
        """Wait before asking Azure again."""
        await self._exchange.sleep(seconds)

    async def token(self, service: Service) -> str:
        """A token for a separate connection to a resource's data. Rejects resources outside the allowed scope."""
        await self._exchange.admit(service)
        return (await self._authorize(service.scope)).removeprefix("Bearer ")

    async def lately(self, what: Hashable, read: Callable[[], Awaitable[V]], *, at_most: float = SECONDS_KEPT) -> V:
        """The cached value if it is at most `at_most` seconds old; otherwise, a new value."""
        return await self._read_lately.get((*self._key, what), read, at_most=at_most)

    async def reaches_all_of(self, subscription: str) -> bool:
        """Whether the allowed scope includes the whole subscription, not only some of its groups."""
        return self._limits is None or await self._limits.opens_all_of(subscription)

    @property
    def is_limited(self) -> bool:
        """Whether settings limit the server to some subscriptions or groups."""
        return self._limits is not None

    async def refuse_elsewhere(self, ids: Iterable[str], documents: Iterable[Any]) -> None:
        """Reject IDs outside the allowed scope, including IDs inside documents.

        Raises:
            Refusal: An ID is outside the allowed scope.
        """
        if self._limits:
            await self._limits.refuse_elsewhere(ids, documents)

    def expect(self, address: str) -> None:
        """Allow requests to a URL that Azure returned in an earlier call, so that the operation can be polled."""
        if self._limits:
            self._limits.expect(address)

    async def subscriptions(self) -> list[Subscription]:
        """The subscriptions that the caller can see and that the settings allow."""
        return await self.lately("subscriptions", self._read_subscriptions)

    async def subscription(self, named: str | None = None) -> Subscription:
        """The subscription whose ID or name is `named`, or whose name contains `named`. If `named` is empty, returns
        the default subscription. If there is no default, returns the only subscription that the caller can see.
        """
        found = await self.subscriptions()
        wanted = folded((named or "").strip()) or next(
            (self._default for one in found if self._default in one.called), ""
        )
        matching = _matching(found, wanted)
        if len(matching) == 1:
            return matching[0]
        raise Refusal(_which(wanted, matching, found))

    async def default_subscription(self) -> str | None:
        """The ID of the default subscription in the settings, if the caller can see this subscription."""
        return next((one.id for one in await self.subscriptions() if self._default in one.called), None)

    async def asked_subscriptions(self, named: str | Sequence[str] | None) -> list[Subscription]:
        """The subscriptions with these IDs or names; by default, all subscriptions that the caller can see.

        Raises:
            Refusal: A name matches several subscriptions or none, or there is no subscription that the caller can see.
        """
        if not named:
            return await self.subscriptions() or [await self.subscription()]
        names = [named] if isinstance(named, str) else named
        found = [await self.subscription(name) for name in names]
        return list({one.id: one for one in found}.values())

    async def types(self, namespace: str, subscription: str = "") -> Types:
        """The resource types of a provider in this subscription."""
        key = (self.cloud.management, "types", subscription.lower(), namespace.lower())
        read = self._types_reader(namespace, subscription)
        return await self._kept.get(key, read, at_most=_SECONDS_TYPES_ARE_KEPT)

    @property
    def _key(self) -> tuple[Hashable, ...]:
        return (self.cloud.management, self._caller)

    def _types_reader(self, namespace: str, subscription: str) -> Callable[[], Awaitable[Types]]:
        values = {"subscription": subscription or None, "namespace": namespace}
        place = "/subscriptions/{subscription}" if subscription else ""
        request = AzureRequest(f"GET {place}/providers/{{namespace}}", values, version=PROVIDERS_VERSION)

        async def read() -> Types:
            return Types.of([await self.json(request)])

        return read

    async def _read_subscriptions(self) -> list[Subscription]:
        request = AzureRequest("GET /subscriptions", version=SUBSCRIPTIONS_VERSION)
        page = await self.page(request, _MOST_SUBSCRIPTIONS)
        return [_subscription(entry) for entry in page.items if is_guid(str(entry.get("subscriptionId")))]

    async def _send(self, service: Service, request: AzureRequest, largest: int | None) -> AzureAnswer:
        answer = await self._exchange.send(service, request, await self._authorize(service.scope), largest)
        if not request.is_repeatable:
            # Clear the caches, because data that was read before the change is outdated.
            for kept in (self._kept, self._read_lately):
                kept.forget(*self._key)
        read = partial(self._read, service, request, answer)
        # Use a thread to search large responses for secrets, because the search takes long and would block other
        # requests.
        return await asyncio.to_thread(read) if len(answer.content) > _LARGE else read()

    def _read(self, service: Service, request: AzureRequest, answer: AzureAnswer) -> AzureAnswer:
        refuse_failure(service, request, answer, self._advice)
        given = replace(answer, gives_secrets=request.gives_secrets, only_names=request.only_names)
        refuse_unreadable(service, request, given)
        return given

    async def _send_in_newest(self, service: Service, request: AzureRequest, largest: int | None) -> AzureAnswer:
        """Send a request with the newest API version of the resource type. If Azure rejects this version, retry with a
        version that Azure's error lists.
        """
        place = ResourceId.of(request.path)
        kept = (self.cloud.management, "version", place.subscription.lower(), place.type.lower())
        version = await self._kept.get(kept, lambda: self._newest(place), at_most=_SECONDS_TYPES_ARE_KEPT)
        try:
            return await self._send(service, replace(request, version=version), largest)
        except AzureRefusal as refusal:
            better = newest(supported_in(refusal.message)) if refusal.code in _UNKNOWN_VERSION else None
            if not better or better == version:
                raise
        answer = await self._send(service, replace(request, version=better), largest)
        self._kept.put(kept, better)
        return answer

    async def _newest(self, place: ResourceId) -> str:
        namespace = place.namespace or "Microsoft.Resources"
        version = (await self.types(namespace, place.subscription)).version_of(place.type)
        if version is None:
            raise Refusal(
                f"Type {place.type!r} not found in Azure. Use find_azure_operation to find types and their paths."
            )
        return version


def _subscription(entry: Mapping[str, Any]) -> Subscription:
    words = [str(entry.get(name) or "") for name in ("subscriptionId", "displayName", "tenantId", "state")]
    return Subscription(*words)


def _matching(there: list[Subscription], wanted: str) -> list[Subscription]:
    """The subscriptions whose ID or name is `wanted`.

    If there is no such subscription, returns the subscriptions whose name contains `wanted`.
    """
    exact = [one for one in there if not wanted or wanted in one.called]
    return exact or [one for one in there if wanted in folded(one.name)]


def _which(wanted: str, matching: list[Subscription], visible: list[Subscription]) -> str:
    there = matching or visible
    if not there:
        return "You cannot see any subscription. Ask an administrator of a subscription to give you a role on it."
    names = ", ".join(f"{one.name} ({one.id})" for one in there[:_NAMED])
    more = f" and {len(there) - _NAMED} more" if len(there) > _NAMED else ""
    what = f"No single subscription matches {wanted!r}." if wanted else "No default subscription is set."
    unseen = (
        " If your subscription is not listed, it does not exist or you do not have access."
        if wanted and not matching
        else ""
    )
    return f"{what} Pass `subscription` as a name or id: {names}{more}. Not clear which? Ask the user.{unseen}"
