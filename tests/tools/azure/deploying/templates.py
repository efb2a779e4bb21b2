"""Templates to deploy to the bakery."""

from __future__ import annotations

from typing import Any, Final

Json = dict[str, Any]

SCHEMA: Final = "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#"


def template(*resources: Json, parameters: Json | None = None, **more: Any) -> Json:
    known = parameters or {}
    return {"$schema": SCHEMA, "contentVersion": "1.0.0.0", "parameters": known, "resources": [*resources], **more}


def resource(kind: str, name: str, **more: Any) -> Json:
    return {"type": kind, "apiVersion": "2023-12-01", "name": name, "location": "westeurope", **more}


def site(name: str = "shop-web", **properties: Any) -> Json:
    return resource("Microsoft.Web/sites", name, properties=properties)


def vault(name: str = "bread-secrets") -> Json:
    return resource("Microsoft.KeyVault/vaults", name, properties={"sku": {"name": "standard"}})


def nested(group: str, inner: Json, **more: Any) -> Json:
    properties = {"mode": "Incremental", "template": inner, "expressionEvaluationOptions": {"scope": "inner"}}
    return resource("Microsoft.Resources/deployments", "inner", resourceGroup=group, properties=properties, **more)


# What it would change of the shop, and what it would add.
SHOP: Final = template(
    site(httpsOnly=False, note="[reference(resourceId('Microsoft.Web/sites', 'shop-web')).state]"),
    vault(),
    parameters={
        "title": {"type": "string", "defaultValue": "Shop"},
        "password": {"type": "securestring", "defaultValue": ""},
    },
    outputs={
        "title": {"type": "string", "value": "[parameters('title')]"},
        "count": {"type": "int", "value": 3},
        "word": {"type": "securestring", "value": "[parameters('password')]"},
    },
)
