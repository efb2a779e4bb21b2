"""The Azure settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from clients.azure.reach import AzureReach, group_entries, subscription_entries
from settings import setting
from settings.forms import hosts, truth


@dataclass(frozen=True, slots=True, kw_only=True)
class AzureSettings:
    """Azure: what tools can reach."""

    subscription: str = setting(
        "AZURE_SUBSCRIPTION_ID",
        str,
        "",
        "The default subscription (id or name) of Azure tools.",
    )
    allowed_subscriptions: frozenset[str] = setting(
        "AZURE_ALLOWED_SUBSCRIPTIONS",
        lambda text: subscription_entries(text.split(",")),
        frozenset(),
        "Comma-separated subscriptions (ids or names) that tools can reach. Default: all that the signed-in user can"
        " see.",
    )
    allowed_groups: frozenset[str] = setting(
        "AZURE_ALLOWED_RESOURCE_GROUPS",
        lambda text: group_entries(text.split(",")),
        frozenset(),
        "Comma-separated resource groups that tools can reach; use `<subscription>/<group>` if several subscriptions"
        " have a group of that name. Default: all groups of the allowed subscriptions.",
    )
    reads_directory: bool = setting(
        "AZURE_READ_DIRECTORY",
        truth,
        False,
        "Whether to read names of people and groups, and members of groups, from Microsoft Graph on behalf of the"
        " caller. Requires admin consent.",
    )
    template_hosts: frozenset[str] = setting(
        "AZURE_TEMPLATE_HOSTS",
        lambda text: frozenset(one.lower() for one in hosts(text)),
        frozenset(),
        "Comma-separated hosts from which templates can be deployed by a link. Default: none.",
    )
    shows_prices: bool = setting(
        "AZURE_SHOW_PRICES",
        truth,
        True,
        "Whether previews show the monthly cost, based on Microsoft's public price list (prices.azure.com).",
    )
    operations_schedule: str = setting(
        "AZURE_OPERATIONS_SCHEDULE",
        str,
        "0 23 4 * * *",
        "When the list of Azure operations is refreshed, as an NCRONTAB expression. Default: daily.",
    )


# The storage container for the index of Azure operations.
PURPOSE: Final = "operations"
# Hints on what to do next, by Azure's error code.
HINTS: Final = {
    "SubscriptionNotFound": "Use list_azure_subscriptions to find subscriptions.",
    "ResourceGroupNotFound": "Use list_resource_groups to find groups.",
    "ResourceNotFound": "Use list_resources to find resources.",
    "RBACAccessDenied": "The request requires the role 'Cost Management Reader' on the subscription or group.",
    "DeploymentActive": (
        "show_azure_deployment shows the deployment's progress; cancel_azure_deployment cancels the deployment."
    ),
    "DeploymentNotFound": "Use list_azure_deployments to find deployments.",
    "SecretNotFound": "Use list_secrets to find secrets, and pass `deleted` to find deleted secrets.",
    "KeyNotFound": "Use list_keyvault_keys to find keys.",
    "PathNotFoundError": "Use list_resources to find resources.",
    "PrincipalNotFound": "For an app or group that is minutes old, pass `kind`, or try again in a few minutes.",
    "RoleAssignmentExists": "list_role_assignments shows who has which role.",
    "RoleDefinitionHasAssignments": (
        "list_role_assignments shows who has the role; remove_role_assignment removes the assignment."
    ),
    "CertificateNotFound": "Use list_keyvault_certificates to find certificates.",
}


def reach_of(settings: AzureSettings) -> AzureReach:
    return AzureReach.of(settings.allowed_subscriptions, settings.allowed_groups)
