"""All probes of a deployment, by number."""

from __future__ import annotations

from verification import by_calls, of_azure, on_behalf, over_http
from verification.probe import Probe

PROBES = (
    Probe(1, "/health reports this version", over_http.health),
    Probe(2, "plain HTTP is redirected", over_http.redirect),
    Probe(3, "vault references are resolved", of_azure.references),
    Probe(4, "the Functions host runs", of_azure.host_status),
    Probe(5, "all functions are deployed", of_azure.functions),
    Probe(6, "initialize, with a content length", over_http.initialize),
    Probe(7, "initialize, in chunks", over_http.initialize_in_chunks, is_undocumented=True),
    Probe(8, "tools, resources and prompts are listed", over_http.lists),
    Probe(9, "a protected tool without a token: 401", over_http.protected),
    Probe(10, "the metadata matches the URL", over_http.metadata),
    Probe(11, "a forged token is rejected", over_http.forged),
    Probe(12, "a read with your own token", by_calls.read, is_undocumented=True),
    Probe(13, "the claims of your token", by_calls.claims, is_undocumented=True),
    Probe(14, "services are read on your behalf", on_behalf.on_behalf_of, is_undocumented=True),
    Probe(15, "foreign hosts and origins are rejected", over_http.foreign, is_undocumented=True),
    Probe(16, "a change is previewed, approved and applied", by_calls.change, is_undocumented=True),
    Probe(17, "excluded paths need no sign-in behind App Service", over_http.excluded_paths),
    Probe(18, "a task completes within 60 s", by_calls.task),
    Probe(19, "no message is dead-lettered", by_calls.dead_letters),
    Probe(20, "the last sync of Azure updates", by_calls.last_sync),
    Probe(21, "the audit log has the call from probe 12", of_azure.audited),
    Probe(22, "alert rules and a test mail", of_azure.alert_rules),
    Probe(23, "the app cannot replace its package", of_azure.package),
    Probe(24, "storage and vault reject outsiders", of_azure.closed),
    Probe(25, "scale settings are as configured", of_azure.read_back),
)
# The postdeploy hook runs these probes, because they change nothing and take only seconds.
AFTER_DEPLOYING = PROBES[:11]
