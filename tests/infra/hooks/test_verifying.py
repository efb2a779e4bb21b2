"""Each probe against a deployment with exactly the fault that it is for, and without any."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from tests.fakes.azure_for_hooks import FUNCTION
from tests.fakes.deployed_app import FUNCTIONS
from tests.infra.hooks.bench import URL, Bench
from verification import timing
from verification.all_probes import AFTER_DEPLOYING, PROBES
from verification.probe import ProbeOutcome, Report, outcome_of
from verification.showing import as_json, for_an_issue, table
from verification.target import Target

ROOT = Path(__file__).parents[3]
VALUES: dict[str, Any] = {
    "AZURE_STORAGE_ACCOUNT": "st",
    "AZURE_KEY_VAULT_NAME": "kv",
    "AZURE_RESOURCE_GROUP": "rg",
    "AZURE_IDENTITY_PRINCIPAL_ID": "33333333-3333-3333-3333-333333333333",
    "ALERT_EMAIL": "team@example.com",
    "OUTGOING_IP_ADDRESS": "192.0.2.9",
}
SITE = {"functionAppConfig": {"scaleAndConcurrency": {"maximumInstanceCount": 100}}}
# The probe, the fault, what is said of it, and the command that fixes it.
FAULTS = [
    (1, "version", "/health reports version 0.0.1, but this is", "azd deploy"),
    (1, "health", "/health returned 503", "azd hooks run postdeploy"),
    (4, "host", "The Functions host is Error", "azd deploy"),
    (5, "functions", f"Azure does not have the functions {FUNCTIONS[0]}.", "azd deploy"),
    (6, "initialize", "initialize with a content length returned 500", "azd deploy"),
    (7, "chunked", "initialize in chunks returned 400", "azd deploy"),
    (8, "lists", "tools/list returned 500", "azd deploy"),
    (8, "no tools", "The server lists no tools.", "azd env get-value MCP_TOOLSETS"),
    (9, "open", "A protected tool returned 200 to a caller without a token.", "azd provision"),
    (9, "no metadata", "The 401 response does not contain the URL of the metadata", "azd provision"),
    (10, "metadata", "The metadata names https://other.example/mcp", "azd env set CUSTOM_DOMAIN"),
    (11, "forged", "answers a forged token with 200", "azd provision"),
    (12, "search_azure_updates", "search_azure_updates failed", "azd deploy"),
    (14, "list_projects", "The server cannot read Azure DevOps on your behalf: list_projects does not work", "azd env"),
    (14, "list_secrets", "The server cannot read Key Vault on your behalf: list_secrets does not work", "azd env"),
    (14, "list_blobs", "The server cannot read Storage on your behalf: list_blobs does not work", "azd env"),
    (14, "query_logs", "The server cannot read Log Analytics on your behalf: query_logs does not work", "azd env"),
    (15, "foreign host", "a foreign host header (200", 'azd env set MCP_ALLOWED_HOSTS ""'),
    (15, "foreign origin", "a foreign origin header (200", 'azd env set MCP_ALLOWED_ORIGINS ""'),
    (16, "no preview", "The deletion of a file was not previewed", "azd env set MCP_CONSENT_WAIVED"),
    (16, "never applied", "An approved change was not applied", "azd deploy"),
    (17, "excluded path", "App Service authentication requires a sign-in for /health", "azd provision"),
    (18, "task fails", "The task is failed", "azd deploy"),
    (18, "no task", "A long call did not start a task.", "azd env set TASKS_STEP_SECONDS"),
    (19, "dead letters", "2 messages are in the queue tasks-poison.", "azd env get-value AZURE_STORAGE_ACCOUNT"),
    (20, "never synced", "Azure updates were never synced.", "azd hooks run postdeploy"),
    (20, "stale", "Azure updates are stale: Look at the log.", "azd hooks run postdeploy"),
    (22, "a rule", "7 of 8 alert rules exist and are enabled.", "azd provision"),
    (22, "disabled", "0 of 8 alert rules exist and are enabled.", "azd provision"),
    (22, "receiver", "No action group sends mail to team@example.com.", "azd provision"),
    (22, "mail", "Azure did not send a test mail", "azd env set ALERT_EMAIL"),
    (23, "package", "The app's own identity can replace the package", "azd provision"),
    (24, "open storage", "The storage answers requests without a sign-in.", "azd provision"),
    (24, "open vault", "The vault answers requests without a sign-in.", "azd provision"),
]


def _target(bench: Bench, **values: Any) -> Target:
    bench.azure.sites = bench.azure.sites or {FUNCTION: {"id": FUNCTION, "properties": SITE}}
    deployment = bench.deployment(**{**VALUES, **values})
    return Target(URL, deployment.web, bench.clock, deployment)


def _ask(bench: Bench, number: int, **values: Any) -> ProbeOutcome:
    return outcome_of(PROBES[number - 1], _target(bench, **values))


def test_a_deployment_without_a_fault_passes_every_probe_that_has_a_meaning_for_it(bench: Bench) -> None:
    target = _target(bench)
    outcomes = [outcome_of(probe, target) for probe in PROBES]
    assert {one.number: one.found for one in outcomes if one.result != "passed"} == {
        17: "App Service authentication is off"
    }
    assert _ask(bench, 17, APP_SERVICE_AUTH_ENABLED="true").result == "passed"
    assert bench.azure.app.files == set()
    assert bench.azure.app.mails == ["team@example.com"]


def test_probes_are_numbered_in_their_order_and_every_one_has_a_fault() -> None:
    assert [probe.number for probe in PROBES] == list(range(1, 26))
    elsewhere = {2, 3, 13, 21, 25}
    assert {number for number, *_ in FAULTS} | elsewhere == set(range(1, 26))


@pytest.mark.parametrize(("number", "fault", "words", "command"), FAULTS, ids=lambda value: str(value)[:24])
def test_a_fault_is_found_and_told_with_the_command_that_fixes_it(
    bench: Bench, number: int, fault: str, words: str, command: str
) -> None:
    bench.azure.app.faults = {fault}
    found = _ask(bench, number, **({"APP_SERVICE_AUTH_ENABLED": "true"} if number == 17 else {}))
    assert (found.result, words in found.found) == ("failed", True), found
    assert found.command.startswith(command)


@pytest.mark.parametrize(("status", "location", "result"), [(307, "https://here/", "passed"), (200, "", "failed")])
def test_plain_http_must_be_redirected(bench: Bench, status: int, location: str, result: str) -> None:
    class Plain(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.send_header("Location", location)
            self.send_header("Content-Length", "0")
            self.end_headers()

    with HTTPServer(("127.0.0.2", 0), Plain) as server:
        thread = Thread(target=server.handle_request)
        thread.start()
        target = replace(_target(bench), url=f"https://127.0.0.2:{server.server_port}")
        found = outcome_of(PROBES[1], target)
        thread.join()
    assert found.result == result
    if result == "failed":
        assert found.found == "The server answers plain HTTP with 200 instead of a redirect to https."


def test_a_secret_that_the_app_cannot_read_is_told(bench: Bench) -> None:
    bench.azure.references = {"MCP_REQUEST_STATE_KEY": "AccessToKeyVaultDenied"}
    found = _ask(bench, 3)
    assert "does not have the role Key Vault Secrets User on the vault kv" in found.found
    assert found.command == "azd hooks run postprovision"


def test_a_token_without_a_role_is_told(bench: Bench) -> None:
    bench.azd.claim(idtyp="user")
    assert _ask(bench, 13).found.startswith("Your token has no role: assign one in the portal")
    bench.azd.claim(roles=["Reader"], idtyp="user")
    assert _ask(bench, 13).found == "roles: present, idtyp: present, auth_time: absent"


def test_each_service_is_read_in_the_name_of_the_person_or_it_is_said_why_not(bench: Bench) -> None:
    works = ("Azure Resource Manager", "Azure DevOps", "Azure Resource Graph", "Key Vault", "Storage", "Log Analytics")
    found = _ask(bench, 14).found
    assert [name for name in works if f"{name}: works" not in found] == []
    assert "Application Insights: skipped, Log Analytics has the same data" in found
    assert "Service Bus: skipped, the template creates no namespace" in found
    without = _ask(bench, 14, ENTRA_SERVICES="azure,storage", AZURE_STORAGE_ACCOUNT="").found
    assert "Key Vault: skipped, not in ENTRA_SERVICES" in without
    assert "Storage: skipped, AZURE_STORAGE_ACCOUNT is not in the azd environment" in without


def test_a_person_without_a_role_on_the_vault_shows_that_the_exchange_works(bench: Bench) -> None:
    bench.azure.app.faults, bench.azure.app.because = {"list_secrets"}, "403 Forbidden"
    found = _ask(bench, 14)
    assert (found.result, "Key Vault: works, but you have no role for this service" in found.found) == ("passed", True)


def test_a_call_that_is_not_in_the_audit_is_told_after_five_minutes(bench: Bench) -> None:
    target = _target(bench)
    bench.azure.app.faults = {"audit"}
    assert outcome_of(PROBES[11], target).result == "passed"
    assert "is not in the audit log after 5 minutes" in outcome_of(PROBES[20], target).found
    assert sum(bench.clock.slept) == 300


def test_a_scale_that_azure_has_otherwise_is_told(bench: Bench) -> None:
    found = _ask(bench, 25, MAXIMUM_INSTANCE_COUNT="60")
    assert found.found == "MAXIMUM_INSTANCE_COUNT is 100, but you set it to 60."
    assert "OUTGOING_IP_ADDRESS is 192.0.2.1" in _ask(bench, 25, OUTGOING_IP_ADDRESS="192.0.2.1").found


@pytest.mark.parametrize("what", ["storage", "vault"])
def test_a_network_that_is_closed_must_turn_everybody_away(bench: Bench, what: str) -> None:
    bench.azure.app.faults = {f"reachable {what}"}
    assert _ask(bench, 24).result == "passed"
    found = _ask(bench, 24, VNET_ENABLED="true")
    assert f"VNET_ENABLED is on, but the {what} is reachable from outside" in found.found


def test_bodies_in_chunks_may_be_refused_with_the_reason(bench: Bench) -> None:
    bench.azure.app.faults = {"no chunks"}
    found = _ask(bench, 7)
    assert (found.result, found.found[:4]) == ("passed", "411:")


def test_a_task_that_takes_too_long_is_cancelled(bench: Bench) -> None:
    bench.azure.app.looks = 1000
    assert "A task is working after 60 s, and was cancelled." in _ask(bench, 18).found


def test_where_nobody_signs_in_probes_about_tokens_are_skipped(bench: Bench) -> None:
    bench.azure.app.signs_in = False
    outcomes = {number: _ask(bench, number).result for number in (9, 10, 11, 13, 14)}
    assert set(outcomes.values()) == {"skipped"}
    assert _ask(bench, 12).result == "passed"


def test_without_a_token_of_azd_it_is_said_how_to_get_one(bench: Bench) -> None:
    bench.azd.sign_in()
    found = _ask(bench, 6)
    assert (found.result, "PRE_AUTHORIZED_CLIENTS" in found.found) == ("skipped", True)


def test_warm_calls_and_cold_starts_are_measured_ten_times_each(bench: Bench) -> None:
    target = _target(bench)
    assert (len(timing.warm(target)), len(timing.cold(target))) == (10, 10)
    assert bench.azure.app.restarts == 10


def test_the_report_is_a_table_or_json_and_has_nothing_private_for_an_issue(bench: Bench) -> None:
    bench.azure.app.faults = {"version", "chunked"}
    target = _target(bench)
    report = Report(URL, [outcome_of(probe, target) for probe in PROBES], {"warm call": [12, 14]})
    lines = "\n".join(table(report))
    assert "\n1: /health reports version 0.0.1" in lines
    assert "   Run: azd deploy" in lines
    assert "warm call, ms: 12, 14 (median 13)" in lines
    document = json.loads(as_json(report))
    assert [one["number"] for one in document["probes"]] == list(range(1, 26))
    assert document["milliseconds"] == {"warm call": [12, 14]}
    block = "\n".join(for_an_issue(report))
    assert "- probe 7, initialize, in chunks: failed" in block
    assert "func.azurewebsites.net" not in block
    assert "team@example.com" not in block


def test_after_deploying_the_first_eleven_are_asked_and_fail_nothing(bench: Bench) -> None:
    bench.azure.app.faults = {"version"}
    done = bench.run("postdeploy")
    assert done.returncode == 0
    assert [probe.number for probe in AFTER_DEPLOYING] == list(range(1, 12))
    assert " 1  /health reports this version                    failed" in done.stdout
    assert (
        " of 11 probes failed.\nRun 'scripts/verify https://func.azurewebsites.net' for all 25 probes." in done.stdout
    )
    assert "MCP server: https://" in done.stdout


def test_the_script_prints_a_table_or_json_and_says_by_its_status_whether_all_is_well(bench: Bench) -> None:
    bench.azure.sites = {FUNCTION: {"id": FUNCTION, "properties": SITE}}
    command = [sys.executable, str(ROOT / "scripts" / "verify"), f"{URL}/mcp", "--environment", "team"]
    values = {**bench.variables(**VALUES), "AZURE_ENV_NAME": "team"}
    said = subprocess.run(
        [*command, "--json", "--only", "1,3,19"], env=values, capture_output=True, text=True, check=False
    )
    assert said.returncode == 0, said.stderr
    assert [one["result"] for one in json.loads(said.stdout)["probes"]] == ["passed"] * 3
    bench.azure.app.faults = {"dead letters"}
    told = subprocess.run([*command, "--only", "19"], env=values, capture_output=True, text=True, check=False)
    assert (told.returncode, "paste the following lines into the issue form" in told.stdout) == (1, True)
