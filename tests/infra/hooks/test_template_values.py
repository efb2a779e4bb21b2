"""Before provisioning: values that azd would break or leak, and what Azure would reject late."""

from __future__ import annotations

import json
import os
import re
import shlex
from typing import Any

import pytest

import permissions
import template_values
from cannot_go_on import CannotGoOnError
from tests.fakes.azure_for_hooks import APPLICATION_INSIGHTS, error
from tests.infra.deployed import INFRA
from tests.infra.hooks.bench import Bench

AWKWARD = {
    "MCP_NOTICE": 'This is a "trial"\nuntil\tFriday \\ Monday',
    "OWN_TAGS": 'owner="team"',
    "ALERT_EMAIL": "team@example.com\n",
}


def test_values_that_would_break_json_are_shown_with_the_commands_that_escape_them(bench: Bench) -> None:
    done = bench.run("preprovision", **AWKWARD)
    assert done.returncode == 1
    commands = [shlex.split(line) for line in done.stderr.splitlines() if line.startswith("  azd env set ")]
    escaped = {command[3]: command[4] for command in commands}
    assert {name: json.loads(f'"{value}"') for name, value in escaped.items()} == AWKWARD
    assert bench.run("preprovision", MCP_NOTICE=escaped["MCP_NOTICE"]).returncode == 0


@pytest.mark.parametrize("character", ['"', "\\ ", "\n", "\t", "\r", "\x07"])
def test_every_value_is_checked(bench: Bench, character: str) -> None:
    names = sorted(template_values.names() - template_values.OF_AZD)
    values: dict[str, Any] = dict.fromkeys(names, f"a{character}b")
    with pytest.raises(CannotGoOnError) as refused:
        template_values.check_values(bench.deployment(**values))
    commands = [shlex.split(line)[3:] for line in str(refused.value).splitlines()[1:]]
    assert commands == [[name, json.dumps(f"a{character}b")[1:-1]] for name in names]


def test_values_of_the_shell_are_listed_and_nothing_is_deployed_without_consent(bench: Bench) -> None:
    bench.shell = {"AZURE_OPENAI_ENDPOINT": "https://mine.openai.azure.com", "MCP_NOTICE": "n" * 100}
    done = bench.run("preprovision")
    assert done.returncode == 1
    assert "  AZURE_OPENAI_ENDPOINT=https://mine.openai.azure.com\n  MCP_NOTICE=nnn" in done.stdout
    assert "azd env set AZURE_OPENAI_ENDPOINT <value>" in done.stderr
    assert "unset AZURE_OPENAI_ENDPOINT" in done.stderr
    assert not bench.azure.asked


@pytest.mark.parametrize(("said", "status"), [("y", 0), ("n", 1), ("", 1)])
def test_somebody_at_a_terminal_is_asked_for_values_of_the_shell(bench: Bench, said: str, status: int) -> None:
    bench.shell = {"AZURE_OPENAI_ENDPOINT": "https://mine.openai.azure.com"}
    own, its = os.openpty()
    with bench.started("preprovision", terminal=its) as hook:
        os.write(own, f"{said}\n".encode())
        told, _ = hook.communicate()
    assert (hook.returncode, "Deploy with these values? [y/N]" in told) == (status, True)


def test_the_variables_of_a_pipeline_are_meant(bench: Bench) -> None:
    bench.shell = {"AZURE_OPENAI_ENDPOINT": "https://mine.openai.azure.com", "CI": "true"}
    assert bench.run("preprovision").returncode == 0


def test_values_of_the_azd_environment_are_not_asked_about(bench: Bench) -> None:
    done = bench.run("preprovision", MCP_NOTICE="This is a trial.")
    assert (done.returncode, "come from your shell" in done.stdout) == (0, False)


# The cloud and what its regions take


@pytest.mark.parametrize(("cloud", "region"), [("AzureUSGovernment", ""), ("", "usgovvirginia"), ("", "China North 3")])
def test_a_sovereign_cloud_is_rejected_in_one_sentence_before_anything_is_asked(
    bench: Bench, cloud: str, region: str
) -> None:
    bench.azd.configure(**{"cloud_name": cloud} if cloud else {})
    done = bench.run("preprovision", **{"AZURE_LOCATION": region} if region else {})
    assert done.returncode == 1
    assert done.stderr.startswith("This template supports only Azure's public cloud")
    assert not bench.azure.asked


def test_a_budget_without_anybody_to_tell_is_rejected(bench: Bench) -> None:
    done = bench.run("preprovision", BUDGET_AMOUNT="50")
    assert done.returncode == 1
    assert "Azure rejects a budget without recipients. Run 'azd env set ALERT_EMAIL <address>'" in done.stderr


@pytest.mark.parametrize(
    ("maximum", "region", "status"),
    [("39", "northeurope", 1), ("1", "northeurope", 1), ("40", "northeurope", 0), ("1", "West Europe", 0)],
)
def test_a_maximum_that_the_region_rejects_is_told_before(bench: Bench, maximum: str, region: str, status: int) -> None:
    done = bench.run("preprovision", MAXIMUM_INSTANCE_COUNT=maximum, AZURE_LOCATION=region)
    assert done.returncode == status
    if status:
        assert f"MAXIMUM_INSTANCE_COUNT is {maximum}, but {region} accepts 40 to 1000" in done.stderr
        assert "azd env set MAXIMUM_INSTANCE_COUNT 40" in done.stderr


def test_a_region_without_zones_is_told_with_those_that_have_them(bench: Bench) -> None:
    done = bench.run("preprovision", ZONE_REDUNDANT="true", AZURE_LOCATION="northeurope")
    assert done.returncode == 1
    assert "northeurope does not support it for Flex Consumption. Choose one of westeurope" in done.stderr
    assert bench.run("preprovision", ZONE_REDUNDANT="true").returncode == 0


# Permissions of the registration


def test_the_permission_of_application_insights_is_read_from_the_tenant(bench: Bench) -> None:
    bench.azure.services = {APPLICATION_INSIGHTS: {"Data.Write": "other", "Data.Read": "the id in this tenant"}}
    assert bench.run("preprovision", ENTRA_APP_ENABLED="true").returncode == 0
    assert bench.azd.remembered == {"APPLICATION_INSIGHTS_SCOPE_ID": "the id in this tenant"}


def test_a_tenant_without_application_insights_is_not_asked_for_its_permission(bench: Bench) -> None:
    bench.azure.services = {}
    done = bench.run("preprovision", ENTRA_APP_ENABLED="true", APPLICATION_INSIGHTS_SCOPE_ID="old")
    assert "This tenant has no Application Insights API" in done.stdout
    assert bench.azd.remembered == {"APPLICATION_INSIGHTS_SCOPE_ID": ""}


def test_permissions_that_cannot_be_read_keep_nobody_from_deploying(bench: Bench) -> None:
    bench.azure.fail("GET", "/servicePrincipals", error(403, "Authorization_RequestDenied"))
    done = bench.run("preprovision", ENTRA_APP_ENABLED="true")
    assert done.returncode == 0
    assert (
        "is not allowed to read the permissions of Application Insights (403 Authorization_RequestDenied)"
        in done.stdout
    )


def test_a_service_that_there_is_not_is_told_with_those_that_there_are(bench: Bench) -> None:
    done = bench.run("preprovision", ENTRA_SERVICES="azure,insights")
    assert "ENTRA_SERVICES contains 'insights'; valid values are azure, key-vault, storage" in done.stderr
    named = re.findall(r"name: '([\w-]+)'\n +application", (INFRA / "modules" / "entra.bicep").read_text("utf-8"))
    assert set(named) == set(permissions.SERVICES)
