"""Every tool for records sends the requests that were agreed, and makes of the answers what was agreed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from tests.fakes.cosmos_data.peer import ONE_RANGE, Sent
from tests.sweeps import Sweep
from tests.tools.cosmos_data.calling import Office, office
from tests.tools.golden import Case, cases_in
from tools.cosmos_data import toolset

pytestmark = pytest.mark.anyio

CASES: Final = cases_in(Path(__file__).parent / "golden")
# Beside the key of the partition: what decides what is read, and over what is written.
_HEADERS: Final = (
    *("if-match", "x-ms-max-item-count", "x-ms-continuation"),
    *("x-ms-start-epk", "x-ms-end-epk", "x-ms-read-key-type"),
)


@pytest.fixture
async def shop() -> AsyncIterator[Office]:
    async with office(containers=(("prod-data", "/tenantId"), ("orders", "/tenantId"))) as there:
        there.door.ranges = ONE_RANGE
        yield there


def seen(sent: Sent) -> dict[str, Any]:
    told = {name: sent.headers[name] for name in _HEADERS if name in sent.headers}
    where = sent.path.partition("/colls/")[2].strip("/")
    return {"line": f"{sent.method} {where}", "partition": sent.partition, "headers": told, "body": sent.body}


def expected(exchange: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "line": exchange["request"],
        "partition": exchange.get("partition"),
        "headers": exchange.get("headers", {}),
        "body": exchange.get("body"),
    }


def planned(exchange: Mapping[str, Any]) -> tuple[int, dict[str, str], Any]:
    return exchange.get("status", 200), exchange.get("reply_headers", {}), exchange.get("reply")


@Sweep("case", CASES, ids=lambda case: case.name, every=2)
async def test_a_tool_asks_and_answers_as_agreed(case: Case, shop: Office) -> None:
    shop.door.planned = [planned(exchange) for exchange in case.exchanges]
    result = await shop.person().call(case.tool, **case.arguments)
    assert [seen(sent) for sent in shop.door.of_records] == [expected(exchange) for exchange in case.exchanges]
    assert shop.door.planned == []
    if case.told is not None:
        assert result["isError"]
        assert case.told in result["content"][0]["text"]
        assert "hidden" not in result["content"][0]["text"]
    else:
        assert not result["isError"], result["content"][0]["text"]
        assert result["structuredContent"] == case.answer


@pytest.mark.parametrize("tool", [tool.name for tool in toolset.tools])
def test_every_tool_has_a_golden_request_and_a_golden_answer(tool: str) -> None:
    own = [case for case in CASES if case.tool == tool]
    assert any(case.exchanges for case in own)
    assert any(case.answer for case in own)


def test_no_golden_case_outlives_its_tool() -> None:
    assert {case.tool for case in CASES} == {tool.name for tool in toolset.tools}
