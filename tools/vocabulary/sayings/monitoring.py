"""How people ask for what Azure Monitor has."""

from __future__ import annotations

from typing import Final

SAYINGS: Final = {
    "mark_deployment": (
        "mark a deployment in application insights, add a release annotation to the charts, annotate the release 0 in "
        "app insights, put a deployment marker on the chart, note that we deployed build 0, marque le deploiement dans"
        " les graphiques"
    ),
    "query_logs": (
        "query the logs in application insights, run a kusto query in log analytics, run this kql, kql query on "
        "the workspace, search the app traces, look into the logs of the app, what did the app log, az monitor log "
        "analytics query, az monitor app insights query, requests slower than 0 seconds, requete kusto, cherche "
        "dans les journaux, logs durchsuchen, show everything of operation id 0, console logs of the container app"
    ),
    "list_log_tables": (
        "which tables are in the log analytics workspace, what tables can i query, columns of apprequests, schema "
        "of the log table, what is logged into this workspace, which logs do we collect, how much does each log "
        "table ingest, quelles tables de logs, welche tabellen hat der workspace"
    ),
    "list_app_errors": (
        "errors of the app since this morning, what is failing in the web app, exceptions in application insights, "
        "which requests fail, http 0 errors since the release, failed dependencies, why does the shop throw errors, "
        "top exceptions of the last hour, is the api throwing exceptions, erreurs de l application depuis hier, "
        "exceptions depuis le deploiement, welche fehler wirft die app, welche fehler hatte die app seit gestern, "
        "welche fehler hatte sie, fehler der web app seit gestern"
    ),
    "list_metric_definitions": (
        "which metrics does this resource have, what can i measure of the database, metric names of the storage "
        "account, available metrics, dimensions of a metric, az monitor metrics list definitions, quelles "
        "metriques existent, welche metriken gibt es"
    ),
    "query_metrics": (
        "show the metrics of the app service, cpu of the vm over the last day, how many requests did the site get, "
        "response time of the app, dtu of the database since yesterday, chart the http errors, az monitor metrics "
        "list, memory percentage of the plan, messages in the queue over time, how busy is the database, metriques du"
        " serveur, cpu auslastung der vm, how much memory does the web app use, how much cpu does the virtual machine"
        " use, how much memory does the cluster use, which app uses the most cpu, show the cpu usage of the cluster, "
        "how much cpu is the cluster using, how slow is the web app, requests per minute of the web app, how was the "
        "response time, response time of the app over the last hours, how was the response time over the last 0 "
        "hours, antwortzeit der app"
    ),
    "list_activity_log": (
        "azure activity log, who restarted the vm, who deleted the storage account, what was done in the subscription"
        " today, failed operations in the resource group, who stopped the app service, az monitor activity log list, "
        "everything with correlation id 0, audit log of azure, who assigned this role, journal d activite, qui a "
        "redemarre le serveur, aktivitatsprotokoll, wer hat die ressource geloscht, who restarted the web app, who "
        "restarted the app last night, who restarted the function app, who stopped the web app"
    ),
    "show_resource_health": (
        "is the vm healthy, resource health of the database, is this resource available, was the sql server "
        "unavailable last night, availability of the app according to azure, why is the vm unavailable, est ce que "
        "la ressource est disponible, ist die datenbank verfugbar"
    ),
    "list_service_health_events": (
        "is azure down right now, are there outages in west europe, azure service health, planned maintenance for "
        "us, is there an incident at microsoft, health advisories for our subscription, azure status, which "
        "services have issues, tracking id of the outage, panne azure, maintenance prevue, ist azure gestort, "
        "geplante wartung"
    ),
    "list_fired_alerts": (
        "which alerts fired, alerts of last night, active alerts, what is alerting now, sev 0 alerts, was there an "
        "alert on the shop, fired alerts on this resource, unacknowledged alerts, alertes declenchees, welche alarme "
        "sind aktiv, which alerts fired last night, did any alert fire, which alerts are still open, welche alarme "
        "haben ausgelost, quelles alertes se sont declenchees"
    ),
    "list_alert_rules": (
        "which alert rules do we have, what watches this resource, is there an alert on the cpu, alert rules in azure"
        " monitor, whom does the alert notify, threshold of the alert, which alerts are disabled, regles d alerte, "
        "welche alarmregeln gibt es, is the database monitored, who gets alerted when the shop is slow, wer wird "
        "alarmiert, wer wird alarmiert wenn die app langsam ist, which alert rules exist, quelles regles d alerte "
        "avons nous, which metric alert rules exist in azure"
    ),
}
