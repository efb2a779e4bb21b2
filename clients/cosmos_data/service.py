"""The one way to Cosmos DB: every request is for a container that is allowed, and goes with the tenant's key."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from clients.cosmos_data.documents import Compiled
from clients.cosmos_data.failures import MissingRecordError, UnknownOutcomeError, told
from clients.cosmos_data.outcomes import Judge, changed, found_out, gone, made, replaced
from clients.cosmos_data.partition import Partition, Scalar, key_of, refuse_long
from refusal import Refusal

if TYPE_CHECKING:
    from azure.core.credentials_async import AsyncTokenCredential
    from azure.cosmos.aio import ContainerProxy, DatabaseProxy

_CONNECT, _READ, _RETRIES = 5, 10, 1
_CHARGE: Final = "x-ms-request-charge"
_KILOBYTES_TO_GO_ON: Final = 4


@dataclass(slots=True)
class Spent:
    """Request units, which Cosmos DB tells with each of its answers."""

    units: float = 0.0
    # Whether the answer to the change was lost, and the change was found made.
    is_after_all: bool = False

    def note(self, headers: Mapping[str, Any], _result: object = None) -> None:
        self.units += float(headers.get(_CHARGE) or 0)


@dataclass(frozen=True, slots=True)
class RecordPage:
    rows: list[Any]
    # With which the next one is asked for; nothing at the end.
    then: str


@dataclass(frozen=True, slots=True)
class _Change:
    """A change, how it is seen whether it was made, and what sees to it that it is made once if it is sent again."""

    send: Callable[[], Awaitable[Any]]
    judge: Judge
    again: str = "its etag sees to that."


@dataclass(frozen=True, slots=True)
class Container:
    """A container that is allowed, whose records belong to the tenants that its partition key begins with."""

    name: str
    paths: tuple[str, ...]
    _proxy: ContainerProxy = field(repr=False)
    # How a record is read, as the caller knows it.
    _hint: str = ""

    @property
    def tenant_path(self) -> str:
        return self.paths[0]

    def partition(self, tenant: str, key: Sequence[Scalar] = ()) -> Partition:
        """Where this tenant's records are; `key` are the values of further levels.

        Raises:
            Refusal: There are more values than levels, or they are too long.
        """
        if len(key) >= len(self.paths):
            further = ", ".join(self.paths[1:]) or "none"
            raise Refusal(f"key must have a value for each further level of the partition key: {further}.")
        refuse_long(key)
        return Partition(self.paths, (tenant, *key))

    async def read(self, partition: Partition, record: str, spent: Spent) -> dict[str, Any]:
        """One record as it is.

        Raises:
            Refusal: This tenant has none of this id.
        """
        key = partition.whole
        async with told(self._hint):
            found = await self._proxy.read_item(record, partition_key=key.for_the_sdk, response_hook=spent.note)
        return self._checked(key, dict(found))

    async def create(self, document: dict[str, Any], tenant: str, spent: Spent) -> dict[str, Any]:
        key, name = self._key_in(document, tenant), str(document["id"])
        send = partial(self._proxy.create_item, dict(document), response_hook=spent.note)
        change = _Change(send, made(document), f"give it the id {name}.")
        return self._checked(key, await self._made(change, key, name, spent))

    async def replace(self, document: dict[str, Any], tenant: str, etag: str, spent: Spent) -> dict[str, Any]:
        key, name = self._key_in(document, tenant), str(document["id"])
        send = partial(self._proxy.replace_item, name, dict(document), response_hook=spent.note, **_held(etag))
        return self._checked(key, await self._made(_Change(send, replaced(etag, document)), key, name, spent))

    async def patch(
        self, partition: Partition, record: str, steps: list[dict[str, Any]], etag: str, spent: Spent
    ) -> dict[str, Any]:
        key = partition.whole
        held = {"partition_key": key.for_the_sdk, "response_hook": spent.note, **_held(etag)}
        send = partial(self._proxy.patch_item, record, patch_operations=steps, **held)
        return self._checked(key, await self._made(_Change(send, changed(etag)), key, record, spent))

    async def delete(self, partition: Partition, record: str, etag: str, spent: Spent) -> None:
        key = partition.whole
        held = {"partition_key": key.for_the_sdk, "response_hook": spent.note, **_held(etag)}
        send = partial(self._proxy.delete_item, record, **held)
        await self._made(_Change(send, gone(etag)), key, record, spent)

    async def _made(self, change: _Change, key: Partition, record: str, spent: Spent) -> dict[str, Any]:
        """Make a change, and where its answer is lost look what became of it."""
        try:
            async with told(self._hint, changes=True):
                return dict(await change.send() or {})
        except UnknownOutcomeError as lost:
            look = partial(self.read, key, record, spent)
            found = await found_out(lost, look, change.judge, change.again, self._hint)
            spent.is_after_all = True
            return found

    async def page(self, partition: Partition, query: Compiled, most: int, then: str, spent: Spent) -> RecordPage:
        """One page. Rows that are whole records are looked at: none of another tenant leaves here."""
        asked = self._proxy.query_items(
            query=query.text,
            parameters=query.parameters,
            partition_key=partition.for_the_sdk,
            max_item_count=most,
            continuation_token_limit=_KILOBYTES_TO_GO_ON,
            response_hook=spent.note,
        )
        async with told(self._hint, explains=not query.is_whole):
            pages: Any = asked.by_page(then or None)
            rows = [row async for row in await anext(pages, _nothing())]
        checked = [self._checked(partition, row) for row in rows] if query.is_whole else rows
        return RecordPage(checked, str(pages.continuation_token or ""))

    def _key_in(self, document: dict[str, Any], tenant: str) -> Partition:
        """The SDK takes the key from the document, so what stands there is the tenant, or nothing is sent."""
        key = key_of(document, self.paths)
        if key.tenant != tenant:
            raise ValueError("A document is written with the caller's tenant.")
        return key

    def _checked(self, partition: Partition, document: dict[str, Any]) -> dict[str, Any]:
        if not partition.holds(document):
            raise Refusal("Cosmos DB returned a record of another tenant, which is not shown. Tell an operator.")
        return document


class UnpartedError(Refusal):
    """The records of a container are not parted by tenant."""


@dataclass(frozen=True)
class CosmosData:
    """The database, and what of it may be used."""

    database: DatabaseProxy = field(repr=False)
    allowed: Mapping[str, str]
    most_request_units: int
    # What to do next about a container or a record that is not there: `containers`, `read`.
    hints: Mapping[str, str] = field(default_factory=dict)
    _known: dict[str, Container] = field(default_factory=dict)

    async def container(self, name: str) -> Container:
        """A container, as its own definition lays it out.

        Raises:
            Refusal: It is not allowed, or its records are not parted by tenant.
        """
        if name not in self.allowed:
            raise Refusal(f"There is no container {name!r}. {self.hints.get('containers', '')}")
        if name not in self._known:
            self._known[name] = await self._defined(name)
        return self._known[name]

    async def _defined(self, name: str) -> Container:
        proxy = self.database.get_container_client(name)
        try:
            async with told():
                defined = (await proxy.read()).get("partitionKey") or {}
        except MissingRecordError:
            raise Refusal(
                f"COSMOS_CONTAINERS lists {name}, which does not exist in the database. Tell an operator."
            ) from None
        paths = tuple(str(path) for path in defined.get("paths") or ())
        if not paths or paths[0] != self.allowed[name] or any('"' in path for path in paths):
            raise UnpartedError(
                f"The container {name} is not partitioned by tenant: its partition key starts with"
                f" {paths[0] if paths else 'nothing'}, but COSMOS_CONTAINERS says {self.allowed[name]}."
            )
        return Container(name, paths, proxy, self.hints.get("read", ""))


@asynccontextmanager
async def database_at(
    endpoint: str, name: str, credential: str | AsyncTokenCredential, *, is_emulator: bool
) -> AsyncIterator[DatabaseProxy]:
    """Reach a database. The SDK is imported here."""
    from azure.cosmos.aio import CosmosClient  # noqa: PLC0415 - heavy, and not everybody has records

    from clients.cosmos_data.transport import LONGEST_WAIT, SendingOnce  # noqa: PLC0415 - likewise

    # Regions are found by the account's own word; an emulator names itself by addresses that lead elsewhere.
    transport = SendingOnce()
    client = CosmosClient(
        endpoint,
        credential,
        enable_endpoint_discovery=not is_emulator,
        retry_total=_RETRIES,
        retry_backoff_max=LONGEST_WAIT,
        connection_timeout=_CONNECT,
        read_timeout=_READ,
        transport=transport,
    )
    async with AsyncExitStack() as stack:
        # Also where the account does not answer, and the client was never entered.
        stack.push_async_callback(transport.close)
        async with told():
            await stack.enter_async_context(client)
        yield client.get_database_client(name)


async def _nothing() -> AsyncIterator[Any]:
    """A page that there is not."""
    rows: list[Any] = []
    for row in rows:
        yield row


def _held(etag: str) -> dict[str, Any]:
    """What holds a request to the record as it was seen."""
    from azure.core import MatchConditions  # noqa: PLC0415 - likewise

    return {"etag": etag, "match_condition": MatchConditions.IfNotModified}
