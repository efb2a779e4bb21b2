"""Microsoft's clients of what runs: App Service, Container Apps, AKS, Cosmos DB and Service Bus."""

from __future__ import annotations

from typing import Any, Final

from azure.core.exceptions import HttpResponseError
from azure.mgmt.appcontainers import ContainerAppsAPIClient
from azure.mgmt.containerservice import ContainerServiceClient
from azure.mgmt.cosmosdb import CosmosDBManagementClient
from azure.mgmt.servicebus import ServiceBusManagementClient
from azure.mgmt.web import WebSiteManagementClient

from tests.fakes_judged.clients.management import CREDENTIAL, production
from tests.fakes_judged.clients.signed_in import ELSEWHERE

Json = Any
SHOP: Final = "shop-prod"
OVEN: Final = "oven-prod"


def _status(ask: Any) -> int | None:
    try:
        ask()
    except HttpResponseError as error:
        return error.status_code
    return 0


def sites() -> Json:
    apps = WebSiteManagementClient(CREDENTIAL, production(), **ELSEWHERE).web_apps
    deployments = list(apps.list_deployments(SHOP, "shop-orders"))
    references = apps.get_app_settings_key_vault_references(SHOP, "shop-orders")
    return {
        "names": [one.name for one in apps.list_by_resource_group(SHOP)],
        "state": apps.get(SHOP, "shop-web").state,
        "runtime": apps.get_configuration(SHOP, "shop-orders").linux_fx_version,
        "slots": [one.name for one in apps.list_slots(SHOP, "shop-web")],
        "instances": [one.state for one in apps.list_instance_identifiers(SHOP, "shop-web")],
        "functions": [one.name for one in apps.list_functions(SHOP, "shop-orders")],
        "deployments": [[one.status, one.author] for one in deployments],
        "references": [[one.name, one.status, one.secret_name] for one in references],
        "settings": list(apps.list_application_settings(SHOP, "shop-orders").properties),
        "log": b"".join(apps.get_web_site_container_logs(SHOP, "shop-web")).decode().splitlines()[-1],
        "missing": _status(lambda: apps.get(SHOP, "none")),
    }


def settings_seen() -> Json:
    apps = WebSiteManagementClient(CREDENTIAL, production(), **ELSEWHERE).web_apps
    return _status(lambda: apps.list_application_settings(SHOP, "shop-orders"))


def container_apps() -> Json:
    client = ContainerAppsAPIClient(CREDENTIAL, production(), api_version="2025-01-01", **ELSEWHERE)
    revisions = list(client.container_apps_revisions.list_revisions(OVEN, "oven-worker"))
    replicas = client.container_apps_revision_replicas.list_replicas(OVEN, "oven-worker", revisions[0].name)
    return {
        "names": [one.name for one in client.container_apps.list_by_resource_group(OVEN)],
        "revisions": [[one.name, str(one.health_state), one.active] for one in revisions],
        "restarts": [one.restart_count for replica in replicas.value for one in replica.containers],
        "logs": client.managed_environments.get(OVEN, "oven-apps").app_logs_configuration.destination,
    }


def clusters() -> Json:
    client = ContainerServiceClient(CREDENTIAL, production(), api_version="2025-08-01", **ELSEWHERE)
    upgrades = client.managed_clusters.get_upgrade_profile(OVEN, "oven-aks").control_plane_profile.upgrades
    return {
        "version": client.managed_clusters.get(OVEN, "oven-aks").kubernetes_version,
        "pools": [[one.name, one.orchestrator_version] for one in client.agent_pools.list(OVEN, "oven-aks")],
        "upgrades": [one.kubernetes_version for one in upgrades],
        "image": client.agent_pools.get_upgrade_profile(OVEN, "oven-aks", "bake").latest_node_image_version,
    }


def cosmos() -> Json:
    client = CosmosDBManagementClient(CREDENTIAL, production(), **ELSEWHERE)
    sql = client.sql_resources
    shared = sql.get_sql_database_throughput(OVEN, "oven-recipes", "recipes").resource
    breads = sql.get_sql_container(OVEN, "oven-recipes", "recipes", "breads").resource
    return {
        "level": str(client.database_accounts.get(OVEN, "oven-recipes").consistency_policy.default_consistency_level),
        "databases": [one.name for one in sql.list_sql_databases(OVEN, "oven-recipes")],
        "most": shared.autoscale_settings.max_throughput,
        "key": breads.partition_key.paths,
        "none": _status(lambda: sql.get_sql_database_throughput(OVEN, "oven-recipes", "baking")),
    }


def service_bus() -> Json:
    client = ServiceBusManagementClient(CREDENTIAL, production(), **ELSEWHERE)
    place = (OVEN, "oven-bus", "baked")
    rules = client.rules.list_by_subscriptions(*place, "kitchen")
    return {
        "names": [one.name for one in client.namespaces.list_by_resource_group(OVEN)],
        "dead": client.queues.get(OVEN, "oven-bus", "orders").count_details.dead_letter_message_count,
        "subscriptions": [[one.name, one.message_count] for one in client.subscriptions.list_by_topic(*place)],
        "rules": [one.sql_filter.sql_expression for one in rules],
        "missing": _status(lambda: client.queues.get(OVEN, "oven-bus", "none")),
    }


def app_changes() -> Json:
    apps = WebSiteManagementClient(CREDENTIAL, production(), **ELSEWHERE).web_apps
    before = apps.list_application_settings(SHOP, "shop-orders").properties
    told = apps.update_application_settings(SHOP, "shop-orders", {"properties": {**before, "COLOUR": "rye"}})
    apps.stop(SHOP, "shop-orders")
    stopped = apps.get(SHOP, "shop-orders").state
    apps.start(SHOP, "shop-orders")
    apps.restart(SHOP, "shop-orders")
    return {
        "added": sorted(set(told.properties) - set(before)),
        "states": [stopped, apps.get(SHOP, "shop-orders").state],
        "missing": _status(lambda: apps.restart(SHOP, "none")),
    }


def cosmos_changes() -> Json:
    """A container from when it is made to when it is deleted, with all that it may be let take in between."""
    sql = CosmosDBManagementClient(CREDENTIAL, production(), polling_interval=0, **ELSEWHERE).sql_resources
    place = (OVEN, "oven-recipes", "trial")
    sql.begin_create_update_sql_database(*place, {"properties": {"resource": {"id": "trial"}}}).result()
    resource = {"id": "doughs", "partitionKey": {"paths": ["/flour"], "kind": "Hash"}}
    wanted = {"properties": {"resource": resource, "options": {"throughput": 600}}}
    made = sql.begin_create_update_sql_container(*place, "doughs", wanted).result()

    def let(resource: Json) -> Any:
        wanted = {"properties": {"resource": resource}}
        return sql.begin_update_sql_container_throughput(*place, "doughs", wanted).result().resource

    steady = let({"throughput": 800}).throughput
    wrong = _status(lambda: let({"autoscaleSettings": {"maxThroughput": 6000}}))
    moved = sql.begin_migrate_sql_container_to_autoscale(*place, "doughs").result().resource
    raised = let({"autoscaleSettings": {"maxThroughput": 6000}})
    sql.begin_delete_sql_container(*place, "doughs").result()
    sql.begin_delete_sql_database(*place).result()
    return {
        "key": made.resource.partition_key.paths,
        "steady": steady,
        "wrong": wrong,
        "most": [one.autoscale_settings.max_throughput for one in (moved, raised)],
        "left": [one.name for one in sql.list_sql_databases(OVEN, "oven-recipes")],
    }


def bus_changes() -> Json:
    client = ServiceBusManagementClient(CREDENTIAL, production(), **ELSEWHERE)
    place = (OVEN, "oven-bus", "trial")
    made = client.topics.create_or_update(*place, {})
    below = client.subscriptions.create_or_update(*place, "tasters", {"properties": {"maxDeliveryCount": 4}})
    rule = {"properties": {"filterType": "SqlFilter", "sqlFilter": {"sqlExpression": "weight > 900"}}}
    heavy = client.rules.create_or_update(*place, "tasters", "heavy", rule)
    client.rules.delete(*place, "tasters", "heavy")
    client.subscriptions.delete(*place, "tasters")
    client.topics.delete(*place)
    return {
        "made": [made.name, below.max_delivery_count, heavy.sql_filter.sql_expression],
        "left": [one.name for one in client.topics.list_by_namespace(OVEN, "oven-bus")],
    }
