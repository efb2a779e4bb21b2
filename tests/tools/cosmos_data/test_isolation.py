"""Whatever a caller asks for, nothing of another tenant is read, told or changed."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clients.cosmos_data.partition import Partition
from tests.mcp_server.records import Records
from tests.sweeps import Sweep, examples
from tests.tools.cosmos_data.calling import MINE, THEIRS, Office, answer, office
from tests.tools.cosmos_data.predicates import KNOWN

pytestmark = pytest.mark.anyio

HIDDEN = "nobody else's"
TEMPTATION = {"id": "bait", "tenantId": THEIRS, "n": 1, "name": HIDDEN, "tags": ["a"]}
NAMES = [
    'id"] OR c["tenantId',
    "id) OR (true",
    "id/*",
    "c.id OR 1=1",
    "id'",
    'a"]) OR IS_DEFINED(c["id',
    "root.id",
    "*",
    "",
    ".",
    "id..n",
    "id[-1]",
    "id[0",
    "id]",
    "@v0",
    "\\u0022",
    "id\n OR true",
    "1d OR 1",
    "a" * 301,
]
SELECTS = [
    "SELECT * FROM c",
    "SELECT * FROM c WHERE c.tenantId = 'fabrikam'",
    "SELECT * FROM c WHERE c.tenantId != 'contoso' OR true",
    "SELECT VALUE c.name FROM c WHERE true OR c.id = 'x'",
    "SELECT * FROM c WHERE c.tenantId IN ('fabrikam', 'contoso')",
    "SELECT VALUE COUNT(1) FROM c WHERE c.tenantId = 'fabrikam'",
    "SELECT * FROM root",
    "SELECT TOP 5 * FROM c ORDER BY c.n",
    "SELECT * FROM c WHERE EXISTS(SELECT VALUE t FROM t IN c.tags)",
    "SELECT VALUE t FROM c JOIN t IN c.tags",
    "select c.name from c where c.n >= 0",
    "SELECT * FROM c WHERE IS_DEFINED(c.id)",
    *("SELECT * FROM c WHERE c.tenantId = 'contoso' AND (?)".replace("?", one) for one in KNOWN),
]
NO_SELECTS = [
    "DELETE FROM c WHERE true",
    "SELECT * FROM c; SELECT * FROM c",
    "SELECT * FROM c -- where",
    "SELECT * FROM c /* all */",
    "SELECT udf.all(c) FROM c",
    "SELECT UDF . all(c) FROM c",
]
BODIES: list[dict[str, Any]] = [
    {"tenantId": THEIRS},
    {"tenantId": [MINE, THEIRS]},
    {"tenantId": {"": THEIRS}},
    {"tenantId": None},
    {"tenantId": MINE.upper()},
]
PATCHES: list[dict[str, Any]] = [
    {"op": "set", "path": "/tenantId", "value": THEIRS},
    {"op": "replace", "path": "/tenantId", "value": THEIRS},
    {"op": "remove", "path": "/tenantId"},
    {"op": "set", "path": "/tenantId/x", "value": THEIRS},
    {"op": "move", "path": "/tenantId", "from": "/name"},
    {"op": "move", "path": "/name", "from": "/tenantId"},
    {"op": "set", "path": "/id", "value": "bait"},
    {"op": "set", "path": "/_etag", "value": "x"},
    {"op": "set", "path": '/"tenantId"', "value": THEIRS},
    {"op": "set", "path": "//tenantId", "value": THEIRS},
    {"op": "set", "path": "/", "value": THEIRS},
    {"op": "set", "path": "", "value": {"tenantId": THEIRS}},
    {"op": "set", "path": "tenantId", "value": THEIRS},
]
IDS = ["bait", "../docs/bait", "bait/", "bait?x", "bait#", "", " bait", ".", "..", "a\\bait", "x" * 256]


@pytest.fixture
async def shop() -> AsyncIterator[Office]:
    async with office() as there:
        await there.put(TEMPTATION, {"id": "own", "tenantId": MINE, "n": 1, "name": "mine", "tags": ["a"]})
        yield there


async def comes_of(shop: Office, tool: str, **arguments: Any) -> str:
    """All that a call tells, after every request was seen to go with the own key, and nothing to have changed."""
    told = json.dumps(await shop.person().call(tool, **arguments))
    assert HIDDEN not in told
    requests = shop.door.of_records
    assert all(one.partition == [MINE] for one in requests), [(one.path, one.partition) for one in requests]
    sent = [*shop.door.sent]
    bait = shop.database.get_container_client("prod-data")
    found = await bait.read_item("bait", partition_key=THEIRS)
    assert {name: found[name] for name in TEMPTATION} == TEMPTATION
    shop.door.sent = sent
    return told


@Sweep("text", KNOWN, every=2)
async def test_a_predicate_that_leaks_elsewhere_does_not_here(shop: Office, text: str) -> None:
    assert "isError" in await comes_of(shop, "cosmos_db_query", query=text)
    for query in ({"where": [{"field": text, "value": 1}]}, {"order": [{"field": text}]}):
        assert "A field name has" in await comes_of(shop, "cosmos_db_query", query=query)
    for operator in ("=", "!=", "contains", "starts_with", "has_element"):
        condition = {"field": "name", "operator": operator, "value": text}
        await comes_of(shop, "cosmos_db_query", query={"where": [condition], "any_of": [condition]})


@Sweep("name", NAMES, every=2)
async def test_a_name_that_is_none_is_refused(shop: Office, name: str) -> None:
    if name == "root.id":
        assert '"count": 0' in await comes_of(shop, "cosmos_db_query", query={"where": [{"field": name, "value": 1}]})
    else:
        assert '"isError": true' in await comes_of(
            shop, "cosmos_db_query", query={"where": [{"field": name, "value": 1}]}
        )


@Sweep("sql", SELECTS, every=2)
async def test_a_select_stays_within_the_partition(shop: Office, sql: str) -> None:
    await comes_of(shop, "cosmos_db_select", container="prod-data", sql=sql)


@pytest.mark.parametrize("sql", NO_SELECTS)
async def test_what_is_no_single_select_is_refused(shop: Office, sql: str) -> None:
    assert "one SELECT" in await comes_of(shop, "cosmos_db_select", container="prod-data", sql=sql)
    assert shop.door.of_records == []


@pytest.mark.parametrize("body", BODIES)
async def test_a_document_of_another_tenant_is_refused(shop: Office, body: dict[str, Any]) -> None:
    document = {"id": "bait", "name": "spoilt", **body}
    assert "a different tenant" in await comes_of(shop, "cosmos_db_insert", document=document)
    etag = (await answer(shop.person(), "cosmos_db_read", id="own"))["etag"]
    own = {**document, "id": "own"}
    assert "a different tenant" in await comes_of(shop, "cosmos_db_update", id="own", etag=etag, document=own)


@Sweep("step", PATCHES, every=2)
async def test_a_patch_of_whose_a_record_is_is_refused(shop: Office, step: dict[str, Any]) -> None:
    etag = (await answer(shop.person(), "cosmos_db_read", id="own"))["etag"]
    shop.door.sent.clear()
    assert '"isError": true' in await comes_of(shop, "cosmos_db_update", id="own", etag=etag, patch=[step])
    assert shop.door.of_records == [] or all(one.method == "GET" for one in shop.door.of_records)


@Sweep("name", IDS, every=2)
async def test_the_id_of_another_tenants_record_leads_nowhere(shop: Office, name: str) -> None:
    theirs = (await shop.database.get_container_client("prod-data").read_item("bait", partition_key=THEIRS))["_etag"]
    shop.door.sent.clear()
    step = {"op": "set", "path": "/name", "value": "spoilt"}
    for tool, more in (
        ("cosmos_db_read", {}),
        ("cosmos_db_update", {"etag": theirs, "patch": [step]}),
        ("cosmos_db_update", {"etag": theirs, "document": {"name": "spoilt"}}),
        ("cosmos_db_delete", {"etag": theirs}),
    ):
        assert '"isError": true' in await comes_of(shop, tool, id=name, **more)


async def test_a_tenant_is_accepted_if_it_is_ones_own_or_one_may_cross_and_then_the_record_says_so(
    shop: Office,
) -> None:
    with Records.kept() as records:
        assert (await answer(shop.person(), "cosmos_db_query", tenant_id=MINE))["count"] == 1
        assert "crosses_to" not in records.only
        assert "not your tenant" in await shop.person().told("cosmos_db_query", tenant_id=THEIRS)
        assert "crosses_to" not in records.only
        crossing = await answer(shop.person(MINE, "Support"), "cosmos_db_query", tenant_id=THEIRS)
        assert [one["id"] for one in crossing["items"]] == ["bait"]
        assert records.only["crosses_to"] == THEIRS


async def test_who_belongs_to_no_tenant_or_to_several_is_refused(shop: Office) -> None:
    shop.door.sent.clear()
    assert "not mapped to a tenant" in await shop.person("").told("cosmos_db_query")
    assert "several tenants" in await shop.person(MINE, "Of both").told("cosmos_db_query")
    assert shop.door.of_records == []


async def test_a_container_that_is_not_allowed_or_not_parted_is_closed(shop: Office) -> None:
    await shop.database.create_container("private", {"paths": ["/tenantId"], "kind": "Hash"})
    shop.door.sent.clear()
    for name in ("private", "../prod-data", "PROD-DATA"):
        assert "not found" in await shop.person().told("cosmos_db_query", container=name)
    assert "not partitioned by tenant" in await shop.person().told("cosmos_db_query", container="stray")
    assert shop.door.of_records == []


async def test_a_record_of_another_tenant_is_not_shown_though_the_service_answers_with_it(shop: Office) -> None:
    shop.door.planned += [(200, {}, {"Documents": [TEMPTATION], "_count": 1, "_rid": "x"})]
    assert "not shown" in await comes_of(shop, "cosmos_db_query")
    shop.door.planned += [(200, {}, TEMPTATION)]
    assert "not shown" in await comes_of(shop, "cosmos_db_read", id="bait")


@pytest.mark.parametrize("values", [(), (None,), ("",), (1,), ({},), ([],), (MINE, None), (MINE, "a", "b")])
def test_there_is_no_partition_without_a_tenant(values: Any) -> None:
    with pytest.raises(ValueError, match=r"tenant|level"):
        Partition(("/tenantId", "/region"), values)


TEXTS = st.one_of(st.sampled_from([THEIRS, MINE, "tenantId", *KNOWN]), st.text(max_size=20))
VALUES = st.one_of(TEXTS, st.integers(-5, 5), st.booleans(), st.none(), st.lists(TEXTS, max_size=3))
OPERATORS = st.sampled_from(["=", "!=", "<", ">=", "in", "contains", "starts_with", "has_element", "exists", "is_null"])
FIELDS = st.one_of(st.sampled_from(["id", "tenantId", "n", "name", "tags", "tags[0]", "a.b"]), TEXTS)
CONDITIONS = st.lists(st.fixed_dictionaries({"field": FIELDS, "operator": OPERATORS, "value": VALUES}), max_size=3)
ORDERS = st.lists(st.fixed_dictionaries({"field": FIELDS, "descending": st.booleans()}), max_size=2)
FILTERS = st.fixed_dictionaries({}, optional={"where": CONDITIONS, "any_of": CONDITIONS, "order": ORDERS})


@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(query=FILTERS, most=st.integers(1, 100))
async def test_whatever_is_asked_only_own_records_come(shop: Office, query: dict[str, Any], most: int) -> None:
    shop.door.sent.clear()
    result = await shop.person().call("cosmos_db_query", query=query, max_items=most)
    assert all(one.partition == [MINE] for one in shop.door.of_records)
    if not result.get("isError"):
        assert {one["tenantId"] for one in result["structuredContent"]["items"]} <= {MINE}
    assert HIDDEN not in json.dumps(result)
