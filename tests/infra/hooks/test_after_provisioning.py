"""After provisioning: each secret comes into the vault once, and nowhere else."""

from __future__ import annotations

import json
import os
import select
from dataclasses import replace

import pytest

import after_provisioning
from cannot_go_on import CannotGoOnError
from settings import Settings
from tests.fakes.azure_for_hooks import FUNCTION, VAULT, error
from tests.fakes.https import Told
from tests.infra.hooks.bench import Bench

BOTH = "MCP_REQUEST_STATE_KEY,ADO_PAT"
NAME = "mcp-request-state-key"
PROMPT = "ADO_PAT (hidden): "


def test_the_key_is_made_and_never_shown(bench: Bench) -> None:
    done = bench.run("postprovision")
    assert done.returncode == 0, done.stderr
    value = bench.azure.secrets[NAME]
    assert Settings.from_environment({"MCP_REQUEST_STATE_KEY": value}).server.request_state_keys == (value,)
    assert len(value) == 64
    (put,) = bench.azure.calls("PUT", "")
    assert put.path == f"{VAULT}/secrets/{NAME}?api-version=2024-11-01"
    assert f"Stored the secret {NAME} in the vault.\n" in done.stdout
    assert value not in json.dumps([bench.azd.calls, [asked.path for asked in bench.azure.asked]])


def test_each_deployment_has_a_key_of_its_own(bench: Bench) -> None:
    bench.run("postprovision")
    first = bench.azure.secrets.pop(NAME)
    bench.run("postprovision")
    assert bench.azure.secrets[NAME] != first


def test_a_secret_that_is_there_stays(bench: Bench) -> None:
    bench.azure.secrets = {NAME: "old", "ado-pat": "old"}
    assert bench.run("postprovision", SETTINGS_IN_VAULT=BOTH, ADO_PAT="new").returncode == 0
    assert bench.azure.secrets == {NAME: "old", "ado-pat": "old"}


def test_a_name_that_only_begins_alike_is_another_secret(bench: Bench) -> None:
    bench.azure.secrets = {f"{NAME}-old": "old"}
    assert bench.run("postprovision").returncode == 0
    assert NAME in bench.azure.secrets


@pytest.mark.parametrize("given", ["""a"b\\c $HOME `id` 'd' %s & é""", " begins and ends with a space ", "@file"])
def test_a_secret_that_is_given_is_stored_to_the_letter(bench: Bench, given: str) -> None:
    done = bench.run("postprovision", SETTINGS_IN_VAULT=BOTH, ADO_PAT=given)
    assert done.returncode == 0, done.stderr
    assert bench.azure.secrets["ado-pat"] == given
    assert given not in done.stdout + done.stderr


def test_a_secret_that_nobody_gave_is_asked_for_before_anything_is_stored(bench: Bench) -> None:
    done = bench.run("postprovision", SETTINGS_IN_VAULT=BOTH)
    assert done.returncode == 1
    assert done.stderr == (
        "The vault has no ADO_PAT. Run 'azd hooks run postprovision', which asks for the value."
        " In a pipeline, add the value as a repository secret, and run the pipeline again.\n"
    )
    assert bench.azure.secrets == {}


@pytest.mark.parametrize(("typed", "stored"), [("hunter2", {"ado-pat": "hunter2"}), ("", {})])
def test_at_a_terminal_a_secret_is_asked_for_and_not_shown(bench: Bench, typed: str, stored: dict[str, str]) -> None:
    person, terminal = os.openpty()
    with bench.started("postprovision", terminal, SETTINGS_IN_VAULT="ADO_PAT") as process:
        assert process.stderr
        assert process.stderr.readline(len(PROMPT)) == PROMPT
        os.write(person, f"{typed}\n".encode())
        said, told = process.communicate(timeout=30)
    assert select.select([person], [], [], 0)[0] == []
    os.close(person)
    os.close(terminal)
    assert bench.azure.secrets == stored
    assert "hunter2" not in said + told
    assert process.returncode == (0 if typed else 1)


def test_the_app_is_told_to_look_for_its_secrets(bench: Bench) -> None:
    bench.run("postprovision")
    (refresh,) = bench.azure.calls("POST", "/refresh")
    assert refresh.path == f"{FUNCTION}/config/configreferences/appsettings/refresh?api-version=2022-03-01"


@pytest.mark.parametrize("answer", [error(403, "AuthorizationFailed"), error(409, "Conflict")])
def test_a_vault_that_does_not_answer_is_not_taken_for_an_empty_one(bench: Bench, answer: Told) -> None:
    bench.azure.fail("GET", "/secrets/", answer)
    done = bench.run("postprovision")
    assert done.returncode == 1
    assert "Could not check whether the vault has MCP_REQUEST_STATE_KEY" in done.stderr
    assert bench.azure.secrets == {}


def test_a_secret_that_the_vault_does_not_take_ends_it_and_is_not_repeated(bench: Bench) -> None:
    bench.azure.fail("PUT", "/secrets/", error(400, "BadParameter", "The value hunter2 is not good."))
    done = bench.run("postprovision", SETTINGS_IN_VAULT="ADO_PAT", ADO_PAT="hunter2")
    assert done.returncode == 1
    assert "The vault rejected ADO_PAT (400 BadParameter)" in done.stderr
    assert "Stored" not in done.stdout
    assert "hunter2" not in done.stderr


@pytest.mark.parametrize(("method", "part"), [("PUT", "/secrets/ado-pat"), ("POST", "/refresh")])
def test_what_a_run_before_has_stored_is_not_stored_again(bench: Bench, method: str, part: str) -> None:
    bench.azure.fail(method, part, error(403, "AuthorizationFailed"))
    given = {"SETTINGS_IN_VAULT": BOTH, "ADO_PAT": "hunter2"}
    assert bench.run("postprovision", **given).returncode == 1
    kept = bench.azure.secrets[NAME]
    assert bench.run("postprovision", **given).returncode == 0
    assert bench.azure.secrets == {NAME: kept, "ado-pat": "hunter2"}


def test_what_was_made_a_moment_ago_is_waited_for(bench: Bench) -> None:
    not_yet = error(404, "ResourceNotFound")
    bench.azure.fail("PUT", "/secrets/", not_yet, not_yet)
    bench.azure.fail("POST", "/refresh", not_yet)
    done = bench.run("postprovision")
    assert done.returncode == 0, done.stderr
    assert NAME in bench.azure.secrets
    assert "Waiting for Azure Resource Manager" in done.stdout


def test_an_app_that_never_comes_is_told_after_three_minutes(bench: Bench) -> None:
    bench.azure.fail("POST", "/refresh", *[replace(error(404, "ResourceNotFound"), headers={})] * 100)
    with pytest.raises(CannotGoOnError, match=r"404 ResourceNotFound.*Run 'azd hooks run postprovision' again"):
        after_provisioning.let_the_app_look_for_its_secrets(bench.deployment())
    assert sum(bench.clock.slept) == 180


@pytest.mark.parametrize("names", ["PATH}$(touch hacked)", "ADO_PAT,../other", "", "ado-pat"])
def test_what_is_no_setting_is_refused(bench: Bench, names: str) -> None:
    done = bench.run("postprovision", SETTINGS_IN_VAULT=f"MCP_REQUEST_STATE_KEY,{names}")
    assert done.returncode == 1
    assert "which is not the name of a setting" in done.stderr
    assert bench.azure.asked == []


@pytest.mark.parametrize("name", ["AZURE_KEY_VAULT_ID", "SETTINGS_IN_VAULT", "AZURE_FUNCTION_ID"])
def test_what_provisioning_has_not_set_is_told(bench: Bench, name: str) -> None:
    done = bench.run("postprovision", **{name: ""})
    assert done.returncode == 1
    assert done.stderr == f"{name} is not set. Run 'azd provision', which sets this value.\n"


def test_a_token_is_sent_to_azure_alone(bench: Bench) -> None:
    done = bench.run("postprovision", AZURE_KEY_VAULT_ID="@thief.example.com/vault")
    assert done.returncode == 1
    assert "is not a resource id" in done.stderr
    assert bench.azure.asked == []
