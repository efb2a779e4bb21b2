"""Records as resources: the same ones over MCP and plain HTTP, for whoever may use the tools for records as well."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from app.build import build
from changes.approval_request import RequiredApprover
from changes.rule import Rule
from changes.rules import Rules
from identity.access import Access
from settings import Group, PlaceSettings, ServerSettings, Settings, StorageSettings
from tests.fakes.cosmos_data.peer import ONE_RANGE
from tests.mcp_server.caller import Caller
from tests.mcp_server.endpoints import approving
from tests.tools.cosmos_data.calling import MINE, THEIRS
from tests.tools.shelves.of_records import Archive, Person, archive, document
from tools.cosmos_data.settings import CosmosDataSettings
from tools.shelves.settings import ShelvesSettings

pytestmark = pytest.mark.anyio

RUN = "cosmos://prod-data/run-42"
WAIVED = Rules(waived=["shelves", "cosmos-data"])


@pytest.fixture
async def shelf(tmp_path: Path) -> AsyncIterator[Archive]:
    async with archive(tmp_path, approving(rules=WAIVED)) as opened:
        yield opened


async def test_one_agent_writes_a_record_and_another_goes_on_from_it_over_http(shelf: Archive) -> None:
    finder, fixer = shelf.person(oid="finder"), shelf.person(oid="fixer")
    found = {"step": "found", "disks": ["web-1", "web-2"]}
    written = await finder.does("write_resource", uri=RUN, text=json.dumps(found))
    assert written["created"]

    [listed] = document(await fixer.http("GET", query="cursor=cosmos:"))["resources"]
    read = await fixer.http("GET", listed["uri"])
    assert document(read) == {"id": "run-42", "tenantId": MINE, **found}
    went_on = json.dumps({**document(read), "step": "cleaned"}).encode()
    assert (await fixer.http("PUT", RUN, went_on, if_match=read.headers["etag"])).status == 200

    assert "has changed since" in await finder.mcp.told("write_resource", uri=RUN, text="{}", etag=written["etag"])
    assert document(await finder.http("GET", RUN))["step"] == "cleaned"
    [contents] = (await finder.mcp.result("resources/read", {"uri": RUN}))["contents"]
    assert json.loads(contents["text"])["step"] == "cleaned"


async def test_a_story_over_mcp_and_over_http_ends_in_the_same_state(shelf: Archive) -> None:
    one, other = shelf.person(), shelf.person(THEIRS)
    written = await one.does("write_resource", uri="cosmos://prod-data/a", text='{"n": 1}')
    await one.does("write_resource", uri="cosmos://prod-data/a", text='{"n": 2}', etag=written["etag"])
    await one.does("write_resource", uri="cosmos://prod-data/gone", text="{}")
    await one.does("delete_resource", uri="cosmos://prod-data/gone")

    put = await other.http("PUT", "cosmos://prod-data/a", b'{"n": 1}')
    assert put.status == 201
    again = await other.http("PUT", "cosmos://prod-data/a", b'{"n": 2}', if_match=put.headers["etag"])
    assert again.status == 200
    await other.http("PUT", "cosmos://prod-data/gone", b"{}")
    assert (await other.http("DELETE", "cosmos://prod-data/gone", if_match="*")).status == 204

    state = {key: record["n"] for key, record in (await shelf.records()).items()}
    assert state == {(MINE, "a"): 2, (THEIRS, "a"): 2}


async def test_of_two_who_write_at_once_one_loses_and_is_told(shelf: Archive) -> None:
    people = [shelf.person(oid="finder"), shelf.person(oid="fixer")]
    first = await people[0].does("write_resource", uri=RUN, text='{"by": "nobody"}')

    async def writes(who: Person, name: str) -> str:
        result = await who.mcp.call("write_resource", uri=RUN, text=json.dumps({"by": name}), etag=first["etag"])
        return result["content"][0]["text"] if result.get("isError") else ""

    told = await asyncio.gather(writes(people[0], "finder"), writes(people[1], "fixer"))
    [lost] = filter(None, told)
    assert re.search(r"Read the (record|resource) again", lost)
    winner = ("finder", "fixer")[told.index("")]
    assert (await shelf.records())[MINE, "run-42"]["by"] == winner

    made = await asyncio.gather(*(who.http("PUT", "cosmos://prod-data/new", b"{}") for who in people))
    assert sorted(answer.status for answer in made) == [201, 412]


async def test_a_record_tells_its_size_date_and_etag_alike_over_all_ways(shelf: Archive) -> None:
    ada = shelf.person()
    before = datetime.now(UTC).timestamp() - 2
    put = await ada.http("PUT", RUN, '{"note": "crème"}'.encode())
    by_tool = await ada.does("read_resource", uri=RUN)
    [listed] = await ada.listed("cosmos://prod-data/")
    looked = await ada.http("GET", RUN)
    assert listed == {name: by_tool[name] for name in listed}
    assert f'"{by_tool["etag"]}"' == looked.headers["etag"] == put.headers["etag"]
    assert by_tool["size"] == len(looked.body) == len(by_tool["text"].encode())
    assert datetime.fromisoformat(by_tool["modified"]).timestamp() >= before
    assert by_tool["mimeType"] == "application/json"
    assert (await ada.http("GET", RUN, if_none_match=put.headers["etag"])).status == 304
    piece = await ada.http("GET", RUN, range="bytes=1-4")
    assert (piece.status, piece.body) == (206, looked.body[1:5])
    by_path = await ada.http("GET", path=RUN)
    assert by_path.body == looked.body


async def test_the_list_goes_over_files_and_then_over_all_containers(shelf: Archive) -> None:
    ada = shelf.person()
    await shelf.files.write("a.md", b"x", "", "")
    await shelf.put(*({"id": f"n{number}", "tenantId": MINE} for number in range(5)))
    await shelf.put({"id": "o", "tenantId": MINE, "region": "eu"}, container="orders")
    shelf.door.ranges = ONE_RANGE
    own = [f"cosmos://prod-data/n{number}" for number in range(5)]
    assert [one["uri"] for one in await ada.listed("cosmos://prod-")] == own
    assert [one["uri"] for one in await ada.listed("cosmos://prod-data/n3")] == own[3:4]
    first = await ada.does("list_shelf", max_results=2)
    second = await ada.does("list_shelf", max_results=2, cursor=first["next"])
    third = await ada.does("list_shelf", max_results=2, cursor=second["next"])
    told = [[one["uri"] for one in page["resources"]] for page in (first, second, third)]
    assert told == [["file:///a.md"], own[:2], own[2:4]]
    assert "belongs to another query" in await shelf.person(oid="bob").mcp.told("list_shelf", cursor=second["next"])
    assert "belongs to another query" in await shelf.person(THEIRS).mcp.told("list_shelf", cursor=second["next"])


async def test_files_are_listed_where_records_are_away_and_that_is_told(shelf: Archive) -> None:
    ada = shelf.person()
    await shelf.files.write("a.md", b"x", "", "")
    shelf.door.planned += [(503, {}, {"code": "ServiceUnavailable"})] * 40
    assert [one["uri"] for one in await ada.listed()] == ["file:///a.md"]
    beyond = await ada.does("list_shelf", cursor="cosmos:")
    assert beyond["unanswered"] == "cosmos: Cosmos DB does not respond. Try again in a minute."
    assert "does not respond" in await ada.mcp.told("list_shelf", prefix="cosmos://prod-data/")
    assert (await ada.http("GET", RUN)).status == 503


async def test_further_levels_of_a_key_stand_before_the_id(shelf: Archive) -> None:
    ada, uri = shelf.person(), "cosmos://orders/eu%20west/42"
    written = await ada.does("write_resource", uri=uri, text='{"n": 1}')
    assert shelf.door.of_records[-1].partition == [MINE, "eu west"]
    assert json.loads((await ada.does("read_resource", uri=uri))["text"])["region"] == "eu west"
    assert [one["uri"] for one in await ada.listed("cosmos://orders/eu%20west/4")] == [uri]
    assert await ada.listed("cosmos://orders/eu%20west/42/x") == []
    assert "a different value than its URI in /region" in await ada.mcp.told(
        "write_resource", uri=uri, text='{"region": "us"}', etag=written["etag"]
    )
    assert "cosmos://orders/<region>/<id>" in await ada.mcp.told("read_resource", uri="cosmos://orders/42")


async def test_what_has_no_address_is_not_listed(shelf: Archive) -> None:
    names = ["fine", "a b", "twice%41", "soft\u00adhyphen", " space", "100%"]
    await shelf.put(*({"id": name, "tenantId": MINE} for name in names))
    listed = {one["uri"] for one in await shelf.person().listed("cosmos://prod-data/")}
    assert listed == {"cosmos://prod-data/fine", "cosmos://prod-data/a%20b", "cosmos://prod-data/100%25"}


@pytest.mark.parametrize(
    ("content", "more", "words"),
    [
        ("[1]", {}, "a JSON object"),
        ("not json", {}, "not JSON"),
        ('{"n": NaN}', {}, "not JSON"),
        ("{}", {"media_type": "text/plain"}, "must be application/json"),
        ('{"id": "another"}', {}, "does not match its URI"),
        (json.dumps({"tenantId": THEIRS}), {}, "has a different tenant"),
        ('{"n": 9007199254740993}', {}, "send the number as a string"),
        ('{"a":' * 40 + "1" + "}" * 40, {}, "deeper"),
        (json.dumps({"n": [1] * 25_000}), {}, "values"),
    ],
    ids=lambda value: str(value)[:20],
)
async def test_what_cannot_be_a_record_is_refused(
    shelf: Archive, content: str, more: dict[str, str], words: str
) -> None:
    assert words in await shelf.person().mcp.told("write_resource", uri=RUN, text=content, **more)
    assert await shelf.records() == {}


async def test_what_is_not_there_is_told_as_http_tells_it(shelf: Archive) -> None:
    ada = shelf.person()
    assert (await ada.http("GET", RUN)).status == 404
    assert (await ada.http("DELETE", RUN, if_match="*")).status == 404
    assert (await ada.http("PUT", RUN, b"{}", if_match="*")).status == 412
    assert (await ada.http("PUT", RUN, b"[]")).status == 400
    assert (await ada.http("PUT", RUN, b"{}", content_type="text/html")).status == 400


SHELVES = ("shelves:destroy",)
# Of each role that opens the shelf, what else it opens, and what is told of each way to a record.
OPENED = [
    ((), "start with file://", "start with file://", "start with file://"),
    (("cosmos-data:read",), "", "cosmos_db_insert", "cosmos_db_delete"),
    (("cosmos-data:write",), "", "", "cosmos_db_delete"),
    (("cosmos-data:destroy",), "", "", ""),
    (("cosmos-data/cosmos_db_insert:write",), *["start with file://"] * 3),
    (("cosmos-data/cosmos_db_read:read",), "", "cosmos_db_insert", "cosmos_db_delete"),
    (("cosmos-data:destroy", "cosmos-data/cosmos_db_read:none"), *["start with file://"] * 3),
    (("cosmos-data:destroy", "cosmos-data/cosmos_db_insert:none"), "", "cosmos_db_insert", ""),
]


@pytest.mark.parametrize(("roles", "reading", "writing", "deleting"), OPENED)
async def test_a_record_takes_the_tool_for_records_as_well(
    shelf: Archive, roles: tuple[str, ...], reading: str, writing: str, deleting: str
) -> None:
    await shelf.put({"id": "1", "tenantId": MINE})
    who = shelf.person(MINE, *SHELVES, *roles).mcp
    calls = {
        "read_resource": ({"uri": "cosmos://prod-data/1"}, reading),
        "write_resource": ({"uri": RUN, "text": "{}"}, writing),
        "delete_resource": ({"uri": "cosmos://prod-data/1"}, deleting),
    }
    for tool, (arguments, words) in calls.items():
        result = await who.call(tool, **arguments)
        assert bool(result.get("isError")) is bool(words), (tool, result)
        assert words in result["content"][0]["text"]
    templates = (await who.result("resources/templates/list"))["resourceTemplates"]
    assert len(templates) == 2 if any(role.startswith("cosmos-data") for role in roles) else 1


async def test_the_list_of_whom_records_are_closed_to_has_files_alone(shelf: Archive) -> None:
    await shelf.put({"id": "1", "tenantId": MINE})
    await shelf.files.write("a.md", b"x", "", "")
    for roles in (SHELVES, (*SHELVES, "cosmos-data/cosmos_db_query:read")):
        assert [one["uri"] for one in await shelf.person(MINE, *roles).listed()] == ["file:///a.md"]
    closed = shelf.person(MINE, *SHELVES)
    assert "Unknown resource" in (await closed.mcp.error("resources/read", {"uri": RUN}))["message"]
    assert (await closed.http("GET", RUN)).status == 404
    assert "start with file://" in await closed.mcp.told("list_shelf", prefix="cosmos://prod-data/")
    asked = shelf.person(MINE, *SHELVES, "cosmos-data/cosmos_db_read:read")
    assert "cosmos_db_query" in await asked.mcp.told("list_shelf", prefix="cosmos://prod-data/")
    assert [one["uri"] for one in await asked.listed()] == ["file:///a.md"]


async def test_whom_the_shelf_is_closed_to_has_no_resources_though_records_are_open(shelf: Archive) -> None:
    await shelf.put({"id": "1", "tenantId": MINE})
    who = shelf.person(MINE, "cosmos-data:destroy")
    assert (await who.mcp.result("resources/list"))["resources"] == []
    assert (await who.http("GET", "cosmos://prod-data/1")).status == 404
    for method in ("PUT", "DELETE"):
        assert (await who.http(method, "cosmos://prod-data/1", b"{}", if_match="*")).status in {403, 404}
    assert (MINE, "1") in await shelf.records()


async def test_who_belongs_to_no_tenant_or_to_two_has_files_alone(shelf: Archive) -> None:
    await shelf.files.write("a.md", b"x", "", "")
    for who in (shelf.person(""), shelf.person(MINE, "Of both")):
        assert [one["uri"] for one in await who.listed()] == ["file:///a.md"]
        assert "tenant" in await who.mcp.told("read_resource", uri=RUN)
        assert "tenant" in await who.mcp.told("list_shelf", prefix="cosmos://")


async def test_nobody_crosses_tenants_by_an_address(shelf: Archive) -> None:
    await shelf.put({"id": "1", "tenantId": THEIRS})
    support = shelf.person(MINE, "Support")
    for uri in ("cosmos://prod-data/1", "cosmos://fabrikam/1", f"cosmos://tenants/{THEIRS}"):
        assert (await support.http("GET", uri)).status in {404, 422}
    assert await support.listed("cosmos://prod-data/") == []


@pytest.mark.parametrize(
    "rules",
    [
        Rules([Rule(RequiredApprover.ANOTHER, frozenset({("cosmos-data", "cosmos_db_delete")}))]),
        Rules([Rule(RequiredApprover.ANOTHER, frozenset(), frozenset({"cosmos-data"}))]),
        Rules([Rule(RequiredApprover.NOBODY, frozenset({("shelves", "delete_resource")}))]),
        Rules(waived=["shelves"]),
    ],
)
async def test_what_is_asked_of_the_tool_for_records_is_not_got_round(tmp_path: Path, rules: Rules) -> None:
    async with archive(tmp_path, approving(rules=rules)) as shelf:
        await shelf.put({"id": "1", "tenantId": MINE})
        told = await shelf.person().mcp.told("delete_resource", uri="cosmos://prod-data/1")
        assert "Use cosmos_db_delete" in told
        assert (MINE, "1") in await shelf.records()


@pytest.mark.parametrize("rules", [Rules(), Rules([Rule(RequiredApprover.CALLER, access=Access.WRITE)])])
async def test_a_deletion_is_shown_and_held_to_what_was_seen(tmp_path: Path, rules: Rules) -> None:
    async with archive(tmp_path, approving(rules=rules)) as shelf:
        await shelf.put({"id": "1", "tenantId": MINE, "name": "Rye"})
        ada = shelf.person()
        told = await ada.mcp.told("delete_resource", uri="cosmos://prod-data/1")
        assert "Rye" in told
        theirs = await shelf.office.database.get_container_client("prod-data").replace_item(
            "1", {"id": "1", "tenantId": MINE, "name": "Bun"}
        )
        await ada.mcp.approve(told)
        again = await ada.mcp.told("delete_resource", uri="cosmos://prod-data/1")
        assert "Bun" in again
        assert (await shelf.records())[MINE, "1"]["_etag"] == theirs["_etag"]
        await ada.mcp.approve(again)
        done = await ada.mcp.call("delete_resource", uri="cosmos://prod-data/1")
        assert not done.get("isError")
        assert await shelf.records() == {}


@asynccontextmanager
async def serving(folder: Path, *groups: Group, **further: Any) -> AsyncIterator[Callable[..., Caller]]:
    settings = Settings(
        place=PlaceSettings(environment="Development"),
        of_providers=groups,
        storage=StorageSettings(folder=str(folder / "storage")),
        **further,
    )
    app = build(settings)
    yield partial(Caller, app.endpoint)
    await app.close()


EMULATOR = CosmosDataSettings(endpoint="http://127.0.0.1:9", database="d", containers=(("c", "/tenantId"),), key="eA==")


@pytest.mark.parametrize("names", [["file"], ["cosmos"], ["file", "cosmos"]])
async def test_the_shelf_is_there_where_either_kind_is_configured(tmp_path: Path, names: list[str]) -> None:
    kinds: dict[str, Group] = {"file": ShelvesSettings(folder=str(tmp_path)), "cosmos": EMULATOR}
    async with serving(tmp_path, *(kinds[name] for name in names)) as caller:
        templates = (await caller("all").result("resources/templates/list"))["resourceTemplates"]
        schemes = [one["uriTemplate"].partition(":")[0] for one in templates]
        assert [scheme for scheme in schemes if scheme in kinds] == names
        for other in kinds.keys() - set(names):
            assert f"start with {names[0]}://" in await caller("all").told("read_resource", uri=f"{other}:///x")


async def test_where_neither_kind_is_configured_both_are_named(tmp_path: Path) -> None:
    async with serving(tmp_path) as caller:
        learned = (await caller().call("azure", learn=True))["structuredContent"]
        assert "RESOURCES_CONTAINER" in learned["unavailable"]["shelves"]
        assert "COSMOS_ENDPOINT" in learned["unavailable"]["shelves"]


async def test_where_the_tools_for_records_are_not_offered_their_addresses_are_not_either(tmp_path: Path) -> None:
    both = (ShelvesSettings(folder=str(tmp_path)), EMULATOR)
    async with serving(tmp_path, *both, server=ServerSettings(denied=("cosmos-data",))) as caller:
        assert "start with file://" in await caller("all").told("read_resource", uri="cosmos://c/1")


async def test_the_tools_for_records_are_there_without_those_for_accounts(tmp_path: Path) -> None:
    async with serving(tmp_path, EMULATOR) as caller:
        learned = (await caller().call("azure", learn=True))["structuredContent"]
        assert "cosmos-data" in {one["name"] for one in learned["tools"]}
        assert "cosmos" in ", ".join(learned["unavailable"])
        assert "cosmos_db_query" in await caller("cosmos-data").tool_names()
