"""How people ask for what runs on Azure: apps, databases of Cosmos DB, queues of Service Bus."""

from __future__ import annotations

from typing import Final

SAYINGS: Final = {
    "list_apps": (
        "list web apps, list function apps, list container apps, which apps run in azure, which app services do we "
        "have, all apps and their state, is any app stopped, which aks clusters are there, az webapp list, az "
        "functionapp list, az containerapp list, az aks list, which runtimes do our apps use, quelles applications "
        "web avons nous, quels clusters aks avons nous, welche apps laufen, which python version do our apps run"
    ),
    "show_app": (
        "show the web app, show the function app, show the container app, show the aks cluster, is the web app "
        "running, which plan is the app on, host names of the app, names of the app settings, which settings does the"
        " function app have, slots of the web app, revisions of the container app, how is traffic split, node pools "
        "of the cluster, which kubernetes versions can we upgrade to, is a health check set, does the app use a "
        "managed identity, are the key vault references resolved, az webapp show, zeig mir die function app, montre "
        "moi l app service, which node pools has the cluster, node pools of the cluster and their size, runtime of "
        "the function app, which python does the function app run, minimum tls version of the web app, which app "
        "settings does it have, settings of the function app, settings of the container app, which settings does the "
        "function app 0 have"
    ),
    "list_app_deployments": (
        "recent deployments of the web app, what was deployed to the function app, who deployed the app last, which "
        "commit runs on the app service, did the last deployment of the app fail, log of the deployment of the app, "
        "when was the container app last deployed, az webapp log deployment show, list revisions of the container "
        "app, derniers deploiements de l app, wann wurde die web app zuletzt deployt, who deployed the web app last, "
        "who deployed it last and when, last deployment of the web app"
    ),
    "list_app_instances": (
        "instances of the web app, instances of the function app, replicas of the container app, how often did the "
        "container restart, is a replica crashing, state of the node pools, az containerapp replica list, az webapp "
        "list instances, wie viele replikate laufen"
    ),
    "show_app_logs": (
        "show the logs of the web app, last log lines of the app, console output of the app, which workspace has the "
        "logs of the app, where does the function app write its logs, what did the app write before it crashed, what "
        "did the container app print, zeig die logs der app, journaux de l application, tail the logs of the function"
        " app, stream the logs of the container, stream the logs of the web app, show the console log of the "
        "container app"
    ),
    "diagnose_app": (
        "why is the web app unhealthy, why does the container app crash, why is the function app down, what is wrong "
        "with the app, why did the app stop, diagnose the app service, why does the revision not start, is the aks "
        "cluster healthy, crash loop in the container app, pourquoi l app est elle en panne, warum ist die app kaputt"
    ),
    "list_cosmosdb_accounts": (
        "list cosmos db accounts, which cosmos accounts do we have, az cosmosdb list, cosmos accounts and their "
        "regions, which cosmos accounts are serverless, quels comptes cosmos avons nous, welche cosmos konten gibt es"
    ),
    "show_cosmosdb_account": (
        "show the cosmos db account, which api does the cosmos account speak, consistency level of cosmos, backup "
        "policy of the cosmos account, in which regions is cosmos, are keys allowed on cosmos, firewall of the "
        "cosmos account, az cosmosdb show, konsistenz des cosmos kontos"
    ),
    "list_cosmosdb_databases": (
        "list databases in cosmos db, databases of the cosmos account, mongodb databases of cosmos db, cassandra "
        "keyspaces, throughput of the cosmos database, az cosmosdb sql database list, welche datenbanken hat cosmos"
    ),
    "list_cosmosdb_containers": (
        "list containers in cosmos db, collections of the cosmos database, partition key of the cosmos container, "
        "indexing policy of the container in cosmos, how many request units does the container have, is autoscale "
        "on, ttl of the cosmos container, az cosmosdb sql container list, cle de partition du conteneur cosmos"
    ),
    "list_servicebus_namespaces": (
        "list service bus namespaces, which service bus namespaces do we have, az servicebus namespace list, service "
        "bus in this group, welche service bus namespaces gibt es, quels espaces de noms service bus"
    ),
    "show_servicebus_namespace": (
        "show the service bus namespace, queues of the service bus, topics of the service bus, how many messages "
        "are in the service bus queues, az servicebus queue list, az servicebus topic list, is zone redundancy on "
        "for the service bus, welche queues hat der service bus"
    ),
    "show_servicebus_entity": (
        "show the service bus queue, subscriptions of the topic, rules of the subscription, sql filter of the topic "
        "subscription, max delivery count of the queue, lock duration of the queue, how many messages wait in the "
        "service bus queue, az servicebus queue show, az servicebus topic subscription list, time to live of "
        "messages, what is the lock duration of the service bus queue, lock duration of the subscription, max "
        "delivery count of the service bus queue"
    ),
    "find_dead_letters": (
        "where do dead letters pile up, which queues have dead letters, dead letter counts, how many dead letters are"
        " there, dead lettered messages over all namespaces, wo liegen dead letters, ou s accumulent les lettres "
        "mortes, do we have dead letters anywhere, dead letters in the service bus queue, how many dead letters has "
        "the queue, which service bus queues have dead letters"
    ),
    "peek_servicebus_messages": (
        "peek the service bus queue, look at the dead letters of the queue, look at messages in the service bus "
        "queue, show the dead letters of the queue, why was the message dead lettered, what is in the dead letter "
        "queue, peek dead letters without taking them, messages of the topic subscription, zeig mir die dead letters,"
        " montre les messages du service bus, let me look at the dead letters of the orders queue, look at the dead "
        "letters, read the dead letters of the queue, show me a dead letter"
    ),
}
