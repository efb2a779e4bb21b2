"""Where a rule has people asked before a record is written, they are shown what would change, as it is now."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from changes.approval_request import RequiredApprover
from changes.rule import Rule
from changes.rules import Rules
from tests.mcp_server.endpoints import approving
from tests.tools.cosmos_data.calling import MINE, Office, answer, office
from tools.cosmos_data import toolset

pytestmark = pytest.mark.anyio

ASKING = Rules([Rule(RequiredApprover.CALLER, toolsets=frozenset([toolset.name]))])
BREAD = {"id": "1", "tenantId": MINE, "name": "Bread", "tags": ["dark", "rye"], "made": {"of/by": "Ada"}, "n": 1}


@pytest.fixture
async def shop() -> AsyncIterator[Office]:
    async with office(approving(rules=ASKING)) as there:
        await there.put(BREAD)
        yield there


async def test_a_new_record_is_shown_and_not_made_before_anybody_agrees(shop: Office) -> None:
    ada, cake = shop.person(), {"id": "2", "name": "Cake", "tags": ["sweet"]}
    told = await ada.told("cosmos_db_insert", document=cake)
    assert "Insert the record 2 into prod-data" in told
    assert f"/tenantId added: {MINE}" in told
    assert '/tags added: ["sweet"]' in told
    assert "Record not found" in await ada.told("cosmos_db_read", id="2")
    assert "Insert the record (with a generated id)" in await ada.told("cosmos_db_insert", document={"name": "Roll"})


@pytest.mark.parametrize(
    ("step", "shown"),
    [
        ({"op": "set", "path": "/name", "value": "Loaf"}, "/name: Bread → Loaf"),
        ({"op": "set", "path": "/made/of~1by", "value": "Eve"}, "/made/of~1by: Ada → Eve"),
        ({"op": "replace", "path": "/tags/1", "value": "oat"}, "/tags/1: rye → oat"),
        ({"op": "add", "path": "/tags/0", "value": "oat"}, "/tags/0 (add) added: oat"),
        ({"op": "add", "path": "/tags/9/x", "value": 1}, "/tags/9/x added: 1"),
        ({"op": "remove", "path": "/made"}, '/made removed (was {"of/by":"Ada"})'),
        ({"op": "incr", "path": "/n", "value": 2}, "/n (incr): 1 → 2"),
        ({"op": "move", "path": "/by", "from": "/made"}, "/by (move) added: /made"),
    ],
    ids=str,
)
async def test_a_patch_is_shown_beside_what_stands_there(shop: Office, step: dict[str, Any], shown: str) -> None:
    ada = shop.person()
    etag = (await answer(ada, "cosmos_db_read", id="1"))["etag"]
    assert shown in await ada.told("cosmos_db_update", id="1", etag=etag, patch=[step])
    assert (await answer(ada, "cosmos_db_read", id="1"))["etag"] == etag


async def test_a_whole_document_is_shown_by_what_differs(shop: Office) -> None:
    ada = shop.person()
    etag = (await answer(ada, "cosmos_db_read", id="1"))["etag"]
    told = await ada.told("cosmos_db_update", id="1", etag=etag, document={**BREAD, "name": "Loaf", "n": None})
    assert "- /n removed (was 1)" in told
    assert "- /name: Bread → Loaf" in told
    assert "/tags" not in told
    assert "has changed since" in await ada.told("cosmos_db_update", id="1", etag='"old"', document=BREAD)
