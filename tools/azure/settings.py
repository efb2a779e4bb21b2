"""The settings of Azure, each as it is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from clients.azure.reach import AzureReach, group_entries, subscription_entries
from settings import setting
from settings.forms import hosts, truth


@dataclass(frozen=True, slots=True, kw_only=True)
class AzureSettings:
    """Azure itself: what of it may be reached."""

    subscription: str = setting(
        "AZURE_SUBSCRIPTION_ID",
        str,
        "",
        "The subscription, by id or name, that Azure tools use if the call names none.",
    )
    allowed_subscriptions: frozenset[str] = setting(
        "AZURE_ALLOWED_SUBSCRIPTIONS",
        lambda text: subscription_entries(text.split(",")),
        frozenset(),
        "The only subscriptions that may be reached, by id or name, separated by commas. Without it, all that the"
        " sign-in may see.",
    )
    allowed_groups: frozenset[str] = setting(
        "AZURE_ALLOWED_RESOURCE_GROUPS",
        lambda text: group_entries(text.split(",")),
        frozenset(),
        "The only resource groups that may be reached, separated by commas; `<subscription>/<group>` where several"
        " subscriptions have one. Without it, all of the subscriptions that may be reached.",
    )
    reads_directory: bool = setting(
        "AZURE_READ_DIRECTORY",
        truth,
        False,
        "true: who people and groups are, and who is in a group, is read from Microsoft Graph in the name of who asks."
        " It takes the consent of an administrator.",
    )
    template_hosts: frozenset[str] = setting(
        "AZURE_TEMPLATE_HOSTS",
        lambda text: frozenset(one.lower() for one in hosts(text)),
        frozenset(),
        "The hosts from which templates are deployed by a link, separated by commas. Without it, none are.",
    )
    shows_prices: bool = setting(
        "AZURE_SHOW_PRICES",
        truth,
        True,
        "false: previews do not ask Microsoft's public price list (prices.azure.com) what a change costs a month.",
    )
    operations_schedule: str = setting(
        "AZURE_OPERATIONS_SCHEDULE",
        str,
        "0 23 4 * * *",
        "When it is read what can be asked of Azure, as an NCRONTAB expression: daily.",
    )


# The container of the index of all operations of Azure.
PURPOSE: Final = "operations"
# What to do next, by what Azure calls a failure.
HINTS: Final = {
    "SubscriptionNotFound": "list_azure_subscriptions names the subscriptions.",
    "ResourceGroupNotFound": "list_resource_groups names the groups.",
    "ResourceNotFound": "list_resources names the resources.",
    "RBACAccessDenied": "It requires the role 'Cost Management Reader' on that subscription or group.",
    "DeploymentActive": "show_azure_deployment shows how far it is, and cancel_azure_deployment ends it.",
    "DeploymentNotFound": "list_azure_deployments names the deployments.",
    "SecretNotFound": "list_secrets names the secrets, with `deleted` those that were deleted.",
    "KeyNotFound": "list_keyvault_keys names the keys.",
    "PathNotFoundError": "list_resources names the resources.",
    "PrincipalNotFound": "Pass the kind of an app or group that was made minutes ago, or try again in a few minutes.",
    "RoleAssignmentExists": "list_role_assignments tells who has which role.",
    "RoleDefinitionHasAssignments": "list_role_assignments tells who has it, remove_role_assignment takes it away.",
    "CertificateNotFound": "list_keyvault_certificates names the certificates.",
}


def reach_of(settings: AzureSettings) -> AzureReach:
    return AzureReach.of(settings.allowed_subscriptions, settings.allowed_groups)
