"""Calls that change Azure, for attacks on their approval."""

from __future__ import annotations

from typing import Any, Final

from mcp_server.catalog.catalog import Catalog
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.world import DEVELOPMENT, PRODUCTION
from tests.tools.azure.deploying.templates import site, template
from tests.tools.azure.resource_changes.scenes import SITE
from tests.tools.azure.team import Team
from tools import SURFACE, TOOLSETS
from tools.azure.settings import AzureSettings
from tools.vocabulary import VOCABULARY

Json = dict[str, Any]
WORD: Final = "hunter2-of-the-bakery"
WHOLE: Final = Catalog(TOOLSETS, SURFACE, vocabulary=VOCABULARY)
GROUP: Final = {"resource_group": "shop-prod", "subscription": PRODUCTION}
SHUT: Final = AzureSettings(subscription=PRODUCTION, allowed_groups=frozenset({f"{PRODUCTION}/shop-prod"}))
ELSEWHERE: Final = f"/subscriptions/{DEVELOPMENT}/resourceGroups/shop-dev"


def written(azure: FakeAzure) -> list[str]:
    """What reached the service and changes something."""
    acts = ("/restart", "/moveresources", "/slotsswap", "/cancel")
    return [
        f"{one.method} {one.path}"
        for one in azure.asked
        if one.method in {"PUT", "PATCH", "DELETE"} or one.path.lower().endswith(acts)
    ]


def patch(body: Json, path: str = SITE, **more: Any) -> Json:
    return {"tool": "change_azure", "method": "PATCH", "path": path, "body": body, **more}


def deploy(document: Json, **more: Any) -> Json:
    return {"tool": "deploy_template", "template": document, **GROUP, **more}


HTTPS: Final = {"properties": {"httpsOnly": True}}
TAGS: Final = {"tags": {"owner": "ada"}}
PASSWORD: Final = {"type": "securestring"}
TITLED: Final = template(site(), parameters={"title": {"type": "string", "defaultValue": "a"}, "password": PASSWORD})


async def sent(them: Team, name: str, call: Json) -> Json:
    arguments = {key: value for key, value in call.items() if key != "tool"}
    result: Json = await them.member(name).call(call["tool"], **arguments)
    return result


async def words_of(them: Team, name: str, call: Json) -> str:
    return str((await sent(them, name, call))["content"][0]["text"])


OF_THE_SITE: Final = {
    "delete_azure_resource": {"tool": "delete_azure_resource", "resource_id": SITE},
    "DELETE": {"tool": "change_azure", "method": "DELETE", "path": SITE},
    "PATCH": patch(HTTPS),
    "POST": {"tool": "change_azure", "method": "POST", "path": f"{SITE}/restart"},
}
