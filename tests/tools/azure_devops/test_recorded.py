"""What the real service was recorded to answer is understood: lists and records lose nothing that a tool promises."""

from __future__ import annotations

import json
from typing import Any

import pytest

from clients.azure_devops.failures import refuse_failure
from clients.azure_devops.messages import DevOpsAnswer, DevOpsRequest
from refusal import Refusal
from tests.mcp_server.caller import Caller
from tests.tools.azure_devops.calling import TOOLS
from tests.tools.azure_devops.data import SPECIFICATION, recorded, with_data
from tests.tools.azure_devops.golden import Case, Scripted, recordings

pytestmark = with_data

BY_NAME = {tool.name: tool for tool in TOOLS}
ERRORS = list(recorded("errors")) if SPECIFICATION.exists() else []
CASES = recordings()


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['tool']}-{case['recording']}")
async def test_a_recorded_answer_shows_what_the_tool_promises(
    case: dict[str, Any], scripted: Scripted, player: Caller
) -> None:
    tool, arguments, promised = case["tool"], case.get("arguments", {}), set(case["shows"])
    [(_, recording)] = recorded("recorded", case["recording"])
    body = recording["response"]["body"]
    scripted.play(Case(tool, tool, arguments, [{"reply": body}], None, None), by_turns=True)
    result = await player.call(tool, **arguments)
    assert not result["isError"], result["content"][0]["text"]
    shown = result["structuredContent"]
    if "items" in shown:
        assert shown["count"] == len(body["value"])
        assert all(promised <= item.keys() for item in shown["items"])
    else:
        assert promised <= shown.keys()


@pytest.mark.parametrize(("name", "recording"), ERRORS, ids=[name for name, _ in ERRORS])
def test_a_recorded_failure_is_told_with_what_the_service_says(name: str, recording: Any) -> None:
    told = _told(recording)
    body = recording["response"]["body"]
    assert str(recording["response"]["status"]) in told
    if isinstance(body, dict) and "message" in body:
        assert " ".join(body["message"].split()).rstrip(".") in told
        assert body["typeKey"] in told or recording["response"]["status"] == 401
    assert "<" not in told, "a page is not what the service says"


def _told(recording: Any) -> str:
    response = recording["response"]
    headers = {name.title(): value for name, value in response["headers"].items()}
    body = response["body"]
    content = body.encode() if isinstance(body, str) else json.dumps(body).encode()
    with pytest.raises(Refusal) as refused:
        refuse_failure(
            DevOpsRequest(f"{recording['request']['method']} /x"), DevOpsAnswer(response["status"], headers, content)
        )
    return str(refused.value)
