"""Offers the Cosmos DB records of the caller's tenant as JSON resources.

Access requires permission for the equivalent `cosmos-data` tool. Conditions for that tool in the roles file also apply
here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from pydantic_core import from_json, to_json

from clients.cosmos_data.documents import Compiled, own
from clients.cosmos_data.failures import ChangedError, MissingRecordError, PresentError
from clients.cosmos_data.partition import found, placed, with_tenant
from clients.cosmos_data.service import Container, Spent, UnpartedError
from identity.access import Access
from mcp_server.bounds import excess, excess_of_text
from mcp_server.declarations.shelf import DELETE, WRITE, AddressError, MissingError, OutdatedError
from mcp_server.visit import Visit
from refusal import Refusal
from tools.cosmos_data import TOOLSET
from tools.cosmos_data.access import TenantRecords
from tools.cosmos_data.documents import checked
from tools.cosmos_data.pages import RecordQuery, then_of, token_of
from tools.cosmos_data.tenancy import Belonging
from tools.shelves.keeper import Entries, ShelfEntry
from tools.shelves.record_addresses import Address, AddressPrefix, address_of, beginning_of, is_fit

MEDIA_TYPE: Final = "application/json"
_LIST, _READ, _NEW, _OVER, _AWAY = (
    "cosmos_db_query",
    "cosmos_db_read",
    "cosmos_db_insert",
    "cosmos_db_update",
    "cosmos_db_delete",
)
# The toolset whose tools write and delete resources of all kinds.
_SHELVES: Final = "shelves"
_BY: Final = {_NEW: (WRITE, Access.WRITE), _OVER: (WRITE, Access.WRITE), _AWAY: (DELETE, Access.DESTROY)}


@dataclass(frozen=True, slots=True)
class RecordShelf:
    visit: Visit
    data: TenantRecords

    async def entries(self, prefix: str, after: str, most: int) -> Entries:
        if not prefix and not self._has_a_list:
            return Entries([])
        self._admit(_LIST)
        beginning = beginning_of(prefix)
        there = [name for name in self.data.allowed if beginning.admits(name)]
        name, _, token = after.partition(":") if after else (there[0] if there else beginning.container, "", "")
        if after and name not in there:
            raise AddressError("`cursor` does not belong to this list. Call again without it.")
        page = await self._page(name, beginning, token, most)
        if page.after or name not in there[:-1]:
            return page
        return Entries(page.entries, f"{there[there.index(name) + 1]}:")

    async def look(self, uri: str) -> ShelfEntry | None:
        looked = await self.read(uri, 0, 0)
        return looked[0] if looked else None

    async def read(self, uri: str, start: int, most: int) -> tuple[ShelfEntry, bytes] | None:
        self._admit(_READ)
        address = address_of(uri)
        container = await self._container(address)
        try:
            partition = container.partition(self._tenant, address.key)
            record = await container.read(partition, address.record, Spent())
        except MissingRecordError:
            return None
        return _entry(address, record), _content(record)[start : start + most]

    async def refuse_unfit(self, uri: str, content: bytes | None, media_type: str, etag: str) -> None:
        address = address_of(uri)
        container = await self._container(address)
        if content is None:
            self._admit_change(_AWAY)
            return
        self._admit_change(_OVER if etag else _NEW)
        self._document(container, address, content, media_type)

    async def write(self, uri: str, content: bytes, media_type: str, etag: str) -> ShelfEntry:
        await self.refuse_unfit(uri, content, media_type, etag)
        address = address_of(uri)
        container = await self._container(address)
        document = self._document(container, address, content, media_type)
        with _outdated():
            if etag:
                made = await container.replace(document, self._tenant, _quoted(etag), Spent())
            else:
                made = await container.create(document, self._tenant, Spent())
        return _entry(address, made)

    async def delete(self, uri: str, etag: str) -> None:
        await self.refuse_unfit(uri, None, "", etag)
        address = address_of(uri)
        container = await self._container(address)
        partition = container.partition(self._tenant, address.key)
        try:
            with _outdated():
                await container.delete(partition, address.record, _quoted(etag), Spent())
        except MissingRecordError:
            raise MissingError(f"{uri} no longer exists.") from None

    @property
    def _has_a_list(self) -> bool:
        return self._belonging.is_of_one and self.visit.view.opens(TOOLSET, _LIST)

    @property
    def _belonging(self) -> Belonging:
        return Belonging(self.visit, self.data.emulator_tenant)

    @property
    def _tenant(self) -> str:
        return self._belonging.tenant(None)

    async def _container(self, address: Address) -> Container:
        container = await self.data.container(address.container)
        if len(address.names) != len(container.paths):
            levels = "".join(f"<{path[1:]}>/" for path in container.paths[1:])
            raise AddressError(f"Records of {container.name} have URIs like cosmos://{container.name}/{levels}<id>.")
        return container

    async def _page(self, name: str, beginning: AddressPrefix, token: str, most: int) -> Entries:
        container = await self._listed_container(name, beginning)
        asked = _query(container, beginning) if container else None
        if container is None or asked is None:
            return Entries([])
        partition = container.partition(self._tenant, beginning.names[: len(container.paths) - 1])
        query = RecordQuery(container, partition, asked, self._belonging.mark)
        then = then_of(self.data, query, token)
        page = await container.page(partition, asked, most, then, Spent())
        after = token_of(self.data, query, page.then)
        return Entries(list(_entries(container, page.rows)), f"{name}:{after}" if after else "")

    async def _listed_container(self, name: str, beginning: AddressPrefix) -> Container | None:
        """Return a container. When all containers are listed, return None for a container whose partition key does not
        start with the tenant.
        """
        try:
            return await self.data.container(name)
        except UnpartedError:
            if beginning.begun is not None:
                raise
            return None

    def _document(self, container: Container, address: Address, content: bytes, media_type: str) -> dict[str, Any]:
        """Return the record to write, with the id from this URI and the tenant of the caller."""
        document = checked(_read_json(content, media_type))
        if document.get("id", address.record) != address.record:
            raise AddressError("The id in the record does not match its URI. Leave the id out.")
        for path, value in zip(container.paths[1:], address.key, strict=True):
            document = placed(document, path, value, "value than its URI")
        return {**with_tenant(document, container.tenant_path, self._tenant), "id": address.record}

    def _admit(self, tool: str) -> None:
        if not self.visit.view.opens(TOOLSET, tool):
            raise Refusal(f"To access records here, you must also have access to {tool} in the toolset {TOOLSET}.")

    def _admit_change(self, tool: str) -> None:
        """Reject a change if the equivalent `cosmos-data` tool has different approval rules."""
        self._admit(_READ)
        self._admit(tool)
        by, access = _BY[tool]
        if not self.visit.approvals.rules.ask_alike((_SHELVES, by), (TOOLSET, tool), access):
            raise Refusal(f"{tool} and {by} have different approval rules here. Use {tool}.")


def _query(container: Container, beginning: AddressPrefix) -> Compiled | None:
    """Query the records whose URIs start with the prefix. Return None if the prefix has too many segments."""
    if not beginning.begun:
        is_too_deep = len(beginning.names) >= len(container.paths)
        return None if is_too_deep else Compiled(text="SELECT * FROM c")
    fields = [*container.paths[1:], "/id"]
    if len(beginning.names) >= len(fields):
        return None
    names = fields[len(beginning.names)][1:].split("/")
    field = "".join(f"[{json.dumps(name)}]" for name in names)
    # SQL injection is impossible: the field comes from the container's definition, and the prefix is a query parameter.
    text = f"SELECT * FROM c WHERE STARTSWITH(c{field}, @begun)"  # noqa: S608 - said above
    return Compiled(text=text, parameters=[{"name": "@begun", "value": beginning.begun}])


def _entries(container: Container, rows: list[dict[str, Any]]) -> Iterator[ShelfEntry]:
    """Yield the records that have a URI. Records without a URI can be read only with the `cosmos-data` tools."""
    for row in rows:
        names = [*(found(row, path) for path in container.paths[1:]), row.get("id")]
        if all(map(is_fit, names)):
            yield _entry(Address(container.name, tuple(names)), row)


def _entry(address: Address, record: Mapping[str, Any]) -> ShelfEntry:
    modified = datetime.fromtimestamp(record.get("_ts") or 0, UTC)
    etag = str(record.get("_etag") or "").strip('"')
    return ShelfEntry(address.uri, address.record, MEDIA_TYPE, len(_content(record)), etag, modified)


def _content(record: Mapping[str, Any]) -> bytes:
    return to_json(own(record))


def _quoted(etag: str) -> str:
    """Return an etag in the format of Cosmos DB, with the quotation marks that HTTP requires."""
    return f'"{etag}"'


def _check_media_type(media_type: str) -> None:
    if media_type and media_type.lower().replace(" ", "") not in {MEDIA_TYPE, f"{MEDIA_TYPE};charset=utf-8"}:
        raise AddressError(f"The media type of a record must be {MEDIA_TYPE}.")


def _read_json(content: bytes, media_type: str) -> dict[str, Any]:
    _check_media_type(media_type)
    if too_much := excess_of_text(content):
        raise AddressError(too_much)
    try:
        document = from_json(content, allow_inf_nan=False)
    except ValueError:
        raise AddressError("A record must be a JSON object; the content is not JSON.") from None
    if not isinstance(document, dict):
        raise AddressError("A record must be a JSON object.")
    if too_much := excess(document):
        raise AddressError(too_much)
    return document


@contextmanager
def _outdated() -> Iterator[None]:
    try:
        yield
    except (ChangedError, PresentError):
        raise OutdatedError(
            "The record changed in the meantime, so nothing was written. Read the record again and repeat the change."
        ) from None
