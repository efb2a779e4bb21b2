"""Azure as one caller reaches it."""

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
        """Its id and its name, as they compare."""
        return folded(self.id), folded(self.name)


class Azure:
    """One caller's access to one cloud: cheap to make, for each call anew.

    `subscription` is meant where a caller names none.
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
        # Whether the settings let people and groups be looked up.
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
        """The same access, which finds what was read lately by whoever sees the same as this caller."""
        self._kept, self._read_lately, self._caller = kept, kept, caller
        return self

    def anew(self) -> Self:
        """The same access for one change, which finds nothing that was read for another call or before an approval.

        Versions of Azure's interfaces are the exception: they decide nothing of what is shown or done.
        """
        self._read_lately = Kept()
        return self

    def within(self, limits: Limits) -> Self:
        """The same access, where only some of this may be reached, and who says what."""
        self._limits = limits
        return self

    def looking_up(self, *, people: bool) -> Self:
        """The same access, which may look up who people and groups are."""
        self.reads_directory = people
        return self

    def pricing(self, prices: PriceList) -> Self:
        """The same access, which can tell what resources cost."""
        self.prices = prices
        return self

    async def send(self, request: AzureRequest, largest: int | None = None) -> AzureAnswer:
        """Send a request; an answer of more than `largest` bytes is cut there.

        Raises:
            Refusal: It failed; the text says how, and what to do.
        """
        service = request.service or self.cloud.manager
        if request.service is None and request.version == FOUND:
            return await self._send_in_newest(service, request, largest)
        return await self._send(service, request, largest)

    async def json(self, request: AzureRequest) -> dict[str, Any]:
        """The JSON that answers a request, which is an object."""
        document = (await self.send(request)).document
        if not isinstance(document, dict):
            raise Refusal("Azure's answer is not a JSON object. A proxy could be the cause.")
        return document

    async def page(self, request: AzureRequest, limit: int) -> ListPage:
        """A list, followed through its pieces up to a limit."""
        return await collected(self.send, request.service or self.cloud.manager, request, limit)

    async def found(self, request: AzureRequest, limit: int) -> ListPage | Any:
        """What a request gives: of a list, which is followed through its pieces, up to a limit."""
        answer = await self.send(request)
        if not is_list(answer.document):
            return answer.document
        service = request.service or self.cloud.manager
        return await collected(beginning_with(answer, self.send), service, request, limit)

    async def outcome(self, request: AzureRequest, within: float = _SECONDS_FOR_AN_OPERATION) -> AzureAnswer:
        """What a request that Azure may take a while for gives in the end."""
        return await self.followed(request, await self.send(request), within)

    async def followed(
        self, request: AzureRequest, begun: AzureAnswer, within: float = _SECONDS_FOR_AN_OPERATION
    ) -> AzureAnswer:
        """What became of a request in the end, of which this is the first answer."""
        service = request.service or self.cloud.manager
        return await Waiting(self.send, self._exchange.sleep, service, within).outcome(request, begun)

    async def sleep(self, seconds: float) -> None:
        """Let time pass before Azure is asked again."""
        await self._exchange.sleep(seconds)

    async def token(self, service: Service) -> str:
        """What the data of a resource are asked with over a connection of its own, where they are within reach."""
        await self._exchange.admit(service)
        return (await self._authorize(service.scope)).removeprefix("Bearer ")

    async def lately(self, what: Hashable, read: Callable[[], Awaitable[V]], *, at_most: float = SECONDS_KEPT) -> V:
        """What was read a short while ago for whoever sees the same as this caller, else what is read now."""
        return await self._read_lately.get((*self._key, what), read, at_most=at_most)

    async def reaches_all_of(self, subscription: str) -> bool:
        """Whether settings let all of a subscription be reached, and not only some of its groups."""
        return self._limits is None or await self._limits.opens_all_of(subscription)

    @property
    def is_limited(self) -> bool:
        """Whether settings let only some of Azure be reached."""
        return self._limits is not None

    async def refuse_elsewhere(self, ids: Iterable[str], documents: Iterable[Any]) -> None:
        """Refuse what would reach further than settings let it: by an id, or by what documents name.

        Raises:
            Refusal: It would.
        """
        if self._limits:
            await self._limits.refuse_elsewhere(ids, documents)

    def expect(self, address: str) -> None:
        """Let the outcome of what was begun in an earlier call be looked for where Azure said then."""
        if self._limits:
            self._limits.expect(address)

    async def subscriptions(self) -> list[Subscription]:
        """All that the caller may see and reach."""
        return await self.lately("subscriptions", self._read_subscriptions)

    async def subscription(self, named: str | None = None) -> Subscription:
        """The subscription with this id or name, or whose name contains it; by default the default or only one.

        Raises:
            Refusal: None or several match; the text lists the choices.
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
        """The id of the subscription that an operator has set as the default, if the caller can see it."""
        return next((one.id for one in await self.subscriptions() if self._default in one.called), None)

    async def asked_subscriptions(self, named: str | Sequence[str] | None) -> list[Subscription]:
        """The named subscriptions, or all that the caller can see.

        Raises:
            Refusal: A name matches none or several, or the caller can see no subscription.
        """
        if not named:
            return await self.subscriptions() or [await self.subscription()]
        names = [named] if isinstance(named, str) else named
        found = [await self.subscription(name) for name in names]
        return list({one.id: one for one in found}.values())

    async def types(self, namespace: str, subscription: str = "") -> Types:
        """The types of one provider that this subscription has."""
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
            # Whatever was read before the change is of before it.
            for kept in (self._kept, self._read_lately):
                kept.forget(*self._key)
        read = partial(self._read, service, request, answer)
        # To look through a large answer for secrets takes long, and must not hold up everybody else.
        return await asyncio.to_thread(read) if len(answer.content) > _LARGE else read()

    def _read(self, service: Service, request: AzureRequest, answer: AzureAnswer) -> AzureAnswer:
        refuse_failure(service, request, answer, self._advice)
        given = replace(answer, gives_secrets=request.gives_secrets, only_names=request.only_names)
        refuse_unreadable(service, request, given)
        return given

    async def _send_in_newest(self, service: Service, request: AzureRequest, largest: int | None) -> AzureAnswer:
        """Send it in the newest version that the type has; where Azure knows better which there are, in that."""
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
                f"Azure has no type {place.type!r}. find_azure_operation finds types and their paths by words."
            )
        return version


def _subscription(entry: Mapping[str, Any]) -> Subscription:
    words = [str(entry.get(name) or "") for name in ("subscriptionId", "displayName", "tenantId", "state")]
    return Subscription(*words)


def _matching(there: list[Subscription], wanted: str) -> list[Subscription]:
    """Those with this id or name; if none has it, those whose name contains it."""
    exact = [one for one in there if not wanted or wanted in one.called]
    return exact or [one for one in there if wanted in folded(one.name)]


def _which(wanted: str, matching: list[Subscription], visible: list[Subscription]) -> str:
    there = matching or visible
    if not there:
        return "You cannot see any subscription. Ask an administrator of a subscription to give you a role on it."
    names = ", ".join(f"{one.name} ({one.id})" for one in there[:_NAMED])
    more = f" and {len(there) - _NAMED} more" if len(there) > _NAMED else ""
    what = f"No single subscription is called {wanted!r}." if wanted else "Pass `subscription`: there is no default."
    unseen = " If it is not listed, you cannot see it, or it does not exist." if wanted and not matching else ""
    return f"{what} Pass `subscription` as a name or id: {names}{more}. Ask the user where it is not clear.{unseen}"
