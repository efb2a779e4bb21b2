"""The fixed requirements for Azure DevOps and the workbench. Each test is named after the id of its requirement."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from identity.toolset_names import PACKS
from mcp_server.http import rest, rest_resources
from mcp_server.http.messages import HttpAnswer, HttpRequest
from tests.mcp_server.caller import Caller, post
from tests.mcp_server.records import Records
from tests.promises.place import Place
from tests.tools.azure_devops.data import expected_tools, with_data

NAMES: Final = """
    cosmos_db_query cosmos_db_read cosmos_db_insert cosmos_db_update cosmos_db_delete
    azure_resource_list azure_resource_deploy azure_resource_delete
    git_clone git_commit git_push git_status docs_search docs_summarize translate send_metric
""".split()
RULE: Final = {"team": "a", "source": "10.0.0.1", "destination": "10.0.0.2"}
ROUTES: Final = Path(__file__).parents[2] / "function_app.py"


@with_data
async def test_ado_the_known_tools_are_all_there(caller: Caller) -> None:
    known = {tool["name"] for tool in expected_tools()}
    assert len(known) == 106
    assert known <= set(await replace(caller, toolsets="devops").tool_names())


async def test_eva_1_all_of_100_clients_at_once_are_answered(caller: Caller) -> None:
    calls = [caller.call("new_azure_firewall_rules", **RULE, port=port + 1) for port in range(100)]
    answers = await asyncio.gather(*calls)
    assert not [one for one in answers if one.get("isError")]
    assert len({one["structuredContent"]["yaml_content"] for one in answers}) == 100


@pytest.mark.parametrize(
    "route",
    ["mcp/initialize", "mcp/tools", "mcp/tools/execute", "tools", "tools/execute", "resources", "resources/{*uri}"],
)
def test_eva_2_routes(route: str) -> None:
    assert f'@app.route("{route}"' in ROUTES.read_text(encoding="utf-8")


def getting(path: str, headers: Mapping[str, str]) -> HttpRequest:
    return replace(post(b"", headers), method="GET", path=path)


CALL: Final = json.dumps({"tool": "new_azure_firewall_rules", "arguments": RULE}).encode()
REST: Final[dict[str, Callable[[Caller], Awaitable[HttpAnswer]]]] = {
    "initialize": lambda me: rest.initialize(me.endpoint, post(b'{"client_id": "me"}', me.headers)),
    "tools": lambda me: rest.list_tools(me.endpoint, getting("/tools", me.headers)),
    "resources": lambda me: rest_resources.answer_resources(me.endpoint, getting("/resources", me.headers)),
    "execute": lambda me: rest.execute(me.endpoint, post(CALL, me.headers)),
}


@pytest.mark.parametrize("name", REST)
async def test_eva_2_answers(caller: Caller, name: str) -> None:
    answer = await REST[name](caller)
    assert (answer.status, bool(json.loads(answer.body))) == (200, True)


async def test_eva_3_names(caller: Caller) -> None:
    chosen = replace(caller, headers={**caller.headers, "x-mcp-tools": ",".join(NAMES)})
    assert set(await chosen.tool_names()) == set(NAMES)


async def test_eva_4_sign_in_roles_and_records(everything: Place) -> None:
    tools = {tool.name: tool for tool in everything.tools}
    denied = await everything.stranger.direct(tools["write_resource"], {})
    assert (denied.status, "resource_metadata=" in denied.headers["www-authenticate"]) == (401, True)
    with Records.kept() as records:
        await everything.person("Reader").direct(tools["whoami"], {})
    assert [one["tool"] for one in records.all if "tool" in one] == ["whoami"]
    reader = Caller(everything.app.endpoint, "shelves", everything.person("Reader").headers)
    assert "write_resource" not in await reader.tool_names()


@pytest.mark.parametrize("pack", ["governance", "documentation", "localization"])
def test_eva_5_packs(pack: str) -> None:
    assert PACKS[pack]
