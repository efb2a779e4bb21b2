"""Sends all requests to Cosmos DB.

All requests use only allowed containers, and contain the tenant's partition key.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from clients.cosmos_data.documents import Compiled
from clients.cosmos_data.failures import MissingRecordError, UnknownOutcomeError, translated_errors
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
    """The request units that a call used. Cosmos DB reports the request units in each response."""

    units: float = 0.0
    # Whether the response to the change was lost, and a check showed that the change was made.
    is_after_all: bool = False

    def note(self, headers: Mapping[str, Any], _result: object = None) -> None:
        self.units += float(headers.get(_CHARGE) or 0)


@dataclass(frozen=True, slots=True)
class RecordPage:
    rows: list[Any]
    # The continuation token of the next page. Empty after the last page.
    then: str


@dataclass(frozen=True, slots=True)
class _Change:
    """A change, a check that shows whether the change was made, and the reason why repeating the call is safe."""

    send: Callable[[], Awaitable[Any]]
    judge: Judge
    again: str = "the etag prevents a second change."


@dataclass(frozen=True, slots=True)
class Container:
    """An allowed container, whose partition key starts with the tenant."""

    name: str
    paths: tuple[str, ...]
    _proxy: ContainerProxy = field(repr=False)
    # A sentence that says how to read a record.
    _hint: str = ""

    @property
    def tenant_path(self) -> str:
        return self.paths[0]

    def partition(self, tenant: str, key: Sequence[Scalar] = ()) -> Partition:
        """The partition of this tenant. `key` contains the values for the levels of the partition key below the tenant.

        Raises:
            Refusal: There are more values than levels, or the values are too long.
        """
        if len(key) >= len(self.paths):
            further = ", ".join(self.paths[1:]) or "none"
            raise Refusal(f"`key` has too many values. Levels of the partition key after the tenant: {further}.")
        refuse_long(key)
        return Partition(self.paths, (tenant, *key))

    async def read(self, partition: Partition, record: str, spent: Spent) -> dict[str, Any]:
        """Read a record.

        Raises:
            Refusal: This tenant has no record with this ID.
        """
        key = partition.whole
        async with translated_errors(self._hint):
            found = await self._proxy.read_item(record, partition_key=key.for_the_sdk, response_hook=spent.note)
        return self._checked(key, dict(found))

    async def create(self, document: dict[str, Any], tenant: str, spent: Spent) -> dict[str, Any]:
        key, name = self._key_in(document, tenant), str(document["id"])
        send = partial(self._proxy.create_item, dict(document), response_hook=spent.note)
        change = _Change(send, made(document), f"use the id {name}.")
        return self._checked(key, await self._apply(change, key, name, spent))

    async def replace(self, document: dict[str, Any], tenant: str, etag: str, spent: Spent) -> dict[str, Any]:
        key, name = self._key_in(document, tenant), str(document["id"])
        send = partial(self._proxy.replace_item, name, dict(document), response_hook=spent.note, **_if_unchanged(etag))
        return self._checked(key, await self._apply(_Change(send, replaced(etag, document)), key, name, spent))

    async def patch(
        self, partition: Partition, record: str, steps: list[dict[str, Any]], etag: str, spent: Spent
    ) -> dict[str, Any]:
        key = partition.whole
        held = {"partition_key": key.for_the_sdk, "response_hook": spent.note, **_if_unchanged(etag)}
        send = partial(self._proxy.patch_item, record, patch_operations=steps, **held)
        return self._checked(key, await self._apply(_Change(send, changed(etag)), key, record, spent))

    async def delete(self, partition: Partition, record: str, etag: str, spent: Spent) -> None:
        key = partition.whole
        held = {"partition_key": key.for_the_sdk, "response_hook": spent.note, **_if_unchanged(etag)}
        send = partial(self._proxy.delete_item, record, **held)
        await self._apply(_Change(send, gone(etag)), key, record, spent)

    async def _apply(self, change: _Change, key: Partition, record: str, spent: Spent) -> dict[str, Any]:
        """Make a change. If the response is lost, find out whether the change was made."""
        try:
            async with translated_errors(self._hint, changes=True):
                return dict(await change.send() or {})
        except UnknownOutcomeError as lost:
            look = partial(self.read, key, record, spent)
            found = await found_out(lost, look, change.judge, change.again, self._hint)
            spent.is_after_all = True
            return found

    async def page(self, partition: Partition, query: Compiled, most: int, then: str, spent: Spent) -> RecordPage:
        """Read a page of a query.

        If the query returns whole records, this method checks that each record belongs to the tenant.
        """
        asked = self._proxy.query_items(
            query=query.text,
            parameters=query.parameters,
            partition_key=partition.for_the_sdk,
            max_item_count=most,
            continuation_token_limit=_KILOBYTES_TO_GO_ON,
            response_hook=spent.note,
        )
        async with translated_errors(self._hint, explains=not query.is_whole):
            pages: Any = asked.by_page(then or None)
            rows = [row async for row in await anext(pages, _no_page())]
        checked = [self._checked(partition, row) for row in rows] if query.is_whole else rows
        return RecordPage(checked, str(pages.continuation_token or ""))

    def _key_in(self, document: dict[str, Any], tenant: str) -> Partition:
        """The partition key in a document.

        The key is checked here, because the SDK reads it from the document.
        """
        key = key_of(document, self.paths)
        if key.tenant != tenant:
            raise ValueError("A document must be written with the caller's tenant.")
        return key

    def _checked(self, partition: Partition, document: dict[str, Any]) -> dict[str, Any]:
        if not partition.holds(document):
            raise Refusal("Cosmos DB returned a record of another tenant, which is not shown. Tell an operator.")
        return document


class UnpartedError(Refusal):
    """The partition key of the container does not start with the tenant."""


@dataclass(frozen=True)
class CosmosData:
    """A database and its allowed containers."""

    database: DatabaseProxy = field(repr=False)
    allowed: Mapping[str, str]
    most_request_units: int
    # What to do if something is not found: a sentence for a container (`containers`), and one for a record (`read`).
    hints: Mapping[str, str] = field(default_factory=dict)
    _known: dict[str, Container] = field(default_factory=dict)

    async def container(self, name: str) -> Container:
        """Open a container, and read its partition key.

        Raises:
            Refusal: The container is not allowed, or its partition key does not start with the tenant.
        """
        if name not in self.allowed:
            raise Refusal(f"Container {name!r} not found. {self.hints.get('containers', '')}")
        if name not in self._known:
            self._known[name] = await self._defined(name)
        return self._known[name]

    async def _defined(self, name: str) -> Container:
        proxy = self.database.get_container_client(name)
        paths = await _partition_paths(name, proxy)
        if any('"' in path for path in paths):
            raise UnpartedError(
                f"The container {name} has a quotation mark in its partition key, which is not supported."
            )
        if not paths or paths[0] != self.allowed[name]:
            raise UnpartedError(
                f"The container {name} is not partitioned by tenant: its partition key starts with"
                f" {paths[0] if paths else 'nothing'}, but COSMOS_CONTAINERS says {self.allowed[name]}."
            )
        return Container(name, paths, proxy, self.hints.get("read", ""))


@asynccontextmanager
async def database_at(
    endpoint: str, name: str, credential: str | AsyncTokenCredential, *, is_emulator: bool
) -> AsyncIterator[DatabaseProxy]:
    """Connect to a database. The SDK is imported here, because importing it is slow."""
    from azure.cosmos.aio import CosmosClient  # noqa: PLC0415 - slow, and not always needed

    from clients.cosmos_data.transport import LONGEST_WAIT, SendingOnce  # noqa: PLC0415 - slow

    # The SDK reads the regional endpoints from the account. The regional endpoints of an emulator cannot be reached
    # from this server.
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
        # If the account does not respond, the client is never opened and does not close the transport.
        stack.push_async_callback(transport.close)
        async with translated_errors():
            await stack.enter_async_context(client)
        yield client.get_database_client(name)


async def _no_page() -> AsyncIterator[Any]:
    """Yield nothing, because there is no page after the last page."""
    rows: list[Any] = []
    for row in rows:
        yield row


def _if_unchanged(etag: str) -> dict[str, Any]:
    """The options that make a request fail if the record no longer has this ETag."""
    from azure.core import MatchConditions  # noqa: PLC0415 - slow

    return {"etag": etag, "match_condition": MatchConditions.IfNotModified}


async def _partition_paths(name: str, proxy: ContainerProxy) -> tuple[str, ...]:
    try:
        async with translated_errors():
            defined = (await proxy.read()).get("partitionKey") or {}
    except MissingRecordError:
        raise Refusal(
            f"COSMOS_CONTAINERS lists {name}, which does not exist in the database. Tell an operator."
        ) from None
    return tuple(str(path) for path in defined.get("paths") or ())
