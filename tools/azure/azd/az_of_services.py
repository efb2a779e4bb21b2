"""Changes of Cosmos DB and Service Bus, as commands of az."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tools.azure.azd.az_forms import GONE, IN_GROUP, LOCATION, NAME, RESOURCE_GROUP, must
from tools.azure.azd.command_lines import Known, Option, matching

_OF_GROUP: Final = {"resource_group": RESOURCE_GROUP}
_SETTING: Final = matching(r"[\w.]{1,100}=[\w .:/,-]{1,300}", "maxDeliveryCount=5: a property and its value")
_KEY: Final = matching(r"/[\w/]{1,200}", "/tenantId")
_CONSISTENCY: Final = matching(
    r"Strong|BoundedStaleness|Session|ConsistentPrefix|Eventual", "Session, or another level of consistency"
)

_COSMOS: Final = {"name": must("--name", NAME), **_OF_GROUP}
_DATABASE: Final = {
    "name": must("--account-name", NAME),
    **_OF_GROUP,
    "database_name": must("--name", NAME),
}
_IN_DATABASE: Final = {
    "name": must("--account-name", NAME),
    **_OF_GROUP,
    "database_name": must("--database-name", NAME),
}
_READ: Final = "show_resource of the account"

COSMOS: Final[Mapping[str, Known]] = {
    "create-cosmosdb-account": Known(
        "az cosmosdb create", "Makes a Cosmos DB account. It costs while it is there.", IN_GROUP, _READ, _COSMOS
    ),
    "update-cosmosdb-account": Known(
        "az cosmosdb update",
        "Sets the default consistency of an account. Others have options of their own: `az cosmosdb update -h`.",
        IN_GROUP,
        _READ,
        {**_COSMOS, "set": Option("--default-consistency-level", _CONSISTENCY)},
    ),
    "delete-cosmosdb-account": Known(
        "az cosmosdb delete",
        f"Deletes a Cosmos DB account. {GONE} It asks before.",
        IN_GROUP,
        "list_resources",
        _COSMOS,
    ),
    "create-cosmosdb-sql-database": Known(
        "az cosmosdb sql database create", "Makes a database for the NoSQL API.", IN_GROUP, _READ, _DATABASE
    ),
    "create-cosmosdb-mongodb-database": Known(
        "az cosmosdb mongodb database create", "Makes a database for the MongoDB API.", IN_GROUP, _READ, _DATABASE
    ),
    "create-cosmosdb-sql-container": Known(
        "az cosmosdb sql container create",
        "Makes a container. Its partition key stays as it is made.",
        IN_GROUP,
        _READ,
        {
            **_IN_DATABASE,
            "container_name": must("--name", NAME),
            "partition_key_path": must("--partition-key-path", _KEY),
        },
    ),
    "create-cosmosdb-mongodb-collection": Known(
        "az cosmosdb mongodb collection create",
        "Makes a collection. Its shard key stays as it is made.",
        IN_GROUP,
        _READ,
        {
            **_IN_DATABASE,
            "collection_name": must("--name", NAME),
            "shard": must("--shard", matching(r"[\w.]{1,200}", "tenantId")),
        },
        renamed={"account_name": "name"},
    ),
}

_NAMESPACE: Final = {"name": must("--name", NAME), **_OF_GROUP}
_IN_NAMESPACE: Final = {"namespace_name": must("--namespace-name", NAME), **_OF_GROUP}
_IN_TOPIC: Final = {**_IN_NAMESPACE, "topic_name": must("--topic-name", NAME)}
# By what the public extension calls them: the words of az, and what names one.
_ENTITIES: Final[Mapping[str, tuple[str, Mapping[str, Option]]]] = {
    "namespace": ("az servicebus namespace", _NAMESPACE),
    "queue": ("az servicebus queue", {**_IN_NAMESPACE, "queue_name": must("--name", NAME)}),
    "topic": ("az servicebus topic", {**_IN_NAMESPACE, "topic_name": must("--name", NAME)}),
    "subscription": ("az servicebus topic subscription", {**_IN_TOPIC, "subscription_name": must("--name", NAME)}),
}
_SHOWN: Final = "show_resource of the namespace"


def _changes_of(entity: str) -> Mapping[str, Known]:
    words, named = _ENTITIES[entity]
    where = {"location": must("--location", LOCATION)} if entity == "namespace" else {}
    made = {**named, **where}
    changed = {**named, "set": Option("--set", _SETTING)}
    return {
        f"create-servicebus-{entity}": Known(
            f"{words} create", f"Makes a {entity} of Service Bus.", IN_GROUP, _SHOWN, made
        ),
        f"update-servicebus-{entity}": Known(
            f"{words} update", f"Sets a property of a {entity} of Service Bus.", IN_GROUP, _SHOWN, changed
        ),
        f"delete-servicebus-{entity}": Known(
            f"{words} delete", f"Deletes a {entity} of Service Bus. Its messages are lost.", IN_GROUP, _SHOWN, named
        ),
    }


SERVICE_BUS: Final[Mapping[str, Known]] = {
    name: known for entity in _ENTITIES for name, known in _changes_of(entity).items()
}
