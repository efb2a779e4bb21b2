"""An answer that lacks what the documentation promises is told in words, and is no incident."""

from __future__ import annotations

from itertools import product
from typing import Any

from tests.mcp_server.caller import Caller
from tests.sweeps import Sweep
from tests.tools.azure_devops.calling import TOOLS
from tests.tools.azure_devops.golden import Case, Scripted, cases

BY_NAME = {tool.name: tool for tool in TOOLS}
CASES = [case for case in cases() if case.exchanges]


EMPTY: tuple[Any, ...] = ({}, [], {"count": 0, "value": []}, b"", {"count": 2, "value": [1, None]}, [[]])


@Sweep("case", CASES, every=6, ids=lambda case: case.name)
async def test_an_empty_answer_is_no_incident(case: Case, scripted: Scripted, player: Caller) -> None:
    for number, empty in product(range(len(case.exchanges)), EMPTY):
        whole = [{"reply": exchange.get("reply")} for exchange in case.exchanges[:number]]
        exchanges = [*whole, *[{"reply": empty}] * 9]
        scripted.play(Case(case.name, case.tool, case.arguments, exchanges, None, None), by_turns=True)
        result = await player.call(case.tool, **case.arguments)
        assert not result["isError"] or "incident" not in result["content"][0]["text"].lower()
