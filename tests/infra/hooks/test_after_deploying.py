"""After deploying: the app is waited for, a sync begins, and the clients are told where."""

from __future__ import annotations

import json

import pytest

import after_deploying
from cannot_go_on import CannotGoOnError
from tests.fakes.azure_for_hooks import APP, FUNCTION, MANAGER, MASTER_KEY, error
from tests.fakes.https import Told
from tests.infra.deployed import INFRA
from tests.infra.hooks.bench import URL, Bench

NOT_YET = Told(503, headers={"Retry-After": "0"})


def test_the_sync_begins_and_the_clients_are_told_where(bench: Bench) -> None:
    done = bench.run("postdeploy")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Started a sync of Azure updates" in done.stdout
    assert "The app runs: version " in done.stdout
    assert f"MCP server: {URL}/mcp" in done.stdout
    (sync,) = bench.azure.calls("POST", "/admin/functions")
    assert (sync.host, sync.path, sync.body) == (APP, "/admin/functions/sync_updates_delta", b'{"input": ""}')
    assert sync.headers["x-functions-key"] == MASTER_KEY
    keys, _ = bench.azure.calls("POST", "/listkeys")
    assert keys.path == f"{FUNCTION}/host/default/listkeys?api-version=2024-04-01"
    assert MASTER_KEY not in done.stdout + done.stderr + json.dumps(bench.azd.calls)


def test_the_lines_for_clients_are_what_these_read(bench: Bench) -> None:
    told = bench.run("postdeploy").stdout
    json_of = {
        line.split()[0]: line[line.index("{") : line.rindex("}") + 1]
        for line in told.partition("MCP server")[2].splitlines()
        if "{" in line
    }
    assert json.loads(json_of["Cursor"]) == {"mcpServers": {"azure-team": {"url": f"{URL}/mcp"}}}
    assert json.loads(json_of["VS"]) == {"name": "azure-team", "type": "http", "url": f"{URL}/mcp"}
    document = (INFRA.parent / "docs" / "signing-in.md").read_text(encoding="utf-8").replace("https://<app>", URL)
    for command in (
        f"claude mcp add --transport http azure-team {URL}/mcp",
        f"codex mcp add azure-team --url {URL}/mcp",
    ):
        assert f" {command}\n" in told
        assert f"`{command}`" in document


def test_it_waits_until_the_app_answers(bench: Bench) -> None:
    bench.azure.fail("GET", "/health", NOT_YET, Told(404, headers={"Retry-After": "0"}), NOT_YET)
    done = bench.run("postdeploy")
    assert done.returncode == 0
    # The last one is that of the probe.
    assert len(bench.azure.calls("GET", "/health")) == 5
    assert done.stdout.count(f"Waiting for {URL}/health") == 1


def test_an_app_that_never_answers_is_told_after_five_minutes(bench: Bench) -> None:
    bench.azure.fail("GET", "/health", *[Told(503)] * 100)
    with pytest.raises(CannotGoOnError, match=r"/health does not answer \(503\).*azd hooks run postdeploy"):
        after_deploying.wait_for_the_app(bench.deployment())
    assert sum(bench.clock.slept) == 300
    assert len(bench.azure.calls("GET", "/health")) == 31


@pytest.mark.parametrize("part", ["/listkeys", "/admin/functions"])
def test_a_sync_that_cannot_be_started_is_left_to_the_app(bench: Bench, part: str) -> None:
    bench.azure.fail("POST", part, error(403, "AuthorizationFailed"))
    done = bench.run("postdeploy")
    assert done.returncode == 0
    assert "No sync was started, so the first request or the timer starts the sync" in done.stdout
    assert "403 AuthorizationFailed" in done.stdout
    assert f"MCP server: {URL}/mcp" in done.stdout


def test_who_is_no_more_signed_in_is_told_how_to_connect_all_the_same(bench: Bench) -> None:
    bench.azd.sign_in()
    done = bench.run("postdeploy")
    assert done.returncode == 0
    assert "starts the sync of Azure updates. (azd returned no token for Azure." in done.stdout
    assert f"MCP server: {URL}/mcp" in done.stdout


def test_app_service_authentication_is_not_asked_for_a_sync(bench: Bench) -> None:
    done = bench.run("postdeploy", APP_SERVICE_AUTH_ENABLED="true")
    assert done.returncode == 0
    assert "the first request or the timer starts the sync" in done.stdout
    assert not bench.azure.calls("POST", "/admin/")
    assert not bench.azure.calls("POST", "/listkeys")


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_the_key_of_the_app_follows_no_redirect(bench: Bench, status: int) -> None:
    bench.azure.fail("POST", "/admin/functions", Told(status, headers={"Location": f"https://{MANAGER}/elsewhere"}))
    after_deploying.start_a_sync(bench.deployment())
    assert not [asked for asked in bench.azure.asked if asked.path == "/elsewhere"]


def test_nothing_is_sent_without_encryption(bench: Bench) -> None:
    done = bench.run("postdeploy", SERVICE_API_URI="http://func.azurewebsites.net")
    assert done.returncode == 1
    assert "must begin with https://" in done.stderr


def test_what_the_app_says_is_shown_within_bounds(bench: Bench) -> None:
    bench.azure.health = b"x" * 2_000_000
    assert len(bench.run("postdeploy").stdout) < 4_000


def test_a_terminal_that_knows_few_letters_is_no_reason_to_fail(bench: Bench) -> None:
    bench.azure.health = '{"version": "café"}'.encode()
    done = bench.project.run("postdeploy", {**bench.variables(), "PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0
    assert r"caf\xe9" in done.stdout
