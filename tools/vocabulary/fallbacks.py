"""General tools that `azure` suggests if no tool matches a request. Words in the request select the tools."""

from __future__ import annotations

from typing import Final

_IN_AZURE: Final = (
    "azure, resource, server, database, db, sql, postgres, postgresql, mysql, redis, vm, machine, disk, backup,"
    " snapshot, pod, node, cluster, aks, kubernetes, container, app, function, queue, topic, storage, blob, vault,"
    " secret, cert, certificate, network, vnet, subnet, ip, dns, gateway, firewall, nsg, port, cpu, memory, gpu, model,"
    " openai, region, subscription, service principal, identity, quota, sku, tier, domain, endpoint, idle,"
    " unused, orphan"
)
FALLBACKS: Final = {
    "what_changed": "fail, failing, crash, error, broke, broken, down, slow, can t, cannot, not work, not process,"
    " outage, stopped, bounce, timeout",
    "query_logs": "log, error, exception, crash, fail, trace, outofmemory, slow",
    "query_resource_graph": _IN_AZURE,
    "read_azure": _IN_AZURE,
}
