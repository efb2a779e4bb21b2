"""After provisioning: roles that take effect late, settings that Azure changed, and resources that nobody uses."""

from __future__ import annotations

import os
from typing import Any

import pytest

import after_deploying
import after_provisioning
import vault_references
from tests.fakes.azure_for_hooks import FUNCTION, GROUP, REFERENCES, error
from tests.fakes.https import Told
from tests.infra.hooks.bench import Bench

KEY, PAT = "MCP_REQUEST_STATE_KEY", "ADO_PAT"
DENIED = "AccessToKeyVaultDenied"
NETWORK = f"{GROUP}/providers/Microsoft.Network"
GATEWAY, ADDRESS = f"{NETWORK}/natGateways/vnet-x-nat", f"{NETWORK}/publicIPAddresses/vnet-x-outgoing"
ENDPOINT, ZONE = (
    f"{NETWORK}/privateEndpoints/pep-x-blob",
    f"{NETWORK}/privateDnsZones/privatelink.blob.core.windows.net",
)
TRANSLATOR = f"{GROUP}/providers/Microsoft.CognitiveServices/accounts/trsl-x"
IN_GROUP = {"OWN_RESOURCE_GROUP": "rg"}


# Roles that take effect late


def test_the_app_is_waited_for_until_it_can_read_its_secrets(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    bench.azure.references, bench.azure.refreshes_needed = {KEY: DENIED, PAT: "Resolved"}, 20
    after_provisioning.let_the_app_look_for_its_secrets(bench.deployment())
    told = capsys.readouterr().out
    assert "Warning" not in told
    assert f"Waiting until the app can read its secrets, 0 of at most 900 s ({KEY}: {DENIED})." in told
    assert told.count("Waiting") == 19
    assert len(bench.azure.calls("POST", f"{REFERENCES}/refresh")) == 20


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (DENIED, f"the app cannot read {KEY}: its identity does not have the role Key Vault Secrets User on the vault"),
        ("SecretNotFound", f"the app cannot read {KEY} (SecretNotFound). Compare these names with the secrets"),
    ],
)
def test_after_15_minutes_the_deployment_goes_on_with_a_warning(
    bench: Bench, capsys: pytest.CaptureFixture[str], status: str, words: str
) -> None:
    bench.azure.references, bench.azure.refreshes_needed = {KEY: status}, 1000
    after_provisioning.let_the_app_look_for_its_secrets(bench.deployment())
    assert f"Warning: {words}" in capsys.readouterr().out
    assert sum(bench.clock.slept) == vault_references.SECONDS


def test_an_app_that_waits_for_its_role_does_not_end_a_deployment_red(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    bench.azure.references, bench.azure.refreshes_needed = {KEY: DENIED}, 1000
    bench.azure.fail("GET", "/health", *[Told(503)] * 1000)
    after_deploying.wait_for_the_app(bench.deployment())
    assert "does not have the role Key Vault Secrets User" in capsys.readouterr().out


def test_an_app_whose_role_takes_effect_late_is_waited_for_again(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    bench.azure.references, bench.azure.refreshes_needed = {KEY: DENIED}, 3
    bench.azure.fail("GET", "/health", *[Told(503)] * 33)
    after_deploying.wait_for_the_app(bench.deployment())
    assert "The app runs: version " in capsys.readouterr().out


# What Azure made of the scale settings


def _site(**config: Any) -> dict[str, Any]:
    return {"id": FUNCTION, "name": "func", "properties": {"functionAppConfig": config}}


def test_scale_settings_that_azure_has_otherwise_are_told(bench: Bench) -> None:
    scale = {"maximumInstanceCount": 100, "alwaysReady": [{"name": "http", "instanceCount": 2}]}
    bench.azure.sites = {FUNCTION: _site(scaleAndConcurrency=scale)}
    told = bench.run("postprovision", MAXIMUM_INSTANCE_COUNT="60", UPDATE_STRATEGY="RollingUpdate").stdout
    assert "Warning: UPDATE_STRATEGY is Recreate, but you set it to RollingUpdate." in told
    assert "Warning: MAXIMUM_INSTANCE_COUNT is 100, but you set it to 60." in told
    assert "Warning: ALWAYS_READY_INSTANCES is 2, but you set it to 0." in told


def test_of_scale_settings_that_are_as_set_nothing_is_said(bench: Bench) -> None:
    bench.azure.sites = {FUNCTION: _site(scaleAndConcurrency={"maximumInstanceCount": 100})}
    assert "Warning" not in bench.run("postprovision").stdout


# Options that were turned off


def test_what_an_option_leaves_is_listed_with_its_cost_and_removed_after_consent(bench: Bench) -> None:
    bench.azure.sites = {FUNCTION: _site(scaleAndConcurrency={"maximumInstanceCount": 100})}
    for leftover, uses in ((ADDRESS, ()), (GATEWAY, (ADDRESS,)), (TRANSLATOR, ()), (ZONE, ()), (ENDPOINT, (ZONE,))):
        bench.azure.billed.add(leftover, uses=uses)
    bench.azure.billed.add(f"{ZONE}/virtualNetworkLinks/vnet-x", uses=())
    brought = bench.azure.billed.add(f"{NETWORK}/privateEndpoints/pep-theirs-blob", environment="other")
    told = _at_a_terminal(bench, "y")
    for resource, cost in ((GATEWAY, "$32.85"), (ADDRESS, "$3.65"), (ENDPOINT, "$7.30"), (ZONE, "$0.50")):
        assert f"  {resource}  {cost} a month" in told
        assert f"Deleted {resource}." in told
    assert f"  {TRANSLATOR}  $10 for each million characters" in told
    assert bench.azure.billed.all.keys() == {brought}


def test_nothing_is_deleted_without_consent(bench: Bench) -> None:
    bench.azure.billed.add(TRANSLATOR)
    assert (
        "Nothing was deleted. Run 'azd hooks run postprovision' to repeat this check and the question."
        in _at_a_terminal(bench, "n")
    )
    assert "Nothing was deleted." in bench.run("postprovision", **IN_GROUP).stdout
    assert bench.azure.billed.all.keys() == {TRANSLATOR}


def test_what_options_still_need_is_not_listed(bench: Bench) -> None:
    for resource in (GATEWAY, ADDRESS, ENDPOINT, ZONE, TRANSLATOR):
        bench.azure.billed.add(resource)
    on = dict.fromkeys(("VNET_ENABLED", "FIXED_OUTGOING_ADDRESS", "TRANSLATOR_ENABLED"), "true")
    assert "options that are off" not in bench.run("postprovision", **IN_GROUP, **on).stdout


def test_endpoints_stay_while_the_app_is_in_the_network(bench: Bench) -> None:
    bench.azure.sites = {FUNCTION: {"id": FUNCTION, "properties": {"virtualNetworkSubnetId": f"{NETWORK}/subnet"}}}
    bench.azure.billed.add(ENDPOINT)
    assert "The app is still in the network" in _at_a_terminal(bench, "y")
    assert bench.azure.billed.all.keys() == {ENDPOINT}


def test_what_azure_does_not_delete_is_told(bench: Bench) -> None:
    bench.azure.billed.add(TRANSLATOR)
    bench.azure.fail("DELETE", "/accounts/trsl-x", error(403, "AuthorizationFailed"))
    assert f"Azure did not delete {TRANSLATOR} (403 AuthorizationFailed)." in _at_a_terminal(bench, "y")


def _at_a_terminal(bench: Bench, answer: str) -> str:
    own, its = os.openpty()
    with bench.started("postprovision", terminal=its, **IN_GROUP) as hook:
        os.write(own, f"{answer}\n".encode())
        told, problems = hook.communicate()
    assert hook.returncode == 0, problems
    return told
