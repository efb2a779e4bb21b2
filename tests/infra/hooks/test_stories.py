"""docs/deploying.md, command by command, by somebody who knows nothing else: up, changed, down and up again."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

from tests.fakes.azure_for_hooks import error
from tests.infra.deployed import INFRA
from tests.infra.hooks.bench import Bench
from tests.infra.hooks.cloud import Cloud, RefusedByAzureError

DOCUMENT: Final = (INFRA.parent / "docs" / "deploying.md").read_text(encoding="utf-8")


@pytest.fixture
def cloud(bench: Bench) -> Cloud:
    return Cloud(bench)


def follow(cloud: Cloud, heading: str) -> None:
    """The commands of the first block below a heading, as they are written there."""
    section = DOCUMENT.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    (block, *_) = re.findall(r"```sh\n(.*?)```", section, re.DOTALL)
    for command in block.splitlines():
        if option := re.fullmatch(r"azd env set (\w+) (\S+)", command):
            cloud.set(**{option[1]: option[2]})
        else:
            {
                "azd auth login": lambda: "",
                "azd up": cloud.up,
                "azd provision": cloud.provision,
                "azd down": cloud.down,
            }[command]()


def test_up_says_how_to_connect(cloud: Cloud) -> None:
    follow(cloud, "Two commands")
    assert "MCP server: https://" in cloud.said[-1]
    assert cloud.storage_is_open
    assert not cloud.somebody_has_to_sign_in


# Down and up again


def test_down_and_up_again_has_the_secrets_of_before(cloud: Cloud) -> None:
    cloud.up()
    before = dict(cloud.bench.azure.secrets)
    follow(cloud, "Teardown")
    assert cloud.bench.azure.secrets == {}
    cloud.up()
    assert cloud.bench.azure.secrets == before
    cloud.provision()
    cloud.down()
    cloud.provision()
    assert cloud.bench.azure.secrets == before


def test_down_and_up_again_with_sign_in_makes_the_registration_anew(cloud: Cloud) -> None:
    follow(cloud, "Sign-in")
    (first,) = cloud.bench.azure.registrations
    cloud.down()
    assert cloud.bench.azure.registrations == []
    cloud.up()
    (second,) = cloud.bench.azure.registrations
    assert (second.name, second.id == first.id) == (first.name, False)


def test_up_after_somebody_deleted_the_registration_by_hand_has_it_again(cloud: Cloud) -> None:
    follow(cloud, "Sign-in")
    (registration,) = cloud.bench.azure.registrations
    registration.deleted = "2026-11-20T08:00:00Z"
    assert "Restored the registration" in cloud.provision()
    assert registration.deleted is None


def test_down_and_up_without_rights_in_entra_keeps_the_registration_and_uses_it_again(cloud: Cloud) -> None:
    follow(cloud, "Sign-in")
    cloud.bench.azure.fail("DELETE", "/v1.0/applications", error(403, "Authorization_RequestDenied"))
    assert "The next 'azd up' uses the registration again" in cloud.down()
    before = list(cloud.bench.azure.registrations)
    cloud.provision()
    assert cloud.bench.azure.registrations == before


def test_a_registration_that_is_deleted_but_not_for_good_is_restored_by_the_next_up(cloud: Cloud) -> None:
    follow(cloud, "Sign-in")
    cloud.bench.azure.fail("DELETE", "/deletedItems", error(403, "Authorization_RequestDenied"))
    assert "The next 'azd up' restores the registration" in cloud.down()
    cloud.provision()
    (registration,) = cloud.bench.azure.registrations
    assert registration.deleted is None


def test_down_and_up_in_a_pipeline_which_remembers_nothing(cloud: Cloud) -> None:
    cloud.set(ENTRA_APP_ENABLED="true", BUDGET_AMOUNT="50", ALERT_EMAIL="team@example.com")
    cloud.provision()
    for _ in range(2):
        cloud.in_a_new_pipeline()
        cloud.provision()
    cloud.down()
    cloud.in_a_new_pipeline()
    cloud.provision()


# Sign-in


def test_sign_in_on_and_off_locks_nobody_out(cloud: Cloud) -> None:
    cloud.set(ENTRA_APP_ENABLED="true", APP_SERVICE_AUTH_ENABLED="true")
    cloud.provision()
    assert cloud.somebody_has_to_sign_in
    cloud.set(APP_SERVICE_AUTH_ENABLED="false", ENTRA_APP_ENABLED="false")
    cloud.provision()
    assert not cloud.somebody_has_to_sign_in
    assert cloud.authentication["globalValidation"]["unauthenticatedClientAction"] == "AllowAnonymous"


def test_app_service_authentication_that_somebody_set_up_by_hand_is_theirs(cloud: Cloud) -> None:
    cloud.set(AUTH_MODE="platform", AUTH_SCOPE="api://team/access")
    cloud.authentication = {"platform": {"enabled": True}}
    cloud.provision()
    assert cloud.somebody_has_to_sign_in


# The network


def test_a_network_from_the_start_is_closed_at_once_and_after_down_and_up_again(cloud: Cloud) -> None:
    follow(cloud, "Use your own network")
    assert (cloud.storage_is_open, cloud.vault_is_open) == (False, False)
    assert "once more" not in "".join(cloud.said)
    cloud.down()
    cloud.up()
    assert (cloud.storage_is_open, cloud.vault_is_open) == (False, False)


@pytest.mark.parametrize("pipeline", [False, True])
def test_a_network_on_a_live_app_is_joined_first_and_closed_by_the_second_command(cloud: Cloud, pipeline: bool) -> None:
    cloud.up()
    if pipeline:
        cloud.in_a_new_pipeline()
    follow(cloud, "Use your own network")
    assert (cloud.storage_is_open, cloud.vault_is_open) == (True, True)
    assert "Run 'azd provision' once more to close both" in cloud.said[-1]
    if pipeline:
        cloud.in_a_new_pipeline()
    assert "once more" not in cloud.provision()
    assert (cloud.storage_is_open, cloud.vault_is_open, cloud.app_is_cut_off) == (False, False, False)


def test_a_network_that_is_switched_off_opens_everything_again(cloud: Cloud) -> None:
    follow(cloud, "Use your own network")
    cloud.set(VNET_ENABLED="false")
    cloud.provision()
    assert cloud.storage_is_open
    follow(cloud, "Use your own network")
    cloud.provision()
    assert (cloud.storage_is_open, cloud.app_is_cut_off) == (False, False)


# The budget


def test_a_budget_is_set_raised_and_outlived(cloud: Cloud) -> None:
    cloud.set(BUDGET_AMOUNT="50", ALERT_EMAIL="team@example.com")
    cloud.provision()
    cloud.bench.azure.budget_began = "2026-01-01T00:00:00Z"
    cloud.set(BUDGET_AMOUNT="80")
    cloud.provision()
    cloud.down()
    cloud.provision()
    assert cloud.bench.azure.budget_began > "2026-01-01T00:00:00Z"


# A region that Azure rejects during a deployment


def test_a_region_that_azure_rejects_while_it_deploys_is_changed_as_documented(cloud: Cloud) -> None:
    cloud.rejecting_regions = {"westeurope": "SubscriptionIsOverQuotaForSku: This region has quota of 0 instances."}
    with pytest.raises(RefusedByAzureError, match="SubscriptionIsOverQuotaForSku"):
        cloud.up()
    assert cloud.site is None
    follow(cloud, "If Azure rejects the region")
    assert cloud.options["AZURE_LOCATION"] == "northeurope"
    assert "MCP server: https://" in cloud.said[-1]


@pytest.mark.parametrize(
    "code", ["LocationNotAvailableForResourceType", "SubscriptionIsOverQuotaForSku", "RequestDisallowedByAzure"]
)
def test_each_code_with_which_azure_rejects_a_region_is_documented(code: str) -> None:
    assert f"`{code}`" in DOCUMENT


# That the stories can fail


def test_what_the_hooks_find_out_is_what_azure_would_refuse_otherwise(cloud: Cloud) -> None:
    cloud.up()
    cloud.down()
    cloud.bench.azure.fail("GET", "/deletedVaults", *[error(403, "AuthorizationFailed")] * 3)
    with pytest.raises(RefusedByAzureError, match="the vault is deleted"):
        cloud.up()


def test_every_story_is_one_of_the_document() -> None:
    headings = re.findall(r'follow\(cloud, "(.+?)"\)', Path(__file__).read_text(encoding="utf-8"))
    assert [heading for heading in headings if f"\n## {heading}\n" not in DOCUMENT] == []
