"""Clients that know tasks and clients that do not are told the same story of the same work."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Final, Literal

from mcp.client import Client
from mcp.client.extension import ClaimContext, ClientExtension, ResultClaim
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, Request, RequestParams, Result
from pydantic import Field

from tests.e2e.visits import VERSIONS, Json, Visit, inspector
from tests.fakes.updates.api import UpdatesApi
from tests.npm import Packages
from tests.offline import offline
from tests.updates.syncing import record
from tests.warm.app import serving

PROJECT: Final = Path(__file__).parents[2]
WANTED: Final = {"tool": "azure-updates", "command": "refresh_azure_updates", "parameters": {"full": True}}
# It looks again without a pause, so that is often.
_MOST_LOOKS: Final = 20_000


class Begun(Result):
    result_type: Literal["task"] = Field("task", alias="resultType")
    task_id: str = Field(alias="taskId")


class OfATask(RequestParams):
    task_id: str = Field(alias="taskId")


class GetTask(Request[OfATask, Literal["tasks/get"]]):
    method: Literal["tasks/get"] = "tasks/get"
    params: OfATask
    name_param: ClassVar[str | None] = "taskId"


class Told(Result):
    status: str
    result: dict[str, Any] | None = None


class KnowsTasks(ClientExtension):
    identifier = "io.modelcontextprotocol/tasks"

    def claims(self) -> Sequence[ResultClaim[Any]]:
        return [ResultClaim(result_type="task", model=Begun, resolve=self.followed)]

    async def followed(self, begun: Begun, context: ClaimContext) -> CallToolResult:
        for _ in range(_MOST_LOOKS):
            told = await context.session.send_request(GetTask(params=OfATask(taskId=begun.task_id)), Told)
            if told.status == "completed":
                return CallToolResult.model_validate(told.result)
        raise AssertionError(f"It is still {told.status}")


async def told_with_tasks(url: str) -> Json:
    async with Client(streamable_http_client(url), extensions=[KnowsTasks()]) as client:
        return (await client.call_tool("azure_change", WANTED)).structured_content


async def told_by_a_tool(url: str) -> Json:
    async with Client(streamable_http_client(url)) as client:
        begun: Json = (await client.call_tool("azure_change", WANTED)).structured_content
        for _ in range(_MOST_LOOKS):
            told: Json = (await client.call_tool(begun["next"]["call"], begun["next"]["arguments"])).structured_content
            if told["state"] == "completed":
                return told["result"]
    raise AssertionError(f"It is still {told}")


def told_by_the_inspector(url: str, packages: Packages) -> Json:
    seen = inspector(packages, "modern")(Visit(url, [("tools/call", {"name": "azure_change", "arguments": WANTED})]))
    assert seen.version == VERSIONS["modern"]
    return seen.results[0]["structuredContent"]


async def stories(folder: Path, packages: Packages, feed: str) -> list[Json]:
    with serving(PROJECT, settings=offline(folder) | {"UPDATES_API_URL": feed}) as url:
        by_protocol = await told_with_tasks(f"{url}/mcp")
        by_tool = await told_by_a_tool(f"{url}/mcp")
        return [by_protocol, by_tool, told_by_the_inspector(f"{url}/mcp", packages)]


async def test_whoever_begins_a_full_sync_is_told_the_same_of_it(tmp_path: Path, packages: Packages) -> None:
    async with UpdatesApi([record(1), record(2)]).serving() as feed:
        told = await asyncio.to_thread(asyncio.run, stories(tmp_path, packages, feed))
    assert [one["received"] for one in told] == [2, 2, 2]
    assert len({frozenset(one) for one in told}) == 1
