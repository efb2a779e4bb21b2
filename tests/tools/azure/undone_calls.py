"""Changes of Azure that one call undoes, which is sent in tests."""

from __future__ import annotations

from typing import Any, Final

from tests.fakes.azure.people import READER
from tests.fakes.azure.world import OVEN, SHOP
from tests.tools.azure.running_changes import WORKER

Json = dict[str, Any]
KEY: Final = {"vault": "oven-secrets", "kind": "secret", "name": "orders-connection"}
_BREADS: Final = {"account": "oven-recipes", "database": "recipes", "container": "breads"}
_GRANTED: Final = {"principal": READER.id, "role": "Contributor", "resource_group": "oven-prod"}
_BAKER: Final = {"actions": ["Microsoft.Web/sites/read"], "description": "Bakes."}
_TAGGED: Final = {"resource_ids": [f"{SHOP}/providers/Microsoft.Web/sites/shop-web"]}

# What running services do, where one call undoes it.
RUNNING: Final = (
    "start_app",
    "stop_app",
    "scale_app",
    "swap_app_slots",
    "set_app_settings",
    "roll_back_app",
    "create_servicebus_entity",
    "update_servicebus_entity",
    "set_servicebus_rule",
    "delete_servicebus_rule",
    "create_servicebus_namespace",
    "update_servicebus_namespace",
    "create_cosmosdb_account",
    "update_cosmosdb_account",
    "create_cosmosdb_database",
    "create_cosmosdb_container",
    "set_cosmosdb_throughput",
)
_CHANGED: Final = {"role": "Baker", "actions": ["Microsoft.Web/*"], "new_name": "Chief", "description": ""}
SEEN: Final = {
    "move_resources POST",
    "undelete_resource PUT",
    "delete_resource_lock DELETE",
    "change_azure PUT",
}
OTHERS: Final[tuple[tuple[str, Json], ...]] = (
    ("scale_app", {"app": WORKER, "least": 2, "most": 5}),
    ("create_resource_group", {"resource_group": "mill-prod", "location": "westeurope"}),
    ("tag_resources", {**_TAGGED, "tags": {"owner": "ada"}}),
    ("tag_resources", {"resource_ids": [SHOP], "tags": {"environment": "none"}}),
    ("tag_resources", {"resource_ids": [SHOP, OVEN], "tags": {"owner": "ada"}}),
    ("tag_resources", {"resource_ids": [SHOP], "tags": {}, "mode": "replace"}),
    ("create_resource_lock", {"name": "keep", "notes": "Ask Ada.", "resource_group": "oven-prod"}),
    ("enable_keyvault_item", {**KEY, "enabled": False}),
    ("assign_role", {"principal": READER.id, "role": "Contributor", "resource_group": "oven-prod"}),
    ("update_cosmosdb_container", {**_BREADS, "indexing": {"indexingMode": "consistent", "automatic": True}}),
    ("create_storage_account", {"account": "bakerynew", "resource_group": "oven-prod", "location": "westeurope"}),
    ("create_container", {"account": "bakeryshop", "container": "fresh"}),
    ("delete_keyvault", {"vault": "oven-secrets"}),
    ("create_role_definition", {"name": "Baker", "actions": ["Microsoft.Web/sites/read"]}),
)


# What undoes something that has to be done before.
AFTER: Final[tuple[tuple[str, Json, str, Json], ...]] = (
    ("assign_role", {**_GRANTED, "description": "For a day."}, "remove_role_assignment", _GRANTED),
    ("create_role_definition", {"name": "Baker", **_BAKER}, "update_role_definition", _CHANGED),
    ("delete_keyvault_item", KEY, "recover_keyvault_item", KEY),
    ("delete_keyvault", {"vault": "oven-secrets"}, "recover_keyvault", {"vault": "oven-secrets"}),
)


_CATALOG: Final = {"account": "bakeryshop", "container": "catalog"}
OF_BLOBS: Final[dict[str, dict[str, Any]]] = {
    "upload_blob": {**_CATALOG, "blob": "new.csv", "text": "bread,4"},
    "delete_blob": {**_CATALOG, "blob": "prices.csv"},
    "undelete_blob": {**_CATALOG, "blob": "gone.csv"},
    "set_blob_tier": {**_CATALOG, "blob": "prices.csv", "tier": "Cool"},
}


SENT: Final = {
    *RUNNING,
    *OF_BLOBS,
    *(tool for tool, _ in OTHERS),
    *(tool for pair in AFTER for tool in (pair[0], pair[2])),
    *(name.partition(" ")[0] for name in SEEN),
}
