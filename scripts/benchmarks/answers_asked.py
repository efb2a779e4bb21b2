"""Prints the number of tokens in the tools' answers. The tools come from the checkout that Python imports.

Run this file with `python -P` and the URLs of two fake services.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

from azure.core.pipeline.transport import AioHttpTransport

from clients.azure.cloud import cloud_named
from tests.fakes.azure.people import OWNER
from tests.mcp_server.caller import Caller
from tests.tools.azure import calling as azure
from tests.tools.azure_devops import calling as azure_devops

_BYTES_OF_A_TOKEN: Final = 4
# In earlier commits, the module has the second of these names.
_SETTINGS: Final = "tools.azure.settings" if find_spec("tools.azure.settings") else "tools.azure.declared"
_NAME: Final = "Bakery Production"
_OF_NAME: Final = {"subscription": _NAME}
_AZURE: Final[Mapping[str, Mapping[str, Any]]] = {
    "query_resource_graph": {**_OF_NAME, "query": "resources | project id, name, type, location, tags"},
    "show_resource": {"resource_id": "shop-web"},
    "list_resources": _OF_NAME,
    "list_resource_changes": {**_OF_NAME, "since": "7d"},
    "list_activity_log": {**_OF_NAME, "since": "7d"},
    "query_logs": {"source": "bakery-logs", "query": "AppRequests | take 60", "since": "7d", "max_results": 60},
    "list_role_assignments": _OF_NAME,
    "list_azure_deployments": {**_OF_NAME, "resource_group": "shop-prod"},
    "list_storage_accounts": _OF_NAME,
    "list_apps": _OF_NAME,
    "show_app": {"app": "shop-web"},
    "list_advisor_recommendations": _OF_NAME,
}
_AZURE_DEVOPS: Final[Mapping[str, Mapping[str, Any]]] = {
    "list_builds": {"project": "Web"},
    "list_pull_requests": {"project": "Web", "repository": "shop"},
    "get_pull_request_comments": {"project": "Web", "repository": "shop", "pullRequestId": 1},
}


async def main(azure_url: str, azure_devops_url: str) -> None:
    settings, transport = import_module(_SETTINGS).AzureSettings(subscription=_NAME), AioHttpTransport()
    async with azure.calling(transport, settings, cloud=cloud_named(azure_url), who=OWNER.token) as caller:
        found = await _tokens(caller, _AZURE)
    async with azure_devops.calling(AioHttpTransport(), azure_devops_url) as caller:
        found |= await _tokens(caller, _AZURE_DEVOPS)
    print(json.dumps(found))


async def _tokens(caller: Caller, calls: Mapping[str, Mapping[str, Any]]) -> dict[str, float]:
    return {tool: await _of_answer(caller, tool, arguments) for tool, arguments in calls.items()}


async def _of_answer(caller: Caller, tool: str, arguments: Mapping[str, Any]) -> float:
    result = await caller.call(tool, **arguments)
    text: str = result["content"][0]["text"]
    if result["isError"]:
        raise RuntimeError(f"{tool}: {text}")
    return len(text.encode()) / _BYTES_OF_A_TOKEN


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
