"""Determines which permissions to request in the app registration; services that are missing from the tenant are
skipped.
"""

from __future__ import annotations

from cannot_go_on import CannotGoOnError
from hook import Deployment

# The values of ENTRA_SERVICES, as in modules/entra.bicep.
SERVICES = (
    "azure",
    "key-vault",
    "storage",
    "logs",
    "application-insights",
    "service-bus",
    "azure-devops",
)
APPLICATION_INSIGHTS = "f5c26e74-f226-4ae8-85f0-b4af0080ac9e"
READ = "Data.Read"
OPTION = "APPLICATION_INSIGHTS_SCOPE_ID"


def check_services(deployment: Deployment) -> None:
    chosen = [name.strip() for name in deployment.value("ENTRA_SERVICES").split(",") if name.strip()]
    unknown = [name for name in chosen if name not in SERVICES]
    if unknown:
        raise CannotGoOnError(
            f"ENTRA_SERVICES contains {unknown[0]!r}; valid values are {', '.join(SERVICES)}. Run"
            " 'azd env set ENTRA_SERVICES azure,azure-devops' with your services, then run the same command again."
        )


def look_for_permissions(deployment: Deployment) -> None:
    """Read the ID of the permission for Application Insights from the tenant.

    Each service has its own permission IDs, and the ID for Application Insights is hardly documented.
    """
    if not deployment.is_on("ENTRA_APP_ENABLED") or deployment.value("OWN_ENTRA_CLIENT_ID"):
        return
    answer = deployment.graph.service(APPLICATION_INSIGHTS)
    if not answer.is_good and answer.status != 404:
        effect = (
            "the known ID remains in use" if deployment.value(OPTION) else "tools cannot read it on behalf of users"
        )
        print(
            f"azd's sign-in is not allowed to read the permissions of Application Insights ({answer.code}): {effect}.",
            flush=True,
        )
        return
    scopes = answer.content.get("oauth2PermissionScopes") or ()
    found = [str(one.get("id")) for one in scopes if one.get("value") == READ]
    if not found:
        print("This tenant has no Application Insights API, so no permission for it is requested.", flush=True)
    deployment.remember(OPTION, found[0] if found else "")
