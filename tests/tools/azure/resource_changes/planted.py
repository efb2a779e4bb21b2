"""Twenty changes as somebody in a hurry meets them; ten hide something bad among a lot that is harmless."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tests.fakes.azure.people import NOBODY
from tests.fakes.azure.world import OVEN, SHOP

Json = dict[str, Any]
WEB: Final = f"{SHOP}/providers/Microsoft.Web/sites/shop-web"
_RULES: Final = f"{OVEN}/providers/Microsoft.Network/networkSecurityGroups/oven-control-rules"
_TEMPLATE: Final[Json] = {
    "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
    "contentVersion": "1.0.0.0",
    "resources": [],
}
_DEPLOYING: Final[Json] = {"resource_group": "shop-prod", "template": _TEMPLATE}
_OWNER: Final = "/providers/Microsoft.Authorization/roleDefinitions/8e3af657-a8ff-443c-a75c-2fe8c4bcb635"
_STRANGER: Final = "0b1ec7ed-0000-4000-8000-00000000beef"
_OPEN: Final[Json] = {
    "access": "Allow",
    "direction": "Inbound",
    "destinationPortRange": "22",
    "sourceAddressPrefix": "*",
    "protocol": "Tcp",
    "priority": 100,
}


@dataclass(frozen=True)
class Planted:
    """`told` is what a reader has to find within the first lines; `what_if` is what Azure says of a template."""

    name: str
    tool: str
    arguments: Mapping[str, Any]
    told: Sequence[str]
    what_if: Sequence[Json] | None = None
    locked: str = ""


def _changed(path: str, before: Any, after: Any, kind: str = "Modify") -> Json:
    return {"path": path, "propertyChangeType": kind, "before": before, "after": after}


def _modified(name: str, *changes: Json) -> Json:
    noise = [_changed(f"properties.siteConfig.limit{number}", number, number + 1) for number in range(12)]
    return {"resourceId": f"{SHOP}/providers/{name}", "changeType": "Modify", "delta": [*noise, *changes]}


def _created(name: str, **document: Any) -> Json:
    resource = f"{SHOP}/providers/{name}"
    return {
        "resourceId": resource,
        "changeType": "Create",
        "after": {"id": resource, "location": "westeurope", **document},
    }


def _deleted(name: str, **document: Any) -> Json:
    resource = f"{SHOP}/providers/{name}"
    return {"resourceId": resource, "changeType": "Delete", "before": {"id": resource, **document}}


_MORE: Final = [
    _created(f"Microsoft.Insights/metricAlerts/a{number}", properties={"text": "x" * 200}) for number in range(8)
]


def _deployed(name: str, told: Sequence[str], *changes: Json) -> Planted:
    return Planted(name, "deploy_template", _DEPLOYING, told, what_if=[*_MORE, *changes])


BAD: Final = (
    _deployed("a lost tag", ["tag costcenter removed (was 4711)"],
        _modified("Microsoft.Web/sites/shop-web", _changed("tags.costcenter", "4711", None, "Delete"))),
    _deployed("an opened port in a new group", ["ssh added: allows port 22 from anywhere"],
        _created("Microsoft.Network/networkSecurityGroups/nsg",
            properties={"flushConnection": False, "securityRules": [{"name": "ssh", "properties": _OPEN}]})),
    _deployed("a role for a stranger", ["role Owner for a user new to this subscription: 0b1ec7ed-"],
        _created("Microsoft.Authorization/roleAssignments/1",
            properties={"roleDefinitionId": _OWNER, "principalId": _STRANGER, "principalType": "User"})),
    _deployed("public blobs", ["allow blob public access added: yes"],
        _created("Microsoft.Storage/storageAccounts/pics", sku={"name": "Standard_LRS"},
            properties={"accessTier": "Hot", "allowBlobPublicAccess": True})),
    _deployed("a SKU downgrade", ["SKU: P1v3 → B1"],
        _modified("Microsoft.Web/serverfarms/shop-plan", _changed("sku.name", "P1v3", "B1"))),
    _deployed("shorter backups", ["backup retention days: 30 → 1"],
        _modified("Microsoft.Sql/servers/shop-sql", _changed("properties.backupRetentionDays", 30, 1))),
    _deployed("a deleted disk", ["disk orders deleted (was 256 GB"],
        _deleted("Microsoft.Compute/disks/orders", location="westeurope", properties={"diskSizeGB": 256})),
    Planted("a deleted lock", "delete_resource_lock",
        {"lock_id": f"{SHOP}/providers/Microsoft.Authorization/locks/keep"},
        ["Delete the lock keep on shop-prod (it prevents deletion)"], locked=SHOP),
    Planted("an opened port by its path", "change_azure",
        {"method": "PUT", "path": f"{_RULES}/securityRules/monitoring", "body": {"properties": _OPEN}},
        ["security rule monitoring", "(allows port 22 from anywhere)"],
        what_if=[{"resourceId": f"{_RULES}/securityRules/monitoring", "changeType": "Create",
            "after": {"name": "monitoring", "properties": _OPEN}}]),
    Planted("an owner", "assign_role", {"principal": NOBODY.id, "role": "Owner", "resource": SHOP},
        [NOBODY.id, "the role Owner"]),
)  # fmt: skip
GOOD: Final = (
    _deployed("a longer timeout", ["Deploy the template passed in the call to the group shop-prod"],
        _modified("Microsoft.Web/sites/shop-web", _changed("properties.timeout", 30, 60))),
    _deployed("more alerts", ["Deploy the template passed in the call to the group shop-prod"]),
    Planted("a tag", "tag_resources", {"resource_ids": [WEB], "tags": {"owner": "ada"}},
        ["Change tags of", "shop-web"]),
    Planted("a group", "create_resource_group", {"resource_group": "rolls", "location": "westeurope"},
        ["Create the resource group rolls in Bakery Production"]),
    Planted("a lock", "create_resource_lock", {"name": "new", "resource_id": WEB}, ["Lock shop-web (CanNotDelete)"]),
    Planted("HTTPS only", "change_azure",
        {"method": "PATCH", "path": WEB, "body": {"properties": {"httpsOnly": False}}},
        ["Change the app shop-web", "HTTPS only: yes → no"]),
    Planted("a restart", "restart_app", {"app": "shop-web"},
        ["Restart the web app shop-web", "Requests may fail or wait during the restart"]),
    Planted("a stop", "stop_app", {"app": "shop-web"},
        ["Stop the web app shop-web", "serves no requests until it is started"]),
    Planted("more instances", "scale_app", {"app": "shop-web", "instances": 3},
        ["Scale the App Service plan shop-plan", "instances: 2 → 3"]),
    Planted("a setting", "set_app_settings", {"app": "shop-web", "values": {"COLOR": "blue"}},
        ["Change the setting COLOR of the web app shop-web", "setting COLOR added: the value passed"]),
)  # fmt: skip
