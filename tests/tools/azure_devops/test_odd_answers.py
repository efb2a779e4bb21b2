"""An answer in which one value is another than it should be is told in words, or read as far as it can be."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from itertools import cycle, islice
from typing import Any

from mcp_server.declarations.toolset import Access
from tests.mcp_server.caller import Caller
from tests.sweeps import Sweep
from tests.tools.azure_devops.calling import TOOLS
from tests.tools.azure_devops.golden import Case, Scripted, cases

ODD: tuple[Any, ...] = ("x", 7, [], {}, [1], [None], {"a": 1}, True, None, 1.5, [[]], [{}])
# Those that read lists of code and of what protects it.
READ = {
    tool.name for tool in TOOLS if tool.toolset in {"devops-git", "devops-policies"} and tool.access is Access.READ
} - {"list_pull_request_policies"} | {"list_pull_requests", "list_pull_request_changes", "get_pull_request_comments"}
OF_CODE = ("/_apis/git/", "/_apis/policy/")
CASES = [case for case in cases() if case.tool in READ and case.exchanges and case.answer]


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


def spoilt_cases(case: Case) -> Iterator[Case]:
    odds = cycle(ODD)
    for number, exchange in enumerate(case.exchanges):
        reply = exchange.get("reply")
        if isinstance(reply, dict) and any(part in exchange["request"] for part in OF_CODE):
            for path in islice(places(reply), 0, None, 2):
                exchanges: list[Any] = [{"reply": entry.get("reply")} for entry in case.exchanges]
                exchanges[number] = {"reply": spoilt(reply, path, next(odds))}
                more = [{"reply": {"count": 0, "value": []}}] * 9
                yield Case(case.name, case.tool, case.arguments, [*exchanges, *more], None, None)


@Sweep("case", CASES, ids=lambda case: case.name, every=3)
async def test_an_odd_value_is_no_incident(case: Case, scripted: Scripted, player: Caller) -> None:
    for odd in spoilt_cases(case):
        scripted.play(odd, by_turns=True)
        result = await player.call(odd.tool, **odd.arguments)
        assert "incident" not in result["content"][0]["text"].lower(), odd.exchanges
