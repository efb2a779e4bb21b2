"""Before provisioning: what is checked, what is registered, and what is said."""

from __future__ import annotations

import re
from dataclasses import fields

import pytest

import before_provisioning
from cannot_go_on import CannotGoOnError
from settings import OWN_GROUPS
from tests.fakes.azure_for_hooks import SUBSCRIPTION, error
from tests.infra.hooks.bench import Bench
from tools import PROVIDERS

OTHER_TENANT = "7e4a0000-0000-4000-8000-00000000000b"


def test_nothing_is_changed_and_nothing_said_where_everything_is_there(bench: Bench) -> None:
    done = bench.run("preprovision")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert {asked.method for asked in bench.azure.asked} == {"GET"}


def test_azd_is_asked_once_for_a_token_and_without_a_question(bench: Bench) -> None:
    bench.run("preprovision")
    (call,) = bench.azd.tokens
    assert call == [
        *("auth", "token", "--no-prompt", "--output", "json"),
        *("--scope", "https://management.azure.com/.default"),
    ]


# Options


def test_app_service_authentication_needs_the_registration(bench: Bench) -> None:
    done = bench.run("preprovision", APP_SERVICE_AUTH_ENABLED="true")
    assert done.returncode == 1
    assert "azd env set ENTRA_APP_ENABLED true" in done.stderr
    assert "azd env set APP_SERVICE_AUTH_ENABLED false" in done.stderr
    assert bench.azure.asked == []
    assert bench.run("preprovision", APP_SERVICE_AUTH_ENABLED="true", ENTRA_APP_ENABLED="true").returncode == 0


@pytest.mark.parametrize("scope", ["", " "])
def test_the_mode_platform_needs_a_scope(bench: Bench, scope: str) -> None:
    done = bench.run("preprovision", AUTH_MODE="platform", AUTH_SCOPE=scope)
    assert done.returncode == 1
    assert "azd env set AUTH_SCOPE api://<client id>/access" in done.stderr


@pytest.mark.parametrize(
    "values",
    [
        {"AUTH_MODE": "platform", "AUTH_SCOPE": "api://team/access"},
        {"AUTH_MODE": "platform", "ENTRA_APP_ENABLED": "true", "APP_SERVICE_AUTH_ENABLED": "true"},
        {"AUTH_MODE": "key"},
    ],
)
def test_a_mode_that_has_what_it_needs_is_let_through(bench: Bench, values: dict[str, str]) -> None:
    assert bench.run("preprovision", **values).returncode == 0


def test_the_secrets_that_can_be_put_into_the_vault_are_those_of_the_app(bench: Bench) -> None:
    made_by_the_hook, for_emulators = "MCP_REQUEST_STATE_KEY", {"AzureWebJobsStorage", "COSMOS_EMULATOR_KEY"}
    groups = [*OWN_GROUPS.values(), *(provider.settings for provider in PROVIDERS)]
    secrets = {entry.metadata["name"] for group in groups for entry in fields(group) if not entry.repr}
    own = secrets - for_emulators - {made_by_the_hook, "APPLICATIONINSIGHTS_CONNECTION_STRING"}
    before_provisioning.check_secrets(bench.deployment(SECRETS_IN_VAULT=",".join(sorted(own))))
    told = bench.run("preprovision", SECRETS_IN_VAULT="PASSWORD").stderr
    assert own == set(re.findall(r"\b[A-Z]+(?:_[A-Z]+)+\b", told)) - {"SECRETS_IN_VAULT"}


@pytest.mark.parametrize(
    "names",
    [
        "ADO_PAT, UPSTREAM_CLIENT_SECRET",
        "ADO_PAT;UPSTREAM_CLIENT_SECRET",
        "ADO_PAT,",
        ",",
        "ADO_PAT,,UPSTREAM_CLIENT_SECRET",
        "ado_pat",
        "$(touch hacked)",
        "*",
        "ADO_PAT\n",
    ],
)
def test_names_of_secrets_that_are_none_are_refused(bench: Bench, names: str) -> None:
    with pytest.raises(CannotGoOnError, match="separated by commas without spaces"):
        before_provisioning.check_secrets(bench.deployment(SECRETS_IN_VAULT=names))


# The sign-in


def test_provisioning_before_anything_else_goes_on_and_azd_asks_for_a_subscription(bench: Bench) -> None:
    done = bench.run("preprovision", AZURE_SUBSCRIPTION_ID="", AZURE_LOCATION="")
    assert (done.returncode, done.stderr) == (0, "")
    assert "azd asks for a subscription next" in done.stdout
    assert "run the same command again" in done.stdout
    assert bench.azure.asked == []


def test_who_is_not_signed_in_is_told_how(bench: Bench) -> None:
    bench.azd.sign_in()
    done = bench.run("preprovision")
    assert done.returncode == 1
    assert done.stderr == "azd returned no token for Azure. Run 'azd auth login', then run the same command again.\n"


def test_a_guest_is_signed_in_to_the_tenant_of_the_subscription(bench: Bench) -> None:
    bench.azure.tenant = OTHER_TENANT
    bench.azd.sign_in("7e4a0000-0000-4000-8000-00000000000a", OTHER_TENANT)
    assert bench.run("preprovision").returncode == 0
    assert [call[-1] for call in bench.azd.calls if "--tenant-id" in call] == [OTHER_TENANT]


def test_who_is_signed_in_to_another_tenant_is_told_to_which(bench: Bench) -> None:
    bench.azure.tenant = OTHER_TENANT
    done = bench.run("preprovision")
    assert done.returncode == 1
    assert f"Run 'azd auth login --tenant-id {OTHER_TENANT}'" in done.stderr


def test_a_tenant_that_is_none_is_not_given_to_azd(bench: Bench) -> None:
    bench.azure.tenant = "--output=/etc/passwd"
    done = bench.run("preprovision")
    assert "Run 'azd auth login', then" in done.stderr
    assert not [call for call in bench.azd.calls if "--tenant-id" in call]


def test_a_token_that_expires_on_the_way_is_renewed(bench: Bench) -> None:
    bench.azure.oldest_token = 2
    assert bench.run("preprovision").returncode == 0
    assert len(bench.azd.tokens) == 2


def test_a_sign_in_that_azure_never_takes_is_told(bench: Bench) -> None:
    bench.azure.oldest_token = 1000
    done = bench.run("preprovision")
    assert done.returncode == 1
    assert "401 ExpiredAuthenticationToken" in done.stderr
    assert "azd auth login --tenant-id" in done.stderr


@pytest.mark.parametrize(("status", "code"), [(403, "AuthorizationFailed"), (404, "SubscriptionNotFound")])
def test_a_subscription_that_is_out_of_reach_is_told(bench: Bench, status: int, code: str) -> None:
    bench.azure.fail("GET", f"/subscriptions/{SUBSCRIPTION}?", error(status, code))
    done = bench.run("preprovision")
    assert done.returncode == 1
    assert f"{status} {code}" in done.stderr
    assert "azd env set AZURE_SUBSCRIPTION_ID" in done.stderr


@pytest.mark.parametrize("subscription", ["../x", "a/b?c", "a b"])
def test_a_subscription_leads_to_no_other_address(bench: Bench, subscription: str) -> None:
    assert bench.run("preprovision", AZURE_SUBSCRIPTION_ID=subscription).returncode == 1
    (asked,) = bench.azure.asked
    assert re.fullmatch(r"/subscriptions/[^/?]+\?api-version=[0-9-]+", asked.path)


# The provider


def test_the_provider_is_registered_where_it_is_not(bench: Bench) -> None:
    bench.azure.provider = ["NotRegistered", "Registering", "Registering", "Registered"]
    before_provisioning.register_provider(bench.deployment())
    (register,) = bench.azure.calls("POST", "/register")
    assert register.path == f"/subscriptions/{SUBSCRIPTION}/providers/Microsoft.App/register?api-version=2021-04-01"
    assert bench.clock.slept == [5, 5]


def test_a_registration_that_somebody_has_begun_is_waited_for(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    bench.azure.provider = ["Registering"] * 10 + ["Registered"]
    before_provisioning.register_provider(bench.deployment())
    assert not bench.azure.calls("POST", "/register")
    told = capsys.readouterr().out.splitlines()
    assert told == [
        "Waiting for the registration of Microsoft.App, at most 600 more seconds: not yet",
        "Waiting for the registration of Microsoft.App, at most 570 more seconds: not yet",
    ]


def test_a_registration_that_never_ends_is_told_after_ten_minutes(bench: Bench) -> None:
    bench.azure.provider = ["Registering"]
    with pytest.raises(CannotGoOnError, match=r"after 10 minutes \(Registering\)\. Nothing is lost. Run the same"):
        before_provisioning.register_provider(bench.deployment())
    assert sum(bench.clock.slept) == 600


def test_a_token_that_expires_during_the_registration_is_renewed(bench: Bench) -> None:
    bench.azure.provider = ["Registering", "Registering", "Registered"]
    deployment = bench.deployment()
    before_provisioning.check_subscription(deployment)
    bench.azure.oldest_token = 2
    before_provisioning.register_provider(deployment)
    assert len(bench.azd.tokens) == 2


def test_who_may_not_register_the_provider_is_told_whom_to_ask(bench: Bench) -> None:
    bench.azure.provider = ["NotRegistered"]
    bench.azure.fail("POST", "/register", error(403, "AuthorizationFailed"))
    done = bench.run("preprovision")
    assert done.returncode == 1
    assert "Ask an owner of the subscription" in done.stderr
    assert "Registering Microsoft.App in the subscription" in done.stdout
