"""Every setting reaches the app from the templates, and nothing reaches it that it does not know."""

from __future__ import annotations

import re
from typing import Final

from app.approving import CHANGES
from app.build import ADDRESSES, SESSIONS, TASKS
from bicep_checker.known import said
from tests.infra.declared import MAIN, OF_THE_PLATFORM_OR_A_LAPTOP, PARAMETERS, SECRET, SETTINGS
from tests.infra.deployed import INFRA, plain
from tests.infra.deployment import VAULT, Deployment
from tests.infra.made import made
from tools import PROVIDERS
from tools.workspace.provider import CONTAINER as WORKSPACES

# What the host or the platform reads, and the app does not.
OF_THE_HOST: Final = {
    "AzureWebJobsDisableHomepage",
    "AzureWebJobsStorage__credential",
    "WEBSITE_AUTH_PRM_DEFAULT_WITH_SCOPES",
}
# The app's own secret, which a hook makes.
OWN_KEY: Final = "MCP_REQUEST_STATE_KEY"
# A secret to the app, because elsewhere it may be one: here its key opens nothing, as local authentication is off.
OPEN_HERE: Final = {"APPLICATIONINSIGHTS_CONNECTION_STRING"}
# Containers without a table: the documents themselves, git workspaces, and the package of the app.
CONTAINERS_ALONE: Final = {"documents", WORKSPACES, "app-package"}


def test_every_setting_reaches_the_app() -> None:
    assert SETTINGS.keys() - OF_THE_PLATFORM_OR_A_LAPTOP <= _given().keys()


def test_nothing_reaches_the_app_that_it_does_not_know() -> None:
    assert _given().keys() <= SETTINGS.keys() - OF_THE_PLATFORM_OR_A_LAPTOP | OF_THE_HOST


def test_the_exceptions_are_ones() -> None:
    assert not OF_THE_HOST & SETTINGS.keys()
    assert _given().keys() >= OF_THE_HOST


def test_a_secret_reaches_the_app_only_from_the_vault() -> None:
    from_the_vault = {
        name for name, value in _given().items() if value.startswith(f"@Microsoft.KeyVault(SecretUri={VAULT}")
    }
    assert from_the_vault == _secrets()


def test_the_documents_name_the_secrets_that_can_be_put_into_the_vault() -> None:
    text = (INFRA.parent / "docs" / "deploying.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([A-Z_]+)`", text.partition("## Secrets")[2].partition("\n## ")[0]))
    assert named & SETTINGS.keys() >= _secrets()


def test_what_the_template_sets_itself_is_no_option_of_azd() -> None:
    by_the_template = {name for name, entry in SETTINGS.items() if entry.metadata["set_by"] == "template"}
    assert by_the_template <= _given().keys() - PARAMETERS["settings"]["value"].keys()


def test_a_setting_is_given_under_its_own_name() -> None:
    settings = PARAMETERS["settings"]["value"]
    assert {name: f"${{{name}}}" for name in settings} == settings


def test_every_parameter_can_be_set_with_azd_and_has_the_default_that_bicep_has() -> None:
    declared = MAIN.of_kind("parameter")
    assert declared.keys() == PARAMETERS.keys()
    for name, parameter in declared.items():
        if name not in {"settings", "ownNames"}:
            (default,) = re.findall(r"^\$\{[A-Z_]+(?:=(.*))?\}$", PARAMETERS[name]["value"])
            expected = plain(parameter.value) if parameter.value else ""
            assert default == (str(expected).lower() if isinstance(expected, bool) else str(expected))


def test_storage_has_a_table_and_a_container_for_each_purpose() -> None:
    purposes = {CHANGES, TASKS, *(purpose for provider in PROVIDERS for purpose in provider.keeps)}
    assert _made("/tables") == purposes | {ADDRESSES, SESSIONS}
    assert _made("/containers") == purposes | CONTAINERS_ALONE


def _made(ending: str) -> set[str]:
    return {said(thing.name).strip("'") for thing in made({}) if thing.kind.endswith(ending)}


def _secrets() -> set[str]:
    """What comes from the vault: its own key, and what an operator puts there."""
    return SECRET - OPEN_HERE - OF_THE_PLATFORM_OR_A_LAPTOP


def _given() -> dict[str, str]:
    """All settings that some deployment gives the app."""
    every = dict.fromkeys(PARAMETERS["settings"]["value"], "1")
    entra = {"ENTRA_APP_ENABLED": "true", "SECRETS_IN_VAULT": ",".join(sorted(_secrets() - {OWN_KEY}))}
    options = (every, entra, {**entra, "APP_SERVICE_AUTH_ENABLED": "true"})
    apps = (Deployment.of(chosen).module("app") for chosen in options)
    return {
        name: str(value) for app in apps if app for name, value in app.resource("appSettings", "properties").items()
    }
