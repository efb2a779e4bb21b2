"""How people ask for changes of what runs on Azure: apps, queues of Service Bus, databases of Cosmos DB."""

from __future__ import annotations

from typing import Final

SAYINGS: Final = {
    "restart_app": (
        "restart the app service, restart the web app, restart the function app, restart the container app, bounce "
        "the web app, bounce the app service, restart the revision, az webapp restart, redemarre l application "
        "web, starte die web app neu, recycle the function app, reboot the app service, restart the app it hangs, "
        "the shop has to be restarted"
    ),
    "start_app": (
        "start the web app, start the function app again, start the container app, start the aks cluster, bring the "
        "stopped app back up, az webapp start, demarre l application web, turn the app service on"
    ),
    "stop_app": (
        "stop the app service, stop the web app, stop the function app, stop the container app, stop the aks "
        "cluster, take the web app down, az functionapp stop, arrete l application web, turn the app service off"
    ),
    "scale_app": (
        "scale the web app out, scale the web app to 0 instances, scale out the app service plan, scale up the "
        "plan to a bigger size, set max replicas of the container app, scale the container app to zero, min and "
        "max replicas of the container app, give the app service a bigger plan, az appservice plan update, az "
        "containerapp update min replicas, augmente le nombre d instances de l app, mehr replikate der app, more "
        "instances of the web app, give the app 0 instances, scale out to 0 instances"
    ),
    "swap_app_slots": (
        "swap the deployment slots, swap staging into production, swap the slots of the web app, promote the staging "
        "slot, what would differ if i swap the slots, az webapp deployment slot swap, echange les slots, tausche die "
        "slots der web app, put the staging slot live"
    ),
    "set_app_settings": (
        "set an app setting, change an app setting of the web app, add an app setting to the function app, remove "
        "an app setting, delete the app setting, set an environment variable of the web app, mark the app setting "
        "as a slot setting, az webapp config appsettings set, update the configuration value of the function app, "
        "change le parametre de l application web, setze eine einstellung der web app, set a flag to true on the "
        "function app, put a new key into the settings of the app, change the configuration of the app service"
    ),
    "roll_back_app": (
        "roll back the web app, roll back the container app, go back to the previous revision, undo the slot swap, "
        "swap the slots back, the new version of the app is broken bring back the old one, send all traffic to the "
        "old revision, activate the earlier revision, reviens a la version precedente de l app, rollback der web "
        "app"
    ),
    "create_servicebus_entity": (
        "create a service bus queue, create a topic in service bus, add a subscription to the topic, new queue "
        "with sessions, create queue with duplicate detection, az servicebus queue create, cree une file service "
        "bus, lege eine service bus queue an, we need a queue called 0 on the service bus, add a queue to the "
        "namespace, add a topic to the service bus"
    ),
    "update_servicebus_entity": (
        "change the max delivery count of the queue, set the lock duration of the queue, disable the queue, set the "
        "time to live of the topic, forward dead letters of the subscription to another queue, az servicebus queue "
        "update, pause receiving from the queue, change the settings of the service bus queue"
    ),
    "delete_servicebus_entity": (
        "delete the service bus queue, delete the topic, remove the subscription from the topic, az servicebus queue "
        "delete, supprime la file service bus, loesche die queue, drop the queue with its messages, get "
        "rid of the service bus topic"
    ),
    "set_servicebus_rule": (
        "add a filter to the subscription, change the sql filter of the topic subscription, create a rule on the "
        "service bus subscription, only let rye messages through, az servicebus topic subscription rule create, let "
        "the subscription only get messages with country 0, filter the messages of the topic subscription"
    ),
    "delete_servicebus_rule": (
        "delete the filter of the topic subscription, remove the default rule from the subscription, delete the rule "
        "of the service bus subscription, az servicebus topic subscription rule delete"
    ),
    "create_servicebus_namespace": (
        "create a service bus namespace, new service bus in west europe, az servicebus namespace create, set up a "
        "premium service bus"
    ),
    "update_servicebus_namespace": (
        "add messaging units to the service bus, turn off keys of the service bus namespace, change the tier of the "
        "service bus namespace, close the service bus to the public network, az servicebus namespace update"
    ),
    "delete_servicebus_namespace": (
        "delete the service bus namespace, remove the whole service bus, az servicebus namespace delete"
    ),
    "create_cosmosdb_account": (
        "create a cosmos db account, new serverless cosmos, create a cosmos account for mongodb, az cosmosdb create"
    ),
    "update_cosmosdb_account": (
        "change the consistency of the cosmos account, turn on automatic failover of cosmos, disable keys of the "
        "cosmos account, az cosmosdb update"
    ),
    "delete_cosmosdb_account": "delete the cosmos db account, remove the whole cosmos, az cosmosdb delete",
    "create_cosmosdb_database": (
        "create a cosmos database, add a database to the cosmos account, create a mongodb database in cosmos"
    ),
    "create_cosmosdb_container": (
        "create a cosmos container, add a container with partition key, create a mongodb collection in cosmos, new "
        "container with a hierarchical partition key, az cosmosdb sql container create, new cosmos container "
        "partitioned by customer id"
    ),
    "update_cosmosdb_container": (
        "set the time to live of the cosmos container, change the indexing policy of the container, let items of the "
        "container expire after 0 days, az cosmosdb sql container update"
    ),
    "set_cosmosdb_throughput": (
        "set the throughput of cosmos, increase the throughput of the cosmos container, more request units for the "
        "database, switch cosmos to autoscale, az cosmosdb sql container throughput update, mehr durchsatz cosmos, "
        "raise the ru s of the container, give the database more ru s, raise the throughput of the container to 0"
    ),
    "delete_cosmosdb_database": ("delete the cosmos database, drop the database in cosmos"),
    "delete_cosmosdb_container": (
        "delete the cosmos container, drop the collection in cosmos, az cosmosdb sql container delete"
    ),
}
