"""One call of every tool here that changes something, and the request by which it does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.world import PRODUCTION, SHOP

SITE: Final = f"{SHOP}/providers/Microsoft.Web/sites/shop-orders"
WEB: Final = f"{SHOP}/providers/Microsoft.Web/sites/shop-web"
BREAD: Final = f"/subscriptions/{PRODUCTION}/resourceGroups/bread"
LOCK: Final = f"{BREAD}/providers/Microsoft.Authorization/locks/hold"
LOGS: Final = f"{SHOP}/providers/Microsoft.OperationalInsights/workspaces/shop-logs"
NET: Final = f"{BREAD}/providers/Microsoft.Network/networkSecurityGroups/rules"


@dataclass(frozen=True)
class Scene:
    """`part` is of the path of the request that changes something. What an action does is not to be seen afterwards."""

    tool: str
    arguments: Mapping[str, Any]
    method: str
    part: str
    is_seen: bool = True

    @property
    def name(self) -> str:
        return f"{self.tool} {self.method}"

    def sent(self, azure: FakeAzure) -> int:
        path = self.part.lower()
        return len([one for one in azure.asked if one.method == self.method and path in one.path.lower()])


SCENES: Final = (
    Scene("create_resource_group", {"resource_group": "rolls", "location": "westeurope"}, "PUT", "/rolls"),
    Scene("delete_resource_group", {"resource_group": "bread"}, "DELETE", "/bread"),
    Scene("tag_resources", {"resource_ids": [WEB], "tags": {"owner": "ada"}}, "PATCH", "/tags/default"),
    Scene(
        "tag_resources",
        {"resource_ids": [WEB], "tags": {"team": ""}, "mode": "delete"},
        "PATCH",
        "shop-web/providers/Microsoft.Resources/tags",
    ),
    Scene("move_resources", {"resource_ids": [SITE], "target_group": "bread"}, "POST", "/moveResources"),
    Scene("delete_azure_resource", {"resource_id": SITE}, "DELETE", "/shop-orders"),
    Scene("undelete_resource", {"resource_id": LOGS}, "PUT", "/shop-logs"),
    Scene("create_resource_lock", {"name": "new", "resource_id": SITE}, "PUT", "/locks/new"),
    Scene("delete_resource_lock", {"lock_id": LOCK}, "DELETE", "/locks/hold"),
    Scene("change_azure", {"method": "PUT", "path": NET, "body": {"location": "westeurope"}}, "PUT", "/rules"),
    Scene(
        "change_azure",
        {"method": "PATCH", "path": SITE, "body": {"properties": {"httpsOnly": True}}},
        "PATCH",
        "/shop-orders",
    ),
    Scene("change_azure", {"method": "DELETE", "path": SITE}, "DELETE", "/shop-orders"),
    Scene("change_azure", {"method": "POST", "path": f"{SITE}/restart"}, "POST", "/restart", is_seen=False),
)


def set_up(scene: Scene) -> FakeAzure:
    """The bakery, with an empty group `bread`; it is locked where a lock is to be lifted."""
    azure = FakeAzure()
    azure.estate.groups[BREAD.lower()] = {
        "id": BREAD,
        "name": "bread",
        "type": "Microsoft.Resources/resourceGroups",
        "location": "westeurope",
        "tags": {},
        "properties": {"provisioningState": "Succeeded"},
    }
    if scene.tool == "undelete_resource":
        kept = {"id": LOGS, "name": "shop-logs", "location": "westeurope"}
        azure.deleted.workspaces[LOGS] = {**kept, "properties": {"deletionDate": "2026-11-20T08:00:00Z"}}
    if scene.tool == "delete_resource_lock":
        azure.tags_and_locks.lock(BREAD, "CanNotDelete", "hold")
    return azure
