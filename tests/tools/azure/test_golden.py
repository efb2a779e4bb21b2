"""Every tool sends the requests that were agreed, and makes of the answers what was agreed."""

from __future__ import annotations

import pytest

from mcp_server.declarations.toolset import Tool
from tests.mcp_server.caller import Caller
from tests.tools.azure.calling import TOOLS
from tests.tools.azure.golden import Case, Scripted, cases, expected, seen
from tools.azure.azd.templates import UNTRUSTED as GALLERY_UNTRUSTED
from tools.azure.shared.answers import UNTRUSTED

CASES = cases()
# What is in the token of the caller is known, and the index of operations is kept.
ASKING_NOTHING = {"show_user", "find_azure_operation", "list_azd_templates", "write_azd_command", "write_az_command"}
# What is written here comes from nobody else, and templates from a public gallery.
OTHER_NOTICES = {
    "list_azd_templates": {"untrusted": GALLERY_UNTRUSTED},
    "write_azd_command": {},
    "write_az_command": {},
}

every_tool = pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
async def test_a_tool_asks_and_answers_as_agreed(case: Case, scripted: Scripted, player: Caller) -> None:
    scripted.play(case)
    result = await player.call(case.tool, **case.arguments)
    came = case.told_apart([seen(sent) for sent in scripted.sent])
    assert came == case.told_apart([expected(exchange) for exchange in case.exchanges])
    if case.told is not None:
        assert result["isError"]
        assert case.told in result["content"][0]["text"]
    else:
        assert not result["isError"], result["content"][0]["text"]
        notice = OTHER_NOTICES.get(case.tool, {"untrusted": UNTRUSTED})
        assert result["structuredContent"] == {**notice, **(case.answer or {})}


@every_tool
def test_every_tool_has_a_golden_request_and_a_golden_answer(tool: Tool) -> None:
    own = [case for case in CASES if case.tool == tool.name]
    assert any(case.exchanges for case in own) or tool.name in ASKING_NOTHING
    assert any(case.answer for case in own)


def test_no_golden_case_outlives_its_tool() -> None:
    assert {case.tool for case in CASES} == {tool.name for tool in TOOLS}
