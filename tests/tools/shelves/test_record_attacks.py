"""Whatever address somebody thinks up, no record of another tenant is read, told or changed by it."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, unquote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from changes.rules import Rules
from mcp_server.declarations.shelf import AddressError
from tests.mcp_server.caller import Json
from tests.mcp_server.endpoints import approving
from tests.tools.cosmos_data.calling import MINE, THEIRS
from tests.tools.shelves.of_records import Archive, Person, archive
from tools.shelves.record_addresses import address_of, beginning_of, is_fit

pytestmark = pytest.mark.anyio

_TRIES = int(os.environ.get("FUZZ_RECORD_ADDRESSES", "30"))
HIDDEN = "nobody else's"
BAIT = {"id": "bait", "tenantId": THEIRS, "name": HIDDEN, "n": 1, "tags": ["a"]}

TENANTS = [
    "cosmos://prod-data/bait",
    "cosmos://tenants/fabrikam",
    "cosmos://fabrikam/bait",
    "cosmos://prod-data/fabrikam/bait",
    "cosmos://fabrikam@prod-data/bait",
    "cosmos://fabrikam:x@prod-data/bait",
    "cosmos://prod-data:fabrikam/bait",
    "cosmos://prod-data/bait?tenant_id=fabrikam",
    "cosmos://prod-data/bait?tenantId=fabrikam",
    "cosmos://prod-data/bait#fabrikam",
    "cosmos://prod-data/bait;tenantId=fabrikam",
    "cosmos://prod-data/bait%3FtenantId=fabrikam",
    "cosmos://prod-data/%5B%22fabrikam%22%5D/bait",
    'cosmos://prod-data/["fabrikam"]/bait',
    "cosmos://prod-data/fabrikam%2Fbait",
    "cosmos://prod-data/fabrikam|bait",
    "cosmos://tenants/fabrikam/prod-data/bait",
    "cosmos://orders/fabrikam/bait",
    "cosmos://orders/eu/bait",
]
ENCODINGS = [
    "cosmos://prod-data/%62ait",
    "cosmos://prod-data/b%61i%74",
    "cosmos://prod-data/%2562ait",
    "cosmos://prod-data/%252e%252e/bait",
    "cosmos://prod-data/..%2fprod-data%2fdocs%2fbait",
    "cosmos://prod-data/..%5cbait",
    "cosmos://prod-data/%2e%2e/bait",
    "cosmos://prod-data/%2e/bait",
    "cosmos://prod-data/../stray/bait",
    "cosmos://prod-data/..;/bait",
    "cosmos://prod-data/bait%00",
    "cosmos://prod-data/bait%0d%0ax-ms-documentdb-partitionkey:%20[%22fabrikam%22]",
    "cosmos://prod-data/bait%0ax",
    "cosmos://prod-data/%ff",
    "cosmos://prod-data/%c0%af",
    "cosmos://prod-data/%zz",
    "cosmos://prod-data/%",
    "cosmos://prod-data/bait%20",
    "cosmos://prod-data/%20bait",
    "cosmos://prod-data/bait%e2%80%ae",
    "cosmos://prod-data/b%C2%ADait",
    "cosmos://prod-data/%EF%BD%82ait",
    "cosmos://prod-data/BAIT",
    "cosmos://prod-data/bait/",
    "cosmos://prod-data//bait",
    "cosmos://prod-data/bait//",
    "cosmos://prod-data/",
    "cosmos://prod-data",
    "cosmos:///bait",
    "cosmos://",
    "cosmos:prod-data/bait",
    "cosmos:/prod-data/bait",
    "COSMOS://prod-data/bait",
    "Cosmos://prod-data/bait",
    "cosmos://prod-data/" + "a" * 256,
    "cosmos://prod-data/" + "%61" * 600,
]
CONTAINERS = [
    "cosmos://PROD-DATA/bait",
    "cosmos://prod%2Ddata/bait",
    "cosmos://prod-data%2Fdocs/bait",
    "cosmos://prod-data%2F..%2Fprod-data/bait",
    "cosmos://../prod-data/bait",
    "cosmos://./bait",
    "cosmos://../bait",
    "cosmos://*/bait",
    "cosmos://private/bait",
    "cosmos://private%00/bait",
    "cosmos://stray/bait",
    "cosmos://stray/fabrikam/bait",
    "cosmos://[prod-data]/bait",
    "cosmos://prod-data./bait",
    "cosmos://.prod-data/bait",
    "cosmos:// prod-data/bait",
    "cosmos://prod-data /bait",
    "cosmos://localhost:8081/bait",
    "cosmos://_self/bait",
]
PREDICATES = [
    "cosmos://prod-data/' OR true OR '",
    "cosmos://prod-data/%27%20OR%20true%20OR%20%27",
    'cosmos://prod-data/") OR IS_DEFINED(c.id) OR ("',
    "cosmos://prod-data/%22)%20OR%20true%20OR%20STARTSWITH(c.id,%22",
    "cosmos://prod-data/@begun",
    "cosmos://prod-data/b') OR c.tenantId = 'fabrikam' OR ('",
    "cosmos://prod-data/ba%25",
    "cosmos://prod-data/b*",
    "cosmos://prod-data/b_it",
    "cosmos://orders/' OR true OR '/bait",
    "cosmos://orders/%5B%5D/bait",
    "cosmos://orders/{}/bait",
    "cosmos://orders/null/bait",
]
ADDRESSES = [*TENANTS, *ENCODINGS, *CONTAINERS, *PREDICATES]
CONTENTS: list[Json] = [
    {"name": "spoilt"},
    {"name": "spoilt", "tenantId": THEIRS},
    {"name": "spoilt", "tenantId": [THEIRS]},
    {"name": "spoilt", "tenantId": None},
    {"name": "spoilt", "id": "bait", "tenantId": THEIRS, "_etag": "x", "_self": "dbs/x"},
]


@pytest.fixture
async def shelf(tmp_path: Path) -> AsyncIterator[Archive]:
    async with archive(tmp_path, approving(rules=Rules(waived=["shelves", "cosmos-data"]))) as opened:
        await opened.put(BAIT, {"id": "own", "tenantId": MINE, "name": "mine"})
        yield opened


def test_there_are_enough_attacks() -> None:
    assert len(set(ADDRESSES)) == len(ADDRESSES) >= 70


async def _tried(shelf: Archive, uri: str, etag: str) -> str:
    """All that is told of an address, by all ways there are."""
    ada, told = shelf.person(), []
    calls: list[tuple[str, Json]] = [
        ("list_shelf", {"prefix": uri}),
        ("read_resource", {"uri": uri}),
        ("write_resource", {"uri": uri, "text": '{"name": "spoilt"}', "etag": etag}),
        ("delete_resource", {"uri": uri, "etag": etag}),
    ]
    for tool, arguments in calls:
        told.append(json.dumps(await ada.mcp.call(tool, **arguments)))
    told.append((await ada.mcp.send("resources/read", {"uri": uri})).body.decode())
    for method in ("GET", "PUT", "DELETE"):
        for where in ({"uri": uri}, {"path": unquote(uri)}):
            answer = await ada.http(method, body=b'{"name": "spoilt"}', if_match=f'"{etag}"', **where)
            told += [answer.body.decode(), json.dumps(dict(answer.headers))]
    return "\n".join(told)


async def test_no_address_leads_to_a_record_of_another_tenant(shelf: Archive) -> None:
    etag = (await shelf.records())[THEIRS, "bait"]["_etag"].strip('"')
    for uri in ADDRESSES:
        shelf.door.sent.clear()
        told = await _tried(shelf, uri, etag)
        assert HIDDEN not in told, uri
        asked = [one.partition for one in shelf.door.of_records]
        assert all(partition and partition[0] == MINE for partition in asked), (uri, asked)
        records = await shelf.records()
        assert {name: records[THEIRS, "bait"][name] for name in BAIT} == BAIT, uri
        assert {tenant for tenant, _ in records} == {MINE, THEIRS}, uri
    assert await shelf.records("stray") == {}


@pytest.mark.parametrize("content", CONTENTS)
async def test_no_content_makes_a_record_of_another_tenant(shelf: Archive, content: Json) -> None:
    ada = shelf.person()
    for uri, etag in (("cosmos://prod-data/bait", ""), ("cosmos://prod-data/own", "*")):
        await ada.mcp.call("write_resource", uri=uri, text=json.dumps(content), etag=etag)
        headers = {"if_match": etag} if etag else {}
        await ada.http("PUT", uri, json.dumps(content).encode(), **headers)
    records = await shelf.records()
    assert {name: records[THEIRS, "bait"][name] for name in BAIT} == BAIT
    assert {one["tenantId"] for one in records.values() if one.get("name") == "spoilt"} <= {MINE}


async def test_what_the_service_answers_of_another_tenant_is_not_shown(shelf: Archive) -> None:
    bait = {**BAIT, "_etag": '"1"', "_ts": 1}
    ada = shelf.person()
    for answer in (bait, {**bait, "tenantId": [MINE]}, {**bait, "tenantId": None}):
        shelf.door.planned += [(200, {}, answer)]
        assert HIDDEN not in json.dumps(await ada.mcp.call("read_resource", uri="cosmos://prod-data/bait"))
        shelf.door.planned += [(200, {}, {"Documents": [answer], "_count": 1, "_rid": "x"})]
        assert HIDDEN not in json.dumps(await ada.mcp.call("list_shelf", prefix="cosmos://prod-data/"))
        shelf.door.planned.clear()


async def test_a_cursor_that_was_made_up_goes_nowhere(shelf: Archive) -> None:
    ada = shelf.person()
    for cursor in (
        "cosmos:stray:x",
        "cosmos:private:",
        "cosmos:prod-data:x",
        "cosmos:../prod-data:",
        "cosmos:prod-data:[fabrikam]",
        "cosmos::",
        "gopher:x",
    ):
        assert HIDDEN not in json.dumps(await ada.mcp.call("list_shelf", cursor=cursor))
    assert all(one.partition == [MINE] for one in shelf.door.of_records)


PIECES = [
    "bait",
    "own",
    "prod-data",
    "orders",
    "stray",
    "fabrikam",
    "/",
    "%",
    "%2f",
    "%2e",
    "..",
    "?",
    "#",
    "é",
    " ",
    ":",
]


@settings(max_examples=5 * _TRIES, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=8).map("".join) | st.text(max_size=40))
def test_an_address_that_is_taken_is_the_only_one_of_its_names(rest: str) -> None:
    try:
        address = address_of(f"cosmos://{rest}")
    except AddressError:
        return
    assert address_of(address.uri) == address
    assert all(map(is_fit, address.names))
    beginning = beginning_of(address.uri)
    assert (beginning.container, *beginning.names, beginning.begun) == (address.container, *address.names)


# The oracle: what there is for whom, by tenant and id, and who may do what.
NAMES = ["a", "b", "a b", "é", "100%"]
ROLES = [
    (),
    ("shelves:destroy",),
    ("shelves:destroy", "cosmos-data:read"),
    ("shelves:write", "cosmos-data:write"),
    ("shelves:read", "cosmos-data:destroy"),
    ("cosmos-data:destroy",),
]
STEPS = st.tuples(
    st.sampled_from(["read", "list", "write", "delete"]),
    st.sampled_from([MINE, THEIRS, ""]),
    st.sampled_from(ROLES),
    st.sampled_from(NAMES),
    st.booleans(),
)
Step = tuple[str, str, tuple[str, ...], str, bool]
_TOOLSETS = ("shelves", "cosmos-data")
_NEEDED = {"read": 1, "list": 1, "write": 2, "delete": 3}
_LEVELS = {"": 0, "read": 1, "write": 2, "destroy": 3}


class _Own(NamedTuple):
    """A record of the caller, by whose it is."""

    tenant: str
    name: str


def _opens(toolset: str, kind: str, roles: tuple[str, ...]) -> bool:
    """Whether these roles open a step in a toolset."""
    levels = dict(role.split(":") for role in roles)
    return not roles or _LEVELS[levels.get(toolset, "")] >= _NEEDED[kind]


@dataclass
class Oracle:
    """What has to be there, by tenant and id; a step is made in the shelf, and here."""

    shelf: Archive
    expected: dict[tuple[str, str], int]

    async def steps(self, number: int, step: Step) -> None:
        kind, tenant, roles, name, by_http = step
        who = self.shelf.person(tenant, *roles)
        # Whom no tool of the shelf is open to has only plain HTTP to try it with.
        by_tool = not by_http and _opens("shelves", kind, roles)
        own = _Own(tenant, name) if tenant and all(_opens(one, kind, roles) for one in _TOOLSETS) else None
        await getattr(self, kind)(who, f"cosmos://prod-data/{quote(name)}", own, number, by_tool=by_tool)

    async def list(self, who: Person, _uri: str, own: _Own | None, _number: int, *, by_tool: bool) -> None:
        if by_tool:
            told = await who.mcp.call("list_shelf", prefix="cosmos://prod-data/")
            listed = [one["name"] for one in told.get("structuredContent", {}).get("resources", [])]
        else:
            answer = await who.http("GET", query="cursor=cosmos:")
            listed = [one["name"] for one in json.loads(answer.body).get("resources", [])]
        assert sorted(listed) == sorted(name for tenant, name in self.expected if own and tenant == own.tenant)

    async def read(self, who: Person, uri: str, own: _Own | None, _number: int, *, by_tool: bool) -> None:
        if by_tool:
            text = (await who.mcp.call("read_resource", uri=uri)).get("structuredContent", {}).get("text")
        else:
            answer = await who.http("GET", uri)
            text = answer.body if answer.status == 200 else None
        assert (json.loads(text)["n"] if text else None) == (self.expected.get(own) if own else None)

    async def write(self, who: Person, uri: str, own: _Own | None, number: int, *, by_tool: bool) -> None:
        content, is_there = json.dumps({"n": number}), own in self.expected
        if by_tool:
            await who.mcp.call("write_resource", uri=uri, text=content, etag="*" if is_there else "")
        else:
            await who.http("PUT", uri, content.encode(), **({"if_match": "*"} if is_there else {}))
        if own:
            self.expected[own] = number

    async def delete(self, who: Person, uri: str, own: _Own | None, _number: int, *, by_tool: bool) -> None:
        if by_tool:
            await who.mcp.call("delete_resource", uri=uri)
        else:
            await who.http("DELETE", uri, if_match="*")
        if own:
            self.expected.pop(own, None)


@settings(max_examples=_TRIES, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(STEPS, min_size=1, max_size=8))
async def test_whoever_does_what_to_which_address_does_it_to_their_own_records(
    shelf: Archive, steps: list[Step]
) -> None:
    container = shelf.office.database.get_container_client("prod-data")
    for tenant, name in await shelf.records():
        await container.delete_item(name, partition_key=tenant)
    oracle = Oracle(shelf, {})
    for number, step in enumerate(steps):
        await oracle.steps(number, step)
        there = {key: record.get("n") for key, record in (await shelf.records()).items()}
        assert there == oracle.expected, step
