"""One call of each tool that changes apps, Service Bus or Cosmos DB, at a bakery where all of it can be done."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from tests.fakes.azure.estate import Resource
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.world import OVEN, SHOP

Json = dict[str, Any]

WEB: Final = f"{SHOP}/providers/Microsoft.Web/sites/shop-web"
ORDERS: Final = f"{SHOP}/providers/Microsoft.Web/sites/shop-orders"
PLAN: Final = f"{SHOP}/providers/Microsoft.Web/serverFarms/shop-plan"
WORKER: Final = f"{OVEN}/providers/Microsoft.App/containerApps/oven-worker"
BUS: Final = f"{OVEN}/providers/Microsoft.ServiceBus/namespaces/oven-bus"
RECIPES: Final = f"{OVEN}/providers/Microsoft.DocumentDB/databaseAccounts/oven-recipes"
GROUP: Final = OVEN.rpartition("/")[2]
PAYMENT: Final = "a-new-Secret-0f-the-baker"


@dataclass(frozen=True)
class Doing:
    """A call; the request by which it is done; and whether one can see afterwards that it was."""

    arguments: Json
    method: str
    part: str
    can_be_seen: bool = True
    # What it is about, of which a lock keeps it from being done.
    of: str = ""
    # The same call of something that is not there.
    absent: Json = field(default_factory=dict)


_WEB: Final = {"app": WEB}
_NO_WEB: Final = {"app": f"{SHOP}/providers/Microsoft.Web/sites/none"}
_QUEUE: Final = {"namespace": "oven-bus", "entity": "orders"}
_NO_QUEUE: Final = {"namespace": "oven-bus", "entity": "none"}
_RULE: Final = {"namespace": "oven-bus", "topic": "baked", "topic_subscription": "kitchen", "rule": "only-rye"}
_NO_RULE: Final = {**_RULE, "topic_subscription": "none"}
_BREADS: Final = {"account": "oven-recipes", "database": "recipes", "container": "breads"}
_NO_BREADS: Final = {**_BREADS, "container": "none"}
_NOWHERE: Final = {"resource_group": "nowhere"}

DOINGS: Final[dict[str, Doing]] = {
    "restart_app": Doing(_WEB, "POST", "/restart", can_be_seen=False, of=WEB, absent=_NO_WEB),
    "start_app": Doing(_WEB, "POST", "/start", of=WEB, absent=_NO_WEB),
    "stop_app": Doing({"app": ORDERS}, "POST", "/stop", of=ORDERS, absent=_NO_WEB),
    "scale_app": Doing({**_WEB, "instances": 4}, "PUT", "/serverfarms/shop-plan", of=PLAN, absent=_NO_WEB),
    "swap_app_slots": Doing(
        {**_WEB, "slot": "staging"}, "POST", "/slotsswap", of=WEB, absent={**_NO_WEB, "slot": "staging"}
    ),
    "set_app_settings": Doing(
        {**_WEB, "values": {"PAYMENT_KEY": PAYMENT}},
        "PUT",
        "/config/appsettings",
        of=WEB,
        absent={**_NO_WEB, "values": {"A": PAYMENT}},
    ),
    "roll_back_app": Doing({"app": WORKER}, "PATCH", "/containerapps/oven-worker", of=WORKER, absent=_NO_WEB),
    "create_servicebus_entity": Doing(
        {"namespace": "oven-bus", "entity": "flour", "settings": {"most_deliveries": 5}},
        "PUT",
        "/queues/flour",
        of=BUS,
        absent={"namespace": "none", "entity": "flour"},
    ),
    "update_servicebus_entity": Doing(
        {**_QUEUE, "settings": {"most_deliveries": 5}},
        "PUT",
        "/queues/orders",
        of=BUS,
        absent={**_NO_QUEUE, "settings": {"most_deliveries": 5}},
    ),
    "delete_servicebus_entity": Doing(_QUEUE, "DELETE", "/queues/orders", of=BUS, absent=_NO_QUEUE),
    "set_servicebus_rule": Doing(
        {**_RULE, "sql": "weight > 900"}, "PUT", "/rules/only-rye", of=BUS, absent={**_NO_RULE, "sql": "weight > 900"}
    ),
    "delete_servicebus_rule": Doing(_RULE, "DELETE", "/rules/only-rye", of=BUS, absent=_NO_RULE),
    "create_servicebus_namespace": Doing(
        {"namespace": "mill-bus", "resource_group": GROUP, "location": "westeurope"},
        "PUT",
        "/namespaces/mill-bus",
        of=OVEN,
        absent={"namespace": "mill-bus", "location": "westeurope", **_NOWHERE},
    ),
    "update_servicebus_namespace": Doing(
        {"namespace": "oven-bus", "keys_allowed": False},
        "PATCH",
        "/namespaces/oven-bus",
        of=BUS,
        absent={"namespace": "none", "keys_allowed": False},
    ),
    "delete_servicebus_namespace": Doing(
        {"namespace": "oven-bus"}, "DELETE", "/namespaces/oven-bus", of=BUS, absent={"namespace": "none"}
    ),
    "create_cosmosdb_account": Doing(
        {"account": "mill-recipes", "resource_group": GROUP, "location": "westeurope"},
        "PUT",
        "/databaseaccounts/mill-recipes",
        of=OVEN,
        absent={"account": "mill-recipes", "location": "westeurope", **_NOWHERE},
    ),
    "update_cosmosdb_account": Doing(
        {"account": "oven-recipes", "consistency": "Eventual"},
        "PATCH",
        "/databaseaccounts/oven-recipes",
        of=RECIPES,
        absent={"account": "none", "consistency": "Eventual"},
    ),
    "delete_cosmosdb_account": Doing(
        {"account": "oven-recipes"}, "DELETE", "/databaseaccounts/oven-recipes", of=RECIPES, absent={"account": "none"}
    ),
    "create_cosmosdb_database": Doing(
        {"account": "oven-recipes", "database": "cakes", "up_to": 4000},
        "PUT",
        "/sqldatabases/cakes",
        of=RECIPES,
        absent={"account": "none", "database": "cakes"},
    ),
    "create_cosmosdb_container": Doing(
        {**_BREADS, "container": "rolls", "partition_key": ["/tenant", "/day"], "ttl": 3600},
        "PUT",
        "/containers/rolls",
        of=RECIPES,
        absent={**_BREADS, "database": "none", "partition_key": ["/a"]},
    ),
    "update_cosmosdb_container": Doing(
        {**_BREADS, "ttl": 60}, "PUT", "/containers/breads", of=RECIPES, absent={**_NO_BREADS, "ttl": 60}
    ),
    "set_cosmosdb_throughput": Doing(
        {"account": "oven-recipes", "database": "recipes", "up_to": 8000},
        "PUT",
        "/throughputsettings/default",
        of=RECIPES,
        absent={"account": "oven-recipes", "database": "none", "up_to": 8000},
    ),
    "delete_cosmosdb_database": Doing(
        {"account": "oven-recipes", "database": "baking"},
        "DELETE",
        "/sqldatabases/baking",
        of=RECIPES,
        absent={"account": "oven-recipes", "database": "none"},
    ),
    "delete_cosmosdb_container": Doing(_BREADS, "DELETE", "/containers/breads", of=RECIPES, absent=_NO_BREADS),
}


def at_work() -> FakeAzure:
    """The bakery, at which a container app has several revisions, and recipes are counted."""
    azure = FakeAzure()
    azure.estate.resources[WEB.lower()].properties["state"] = "Stopped"
    worker = azure.estate.resources[WORKER.lower()]
    ingress = {"external": True, "traffic": [{"revisionName": "oven-worker--p0d3b1a", "weight": 100}]}
    worker.properties["configuration"] = {"activeRevisionsMode": "Multiple", "ingress": ingress}
    for name, weight in (("oven-worker--p0d3b1a", 100), ("oven-worker--k8s2f4c", 0)):
        azure.estate.resources[f"{WORKER}/revisions/{name}".lower()].properties["trafficWeight"] = weight
    count_recipes(azure)
    return azure


def count_recipes(azure: FakeAzure, items: int = 4120, size: int = 80 * 1024 * 1024) -> None:
    """Let the metrics of the account tell so much of its containers."""
    metrics = azure.monitor.metrics
    at = datetime.now(UTC) - timedelta(minutes=10)
    for name, value in (("DocumentCount", items), ("DataUsage", size)):
        metrics.define(
            "Microsoft.DocumentDB/databaseAccounts", name, "Count", "Total", ["DatabaseName", "CollectionName"]
        )
        metrics.add(RECIPES, name, [(at, float(value))], DatabaseName="recipes", CollectionName="breads")


def resource(azure: FakeAzure, place: str) -> Resource:
    return azure.estate.resources[place.lower()]
