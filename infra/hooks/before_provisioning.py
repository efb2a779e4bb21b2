"""Checks the requirements of a deployment before anything is created."""

from __future__ import annotations

import options
import own_resources
import template_values
from azure_lookups import (
    check_maximum,
    check_region,
    look_for_a_deleted_vault,
    look_when_the_budget_began,
    look_whether_the_app_is_outside,
)
from cannot_go_on import CannotGoOnError
from clouds import check_cloud
from hook import SUBSCRIPTIONS_VERSION, Deployment, run
from options import AGAIN
from permissions import check_services, look_for_permissions
from registration import look_for_the_registration
from waiting import Wait, ask_until
from web import WebAnswer

SECRETS = (
    *("ADO_PAT", "AUTH_BRIDGE_CLIENT_SECRET", "GIT_TOKENS"),
    *("NOTIFY_PLACES", "NOTIFY_SIGNING_KEY", "UPSTREAM_CLIENT_SECRET"),
)
PROVIDERS_VERSION = "2021-04-01"
# The provider of Flex Consumption. If this provider is not registered, provisioning fails with an internal server
# error.
PROVIDER = "Microsoft.App"
REGISTRATION = Wait(f"the registration of {PROVIDER}", 600, 5)


def check_app_service_authentication(deployment: Deployment) -> None:
    if deployment.is_on("APP_SERVICE_AUTH_ENABLED") and not deployment.is_on("ENTRA_APP_ENABLED"):
        raise CannotGoOnError(
            "App Service authentication requires the registration in Entra ID. Run 'azd env set ENTRA_APP_ENABLED"
            f" true', or, to disable this authentication, 'azd env set APP_SERVICE_AUTH_ENABLED false', {AGAIN}."
        )


def check_scope(deployment: Deployment) -> None:
    """If App Service authentication is used without the template's app registration, check that AUTH_SCOPE is set."""
    is_platform = deployment.value("AUTH_MODE").strip() == "platform"
    if is_platform and not deployment.is_on("ENTRA_APP_ENABLED") and not deployment.value("AUTH_SCOPE").strip():
        raise CannotGoOnError(
            "AUTH_MODE is platform, so AUTH_SCOPE must be the scope that clients request."
            f" Run 'azd env set AUTH_SCOPE api://<client id>/access', {AGAIN}."
            " Or let the deployment register the app: 'azd env set ENTRA_APP_ENABLED true'."
        )


def check_secrets(deployment: Deployment) -> None:
    names = deployment.value("SECRETS_IN_VAULT")
    if names and not set(names.split(",")) <= set(SECRETS):
        raise CannotGoOnError(
            f"SECRETS_IN_VAULT must be a list of {', '.join(SECRETS[:-1])} or {SECRETS[-1]}, separated by commas"
            " without spaces."
            f" Run 'azd env set SECRETS_IN_VAULT {SECRETS[0]}', {AGAIN}."
        )


def look_at_azure(deployment: Deployment) -> None:
    """Check the subscription and the region if they are already set. If not, azd asks for them after this hook."""
    if not deployment.value("AZURE_SUBSCRIPTION_ID"):
        print(
            "azd asks for a subscription next, so this hook could not check the subscription yet. If provisioning"
            " fails, run the same command again: the hook then checks the subscription first.",
            flush=True,
        )
        return
    for look in IN_THE_SUBSCRIPTION:
        look(deployment)


def check_subscription(deployment: Deployment) -> None:
    path = deployment.subscription
    answer = deployment.azure.get(path, SUBSCRIPTIONS_VERSION)
    if answer.status in (403, 404):
        raise CannotGoOnError(
            f"azd's sign-in has no access to {path} ({answer.code}). Run 'azd auth login' as a user with access, or"
            f" 'azd env set AZURE_SUBSCRIPTION_ID' with another subscription, {AGAIN}."
        )
    if not answer.is_good:
        raise CannotGoOnError(f"Could not check whether {path} exists: {answer.said}. Run the same command again.")


def register_provider(deployment: Deployment) -> None:
    state = _registration(deployment)
    if state == "Registered":
        return
    if state != "Registering":
        _ask_for_registration(deployment)
    _wait_for_registration(deployment)


def _registration(deployment: Deployment) -> str:
    answer = deployment.azure.get(_provider(deployment), PROVIDERS_VERSION)
    if not answer.is_good:
        raise CannotGoOnError(
            f"Could not check whether {PROVIDER} is registered: {answer.said}. Run the same command again."
        )
    return str(answer.content.get("registrationState"))


def _ask_for_registration(deployment: Deployment) -> None:
    print(f"Registering {PROVIDER} in the subscription; this takes a minute.", flush=True)
    answer = deployment.azure.post(f"{_provider(deployment)}/register", PROVIDERS_VERSION)
    if not answer.is_good:
        raise CannotGoOnError(
            f"{PROVIDER} is not registered, and azd's sign-in is not allowed to register it ({answer.code}). Ask an"
            f" owner of the subscription to register this provider, in the portal under 'Resource providers', {AGAIN}."
        )


def _wait_for_registration(deployment: Deployment) -> None:
    answer = ask_until(
        _is_registered,
        lambda: deployment.azure.get(_provider(deployment), PROVIDERS_VERSION),
        REGISTRATION,
        deployment.clock,
    )
    if not _is_registered(answer):
        state = answer.content.get("registrationState") or answer.said
        raise CannotGoOnError(
            f"{PROVIDER} is still not registered after {REGISTRATION.seconds / 60:.0f} minutes ({state}). Nothing is"
            " lost. Run the same command again later."
        )


def _is_registered(answer: WebAnswer) -> bool:
    return answer.content.get("registrationState") == "Registered"


def _provider(deployment: Deployment) -> str:
    return f"{deployment.subscription}/providers/{PROVIDER}"


IN_THE_SUBSCRIPTION = (
    check_subscription,
    *own_resources.CHECKS,
    register_provider,
    check_region,
    check_maximum,
    look_for_a_deleted_vault,
    look_whether_the_app_is_outside,
    look_when_the_budget_began,
    look_for_the_registration,
    look_for_permissions,
)
STEPS = (
    check_cloud,
    *template_values.CHECKS,
    check_app_service_authentication,
    check_scope,
    check_secrets,
    *options.CHECKS,
    check_services,
    look_at_azure,
)

if __name__ == "__main__":
    run(STEPS)
