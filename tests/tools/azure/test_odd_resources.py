"""An answer in which one value is another than it should be is told in words, or read as far as it can be."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from itertools import cycle, islice
from typing import Any, Final

from tests.mcp_server.caller import Caller
from tests.sweeps import Sweep
from tests.tools.azure.calling import TOOLS
from tests.tools.azure.golden import Case, Scripted, cases

ODD: Final[tuple[Any, ...]] = ("x", 7, [], {}, [1], [None], {"a": 1}, True, None, 1.5, [[]], [{}])
OWN: Final = {tool.name for tool in TOOLS if tool.toolset == "resource"}
CASES: Final = [case for case in cases() if case.tool in OWN and case.exchanges and case.answer]
SUBSCRIPTIONS: Final = "GET management.azure.com/subscriptions"


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, entry in inner:
        yield from places(entry, (*path, name))


def spoilt(value: Any, path: tuple[Any, ...], odd: Any) -> Any:
    if not path:
        return odd
    whole = deepcopy(value)
    around = whole
    for name in path[:-1]:
        around = around[name]
    around[path[-1]] = odd
    return whole


def spoilt_cases(case: Case, every: int) -> Iterator[Case]:
    odds = cycle(ODD)
    for number, exchange in enumerate(case.exchanges):
        reply = exchange.get("reply")
        if isinstance(reply, dict) and exchange["request"] != SUBSCRIPTIONS:
            for path in islice(places(reply), 0, None, every):
                exchanges: list[Any] = [dict(entry) for entry in case.exchanges]
                exchanges[number] = {**exchange, "reply": spoilt(reply, path, next(odds))}
                more: list[Any] = [{"reply": {"value": []}}] * 9
                yield Case(case.name, case.tool, case.arguments, [*exchanges, *more], None, None)


@Sweep("case", CASES, ids=lambda case: case.name, every=3)
async def test_an_odd_value_is_no_incident(case: Case, scripted: Scripted, player: Caller) -> None:
    for odd in spoilt_cases(case, every=1):
        scripted.play(odd, by_turns=True)
        result = await player.call(odd.tool, **odd.arguments)
        assert "incident" not in result["content"][0]["text"].lower(), odd.exchanges
