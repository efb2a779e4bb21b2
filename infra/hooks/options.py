"""Rejects options that contradict each other or have an invalid format, before asking any questions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from cannot_go_on import CannotGoOnError
from hook import Deployment

AGAIN = "then run the same command again"
GUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
SUBSCRIPTION = rf"/subscriptions/{GUID}"
GROUP = rf"{SUBSCRIPTION}/resourceGroups/[\w.()-]{{1,90}}"
SUBNET = "Microsoft.Network/virtualNetworks/<network>/subnets"
SCOPES = ("READER_SCOPES", "MONITORING_READER_SCOPES", "COST_READER_SCOPES", "TASKS_SCOPES")
NOT_OURS = ("azd-env-name", "azd-service-name")
MOST_TAGS = 40


@dataclass(frozen=True)
class ValueForm:
    """The required format of an option's value: a pattern, and a valid example."""

    pattern: str
    example: str


def _id_of(kind: str) -> ValueForm:
    pattern = re.escape(kind).replace("<network>", r"[\w.-]+")
    return ValueForm(
        rf"{GROUP}/providers/{pattern}/[\w.()-]+", f"/subscriptions/<id>/resourceGroups/<group>/providers/{kind}/<name>"
    )


FORMS = {
    "OWN_RESOURCE_GROUP": ValueForm(r"[\w.()-]{0,89}[\w()-]", "rg-team"),
    "OWN_WORKSPACE_ID": _id_of("Microsoft.OperationalInsights/workspaces"),
    "OWN_STORAGE_ID": _id_of("Microsoft.Storage/storageAccounts"),
    "OWN_KEY_VAULT_ID": _id_of("Microsoft.KeyVault/vaults"),
    "OWN_OPENAI_ID": _id_of("Microsoft.CognitiveServices/accounts"),
    "OWN_COSMOS_ID": _id_of("Microsoft.DocumentDB/databaseAccounts"),
    "OWN_APP_SUBNET_ID": _id_of(SUBNET),
    "OWN_ENDPOINT_SUBNET_ID": _id_of(SUBNET),
    "OWN_DNS_ZONES_GROUP_ID": ValueForm(GROUP, "/subscriptions/<id>/resourceGroups/<group>"),
    "OWN_ENTRA_CLIENT_ID": ValueForm(GUID, "22222222-2222-2222-2222-222222222222"),
    "ACTION_GROUP_NAME": ValueForm(r"[\w.() -]{1,260}", "ag-team"),
    "APPLICATION_INSIGHTS_NAME": ValueForm(r"[\w.()-]{1,260}", "appi-team"),
    "DASHBOARD_NAME": ValueForm(r"[a-z][a-z0-9-]{1,21}[a-z0-9]", "dash-team"),
    "FUNCTION_APP_NAME": ValueForm(r"[a-z0-9][a-z0-9-]{0,58}[a-z0-9]", "func-team"),
    "IDENTITY_NAME": ValueForm(r"[a-z0-9][\w-]{2,119}", "id-team"),
    "KEY_VAULT_NAME": ValueForm(r"[a-z](?!.*--)[a-z0-9-]{1,22}[a-z0-9]", "kv-team"),
    "LOG_ANALYTICS_NAME": ValueForm(r"[a-z0-9][a-z0-9-]{2,61}[a-z0-9]", "log-team"),
    "PLAN_NAME": ValueForm(r"[\w-]{1,60}", "plan-team"),
    "PRIVATE_ENDPOINT_NAME": ValueForm(r"[a-z0-9][\w.-]{0,70}", "pep-team"),
    "RESOURCE_GROUP_NAME": ValueForm(r"[\w.()-]{0,89}[\w()-]", "rg-team"),
    # Azure does not allow uppercase letters in this value.
    "STORAGE_NAME": ValueForm(r"(?-i:[a-z0-9]{3,24})", "stteam"),
    "TRANSLATOR_NAME": ValueForm(r"[a-z0-9][a-z0-9-]{0,62}[a-z0-9]", "trsl-team"),
    "VIRTUAL_NETWORK_NAME": ValueForm(r"[a-z0-9][\w.-]{0,54}\w", "vnet-team"),
}
# Maps each option that selects an existing resource to the option that names a new resource.
NAMES_OF_MADE = {
    "OWN_RESOURCE_GROUP": "RESOURCE_GROUP_NAME",
    "OWN_WORKSPACE_ID": "LOG_ANALYTICS_NAME",
    "OWN_STORAGE_ID": "STORAGE_NAME",
    "OWN_KEY_VAULT_ID": "KEY_VAULT_NAME",
    "OWN_APP_SUBNET_ID": "VIRTUAL_NETWORK_NAME",
}


@dataclass(frozen=True)
class OptionConflict:
    """A conflict between two options.

    A conflict has an explanation and two possible fixes: a command that sets the missing option, and a command that
    resets the other option.
    """

    is_broken: Callable[[Deployment], bool]
    words: str
    mend: str
    instead: str = ""


def _without(option: str, *needed: str) -> Callable[[Deployment], bool]:
    """Return a check that finds a conflict if `option` is set but one of the options in `needed` is not."""
    return lambda deployment: (
        _is_chosen(deployment, option) and not all(_is_chosen(deployment, other) for other in needed)
    )


def _both(one: str, other: str) -> Callable[[Deployment], bool]:
    return lambda deployment: _is_chosen(deployment, one) and _is_chosen(deployment, other)


def _is_chosen(deployment: Deployment, option: str) -> bool:
    return deployment.value(option).strip().lower() not in ("", "false")


def _is_closed(deployment: Deployment) -> bool:
    return deployment.value("APP_PUBLIC_ACCESS").strip().lower() == "false"


def _is_kept_warm_once(deployment: Deployment) -> bool:
    return deployment.is_on("ZONE_REDUNDANT") and deployment.value("ALWAYS_READY_INSTANCES").strip() == "1"


NETWORK = "azd env set VNET_ENABLED true"
# The options that require the network, and the values that turn these options off.
IN_A_NETWORK = {
    "OWN_APP_SUBNET_ID": '""',
    "OWN_DNS_ZONES_GROUP_ID": '""',
    "APP_PRIVATE_ENDPOINT": "false",
    "COSMOS_PRIVATE_ENDPOINT": "false",
    "FIXED_OUTGOING_ADDRESS": "false",
}
RULES = (
    OptionConflict(
        _without("OWN_APP_SUBNET_ID", "OWN_ENDPOINT_SUBNET_ID"),
        "OWN_APP_SUBNET_ID is set, but OWN_ENDPOINT_SUBNET_ID, the subnet for private endpoints, is not. Set both"
        " options, or neither.",
        "azd env set OWN_ENDPOINT_SUBNET_ID <id of a subnet>",
        'azd env set OWN_APP_SUBNET_ID ""',
    ),
    OptionConflict(
        _without("OWN_ENDPOINT_SUBNET_ID", "OWN_APP_SUBNET_ID"),
        "OWN_ENDPOINT_SUBNET_ID is set, but OWN_APP_SUBNET_ID, the subnet for the app, is not. Set both options,"
        " or neither.",
        "azd env set OWN_APP_SUBNET_ID <id of a subnet>",
        'azd env set OWN_ENDPOINT_SUBNET_ID ""',
    ),
    *(
        OptionConflict(
            _without(option, "VNET_ENABLED"),
            f"{option} requires a network, but VNET_ENABLED is off.",
            NETWORK,
            f"azd env set {option} {off}",
        )
        for option, off in IN_A_NETWORK.items()
    ),
    OptionConflict(
        lambda deployment: _is_closed(deployment) and not deployment.is_on("APP_PRIVATE_ENDPOINT"),
        "APP_PUBLIC_ACCESS and APP_PRIVATE_ENDPOINT are both off, so the app would be unreachable.",
        "azd env set APP_PRIVATE_ENDPOINT true",
        "azd env set APP_PUBLIC_ACCESS true",
    ),
    OptionConflict(
        _both("FIXED_OUTGOING_ADDRESS", "OWN_APP_SUBNET_ID"),
        "FIXED_OUTGOING_ADDRESS is on, but the subnet in OWN_APP_SUBNET_ID uses the address of its own NAT gateway."
        " The template does not create another gateway.",
        "azd env set FIXED_OUTGOING_ADDRESS false",
    ),
    OptionConflict(
        _without("OWN_ENTRA_CLIENT_ID", "ENTRA_APP_ENABLED"),
        "OWN_ENTRA_CLIENT_ID is the registration for sign-in, but ENTRA_APP_ENABLED is off.",
        "azd env set ENTRA_APP_ENABLED true",
        'azd env set OWN_ENTRA_CLIENT_ID ""',
    ),
    OptionConflict(
        _without("OWN_COSMOS_ID", "COSMOS_DATABASE", "COSMOS_CONTAINERS"),
        "OWN_COSMOS_ID is set, but COSMOS_DATABASE or COSMOS_CONTAINERS is missing.",
        "azd env set COSMOS_DATABASE <database>' and 'azd env set COSMOS_CONTAINERS <containers>",
        'azd env set OWN_COSMOS_ID ""',
    ),
    OptionConflict(
        _without("COSMOS_PRIVATE_ENDPOINT", "OWN_COSMOS_ID"),
        "COSMOS_PRIVATE_ENDPOINT is for the account in OWN_COSMOS_ID, which is not set.",
        "azd env set OWN_COSMOS_ID <id of an account>",
        "azd env set COSMOS_PRIVATE_ENDPOINT false",
    ),
    OptionConflict(
        lambda deployment: (
            deployment.value("BUDGET_AMOUNT").strip() not in ("", "0") and not deployment.value("ALERT_EMAIL")
        ),
        "BUDGET_AMOUNT requires ALERT_EMAIL: Azure rejects a budget without recipients.",
        "azd env set ALERT_EMAIL <address>",
        "azd env set BUDGET_AMOUNT 0",
    ),
    OptionConflict(
        _is_kept_warm_once,
        "With ZONE_REDUNDANT, ALWAYS_READY_INSTANCES must be 0 or at least 2.",
        "azd env set ALWAYS_READY_INSTANCES 2",
    ),
    *(
        OptionConflict(
            _both(own, name),
            f"{name} is the name of a resource to create, but {own} is set, so the template does not create this"
            " resource.",
            f'azd env set {name} ""',
        )
        for own, name in NAMES_OF_MADE.items()
    ),
)


def check_forms(deployment: Deployment) -> None:
    for option, form in FORMS.items():
        value = deployment.value(option)
        if value and not re.fullmatch(form.pattern, value, re.IGNORECASE | re.ASCII):
            raise CannotGoOnError(
                f"{option} is {value!r}, but must look like {form.example}."
                f" Run 'azd env set {option} {form.example}' with your value, {AGAIN}."
            )


def check_rules(deployment: Deployment) -> None:
    for rule in RULES:
        if rule.is_broken(deployment):
            instead = f" or '{rule.instead}'" if rule.instead else ""
            raise CannotGoOnError(f"{rule.words} Run '{rule.mend}'{instead}, {AGAIN}.")


def check_scopes(deployment: Deployment) -> None:
    for option in SCOPES:
        for scope in scopes(deployment, option):
            if not re.fullmatch(rf"{GROUP}|{SUBSCRIPTION}", scope, re.IGNORECASE | re.ASCII):
                raise CannotGoOnError(
                    f"{option} contains {scope!r}, which is not the id of a subscription or resource group."
                    f" Run 'azd env set {option} /subscriptions/<id>,/subscriptions/<id>/resourceGroups/<group>'"
                    f" with your value, {AGAIN}."
                )


def scopes(deployment: Deployment, option: str) -> Iterator[str]:
    yield from filter(None, (scope.strip() for scope in deployment.value(option).split(",")))


def check_tags(deployment: Deployment) -> None:
    pairs = [pair.strip() for pair in deployment.value("OWN_TAGS").split(",") if pair.strip()]
    wrong = next((pair for pair in pairs if not _is_tag(pair)), None)
    if wrong is not None or len(pairs) > MOST_TAGS:
        problem = f"contains {wrong!r}" if wrong is not None else f"has {len(pairs)} tags; the maximum is {MOST_TAGS}"
        raise CannotGoOnError(
            f"OWN_TAGS {problem}. A tag must have the form name=value. azd sets {' and '.join(NOT_OURS)}."
            f" Run 'azd env set OWN_TAGS owner=team,costCenter=42' with your tags, {AGAIN}."
        )


def _is_tag(pair: str) -> bool:
    found = re.fullmatch(r"([^<>%&\\?/=]{1,512})=([^=]{0,256})", pair)
    return found is not None and found[1].strip() != "" and found[1].strip().lower() not in NOT_OURS


CHECKS = (check_forms, check_rules, check_scopes, check_tags)
