"""The feed of updates as its real API behaves, over records that a test changes, with the troubles that it asks for."""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from enum import Enum, auto
from typing import Any

from aiohttp import web

from tests.fakes.serving import serving_locally

Record = dict[str, Any]

PATH = "/releasecommunications/api/v2/azure"
BACKEND = "https://backend.updates.example.net/api/v2/azure"  # the host that the real one names in its links
LARGEST_PAGE = 100
ORDERS = {"id asc", "modified asc", "modified desc", "created asc", "created desc"}


class Trouble(Enum):
    UNAVAILABLE = auto()
    THROTTLED = auto()
    CUT_JSON = auto()
    CUT_BODY = auto()
    RESET = auto()
    STALLED = auto()


class UpdatesApi:
    """Serves `records`, by id. What else it does wrong is set by its attributes, at any time."""

    def __init__(self, records: Iterable[Record] = ()) -> None:
        self.records: dict[str, Record] = {record["id"]: record for record in records}
        self.troubles: dict[Trouble, int] = {}  # each befalls every k-th request
        self.retry_after = "7"
        self.repeats_rows = False
        self.miscounts_by = 0
        self.links = True  # with a link to the next page; without, one has to skip
        self.circling = False
        self.largest_page = LARGEST_PAGE
        self.before_request: Callable[[int], None] = _nothing
        self.requests: list[web.Request] = []

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[str]:
        """Serve on a free port of this machine, and answer the address of the feed."""
        application = web.Application()
        application.router.add_get(PATH, self._list)
        application.router.add_get(PATH + "/{id}", self._one)
        async with serving_locally(application) as url:
            yield url + PATH

    async def _one(self, request: web.Request) -> web.StreamResponse:
        record = self.records.get(request.match_info["id"])
        return web.json_response(record) if record else _error(404, "NotFound", "The resource was not found.")

    async def _list(self, request: web.Request) -> web.StreamResponse:
        self.requests.append(request)
        self.before_request(len(self.requests))
        for trouble, every in self.troubles.items():
            if len(self.requests) % every == 0:
                return await self._befall(trouble, request)
        try:
            return web.json_response(self._page(request.query))
        except ValueError as error:
            return _error(400, "BadRequest", str(error))

    async def _befall(self, trouble: Trouble, request: web.Request) -> web.StreamResponse:
        match trouble:
            case Trouble.UNAVAILABLE:
                return _error(503, "ServiceUnavailable", "Try again later.")
            case Trouble.THROTTLED:
                return _error(429, "TooManyRequests", "Slow down.", {"Retry-After": self.retry_after})
            case Trouble.CUT_JSON:
                text = json.dumps(self._page(request.query))
                return web.Response(text=text[: len(text) // 2], content_type="application/json")
            case Trouble.CUT_BODY:
                return await _cut_short(request, json.dumps(self._page(request.query)).encode())
            case Trouble.STALLED:
                await asyncio.Event().wait()
        return _cut_off(request)

    def _page(self, query: Mapping[str, str]) -> dict[str, Any]:
        options = {name.removeprefix("$"): value for name, value in query.items()}
        matching = self._ordered(_filtered(self.records.values(), options.get("filter")), options.get("orderby"))
        skip, top = _number(options, "skip", 0), _number(options, "top", self.largest_page)
        rows = matching[skip : skip + min(top, self.largest_page)]
        page: dict[str, Any] = {"@odata.context": f"{BACKEND}/$metadata#azure"}
        if options.get("count") == "true":
            page["@odata.count"] = len(matching) + self.miscounts_by
        if options.get("includeFacets") == "true":
            page["@facets"] = _facets(matching)
        page["value"] = [*rows, *rows[:1]] if self.repeats_rows else rows
        if self.links and skip + len(rows) < len(matching):
            following = 0 if self.circling else skip + len(rows)
            page["@odata.nextLink"] = f"{BACKEND}?$count=true&$skip={following}&$orderby=modified%20desc"
        return page

    def _ordered(self, records: Iterable[Record], order: str | None) -> list[Record]:
        if order is None:
            return list(records)
        if order not in ORDERS:
            raise ValueError(f"Could not find a property of {order!r}.")
        name, direction = order.split()
        return sorted(records, key=lambda record: str(_value(record, name)), reverse=direction == "desc")


def _nothing(_number: int) -> None:
    pass


def _value(record: Any, name: str) -> Any:
    return record.get(name) if isinstance(record, dict) else None  # tests publish all kinds of things


def _filtered(records: Iterable[Record], expression: str | None) -> Iterable[Record]:
    if expression is None:
        return records
    if found := re.fullmatch(r"modified ge (\d{4}-\d\d-\d\dT[\d:.]+Z)", expression):
        return [record for record in records if str(_value(record, "modified")) >= found[1].removesuffix("Z")]
    if found := re.fullmatch(r"id eq '((?:[^']|'')*)'", expression):
        return [record for record in records if _value(record, "id") == found[1].replace("''", "'")]
    raise ValueError(f"Syntax error in {expression!r}.")


def _number(options: Mapping[str, str], name: str, otherwise: int) -> int:
    text = options.get(name, str(otherwise))
    if not text.isdecimal():
        raise ValueError(f"Invalid value {text!r} for ${name}.")
    return int(text)


def _facets(records: Iterable[Record]) -> list[dict[str, Any]]:
    names = {"ProductCategory": "productCategories", "Tags": "tags", "Product": "products"}
    counts = {facet: Counter(value for record in records for value in record[name]) for facet, name in names.items()}
    counts["Status"] = Counter(record["status"] for record in records if record["status"])
    return [
        {"name": facet, "values": [{"value": value, "count": count} for value, count in found.most_common()]}
        for facet, found in counts.items()
    ]


def _error(status: int, code: str, message: str, headers: Mapping[str, str] | None = None) -> web.Response:
    return web.json_response({"error": {"code": code, "message": message}}, status=status, headers=headers)


async def _cut_short(request: web.Request, body: bytes) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "application/json", "Content-Length": str(len(body))})
    await response.prepare(request)
    await response.write(body[: len(body) // 2])
    _cut_off(request)
    return response


def _cut_off(request: web.Request) -> web.StreamResponse:
    if request.transport:
        request.transport.abort()
    return web.Response()
