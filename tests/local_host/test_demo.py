"""`scripts/serve --demo`: a newcomer's first minutes, without an account."""

from __future__ import annotations

import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from tests.local_host.served import Served, serve
from tests.sweeps import ALL

ROOT = Path(__file__).parent.parent.parent
SENTENCE = "Demo: all data is made up."
SECONDS = 20
# What a developer may have set for the real services of a team.
OF_A_REAL_TEAM = {
    "AUTH_MODE": "oauth",
    "ADO_PAT": "real-token",
    "ADO_ALLOWED_PROJECTS": "Real",
    "AZURE_ALLOWED_SUBSCRIPTIONS": "Real",
    "MCP_TOOLSETS": "firewall",
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _checkout(tmp_path_factory.mktemp("demo"))


@pytest.fixture(scope="module")
def demo(place: Path) -> Iterator[Served]:
    with serve(place, "--demo", TMPDIR=str(place / "temporary"), **OF_A_REAL_TEAM) as served:
        yield served


def _checkout(folder: Path) -> Path:
    (folder / "scripts").symlink_to(ROOT / "scripts")
    (folder / "temporary").mkdir()
    return folder


def asked(demo: Served, tool: str, **arguments: Any) -> dict[str, Any]:
    body = json.dumps({"tool": tool, "arguments": arguments}).encode()
    request = Request(f"{demo.url}/tools/execute", body, {"Content-Type": "application/json"})  # noqa: S310 - loopback
    with urlopen(request, timeout=SECONDS) as response:  # noqa: S310 - loopback
        result: dict[str, Any] = json.load(response)["result"]
    assert result["notice"].startswith(SENTENCE)
    return result


def waiting(demo: Served, tool: str, **arguments: Any) -> str:
    """What a call says that has to be approved first."""
    body = json.dumps({"tool": tool, "arguments": arguments}).encode()
    request = Request(f"{demo.url}/tools/execute", body, {"Content-Type": "application/json"})  # noqa: S310 - loopback
    with urlopen(request, timeout=SECONDS) as response:  # noqa: S310 - loopback
        assert response.status == HTTPStatus.ACCEPTED
        text: str = json.load(response)["detail"]
    return text


def eventually(demo: Served, tool: str, field: str, **arguments: Any) -> str:
    """The answer of a tool that is getting ready, as soon as it has something."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        with suppress(HTTPError):
            if found := asked(demo, tool, **arguments)[field]:
                return json.dumps(found)
        time.sleep(0.05)
    raise AssertionError(tool)


def read(demo: Served, path: str) -> str:
    with urlopen(f"{demo.url}{path}", timeout=SECONDS) as response:  # noqa: S310 - loopback
        text: str = response.read().decode()
    return text


def test_it_starts_with_three_lines_and_the_url(demo: Served) -> None:
    lines = demo.said.splitlines()
    assert [line.partition(":")[0] for line in lines] == ["Demo", "Try", "Connect", "Listening on http"]
    assert lines[0].startswith(SENTENCE)
    assert json.loads(read(demo, "/health"))["notice"].startswith(SENTENCE)
    assert SENTENCE in read(demo, "/updates.csv?limit=1")
    assert read(demo, "/").startswith(SENTENCE)


def test_a_change_waits_for_approval(demo: Served) -> None:
    assert f"{demo.url}/changes" in demo.said
    assert "Delete the public IP address oven-forgotten-ip" in read(demo, "/changes")


def test_updates_are_there_at_once_and_none_looks_real(demo: Served) -> None:
    found = asked(demo, "search_azure_updates", query="networking", filters={"tags": ["Retirements"]}, limit=5)
    assert found["results"]
    assert all(one["id"].startswith("invented-") for one in found["results"])
    assert "[INVENTED]" in read(demo, "/updates.rss?limit=1")


def test_azure_is_asked_with_the_account_of_az_login(demo: Served) -> None:
    names = [one["name"] for one in asked(demo, "list_azure_subscriptions")["items"]]
    assert names == ["Bakery Production", "Bakery Development", "Bakery Shared"]


def test_the_questions_of_the_readme_have_answers(demo: Served) -> None:
    """Question by question, as they are printed; the last one of a row asks for a change."""
    red = asked(demo, "list_builds", result="failed")["items"][0]
    assert "'basket' undeclared" in json.dumps(asked(demo, "get_build_failures", buildId=red["id"]))
    assert asked(demo, "list_pull_requests")["items"]
    rule = asked(demo, "new_azure_firewall_rules", team="payments", source="10.0.0.0/24", destination="52.10.20.30")
    assert "team: payments" in rule["yaml_content"]
    changed = asked(demo, "list_resource_changes", resource="shop-web", since="2d")["items"]
    assert [one["by"] for one in changed] == ["ada.byron@example.com"]
    failed = asked(demo, "show_azure_deployment", resource_group="shop-prod", name="shop-with-archive")
    assert failed["why"][0]["says"] == "The edition 'Basic' does not support 500 GB."
    assert "4711" in json.dumps(asked(demo, "peek_storage_queue", account="bakeryshop", queue="orders-poison"))
    unused = asked(demo, "survey_resources", about="unused")
    assert [one["id"].rpartition("/")[2] for one in unused["items"]] == ["oven-old-disk", "oven-forgotten-ip"]
    networking = {"productCategories": ["Networking"], "availabilityRing": "Retirement"}
    assert asked(demo, "search_azure_updates", filters=networking)["results"]
    disk = unused["idsBeginWith"] + unused["items"][0]["id"]
    assert "Delete the disk oven-old-disk" in waiting(demo, "delete_azure_resource", resource_id=disk)
    assert asked(demo, "show_costs")["total"]
    assert asked(demo, "compare_costs")["items"]
    assert asked(
        demo,
        "list_role_assignments",
        resource_group="shop-prod",
        action="Microsoft.Resources/subscriptions/resourceGroups/delete",
    )["items"]
    friday = f"{datetime.now(UTC) + timedelta(days=5):%Y-%m-%d}"
    reader = {"principal": "ada.byron@example.com", "role": "Reader", "resource_group": "shop-prod", "until": friday}
    assert "ada.byron@example.com" in waiting(demo, "assign_role", **reader)


def test_builds_are_of_yesterday_and_no_update_is_of_tomorrow(demo: Served) -> None:
    today = datetime.now(UTC)
    yesterday = {f"{today - timedelta(days=days):%Y-%m-%d}" for days in (1, 2)}  # the day may have changed since
    builds = asked(demo, "list_builds")["items"]
    assert {one["finished"][:10] for one in builds} <= yesterday
    assert asked(demo, "get_current_iteration")["timeFrame"] == "current"
    newest = asked(demo, "search_azure_updates", sortBy="modified", limit=1)["results"][0]
    assert newest["created"] <= newest["modified"] <= f"{today:%Y-%m-%d}"


def test_the_rest_of_a_team_is_there_too(demo: Served) -> None:
    assert "the address is missing" in eventually(demo, "docs_search", "results", query="orders stuck")
    assert "oven-old-disk" in asked(demo, "read_resource", uri="file:///handover/friday.md")["text"]
    assert asked(demo, "ovens_list_ovens")["deck oven"] == 210
    assert asked(demo, "send_metric", metric_name="orders.baked", value=12)["status"] == "accepted"


@pytest.mark.skipif(not shutil.which("git"), reason="the repository needs git")
def test_the_repository_of_the_team_can_be_cloned(demo: Served) -> None:
    found = eventually(demo, "docs_search", "results", query="repository source of the shop")
    url = re.search(r"http://127[^ ]*/\**shop\**\.git", found)
    assert url, found
    asked(demo, "git_clone", repo_url=url[0].replace("*", ""))
    assert "croissant" in asked(demo, "git_read", repo_dir="shop", path="src/prices.py")["text"]


def test_the_records_of_the_team_can_be_read(demo: Served) -> None:
    if "cosmos-data" not in json.loads(read(demo, "/health"))["toolsets"]:
        pytest.skip("Cosmos DB needs Node.js and npm")
    stuck = {"where": [{"field": "status", "operator": "=", "value": "stuck"}]}
    assert [one["id"] for one in asked(demo, "cosmos_db_query", container="orders", query=stuck)["items"]] == ["4711"]


def test_what_is_stored_can_be_read(demo: Served) -> None:
    kept = asked(demo, "list_blobs", account="bakeryshop", container="catalog", prefix="prices")["items"]
    assert "prices.csv" in json.dumps(kept)
    prices = asked(demo, "download_blob", account="bakeryshop", container="catalog", blob="prices.csv")
    assert "bread,3.20" in json.dumps(prices)
    assert "4711" in json.dumps(asked(demo, "peek_storage_queue", account="bakeryshop", queue="orders-poison"))
    assert asked(demo, "query_storage_table", account="bakeryshop", table="orders")["items"]


def test_what_the_team_runs_is_affected_by_retirements(demo: Served) -> None:
    found = asked(demo, "what_retires_here")
    assert {"Grace Brewster", "shop", "oven"} <= {each["owner"] for one in found["items"] for each in one["affects"]}
    assert all(key.startswith("invented-") for one in found["items"] for key in one.get("update", ()))


def test_a_model_can_do_all_of_it_through_one_tool(demo: Served) -> None:
    call = {"name": "azure", "arguments": {"tool": "devops-builds", "command": "list_builds", "parameters": {}}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2025-11-25",
    }
    request = Request(f"{demo.url}/mcp", json.dumps(message).encode(), headers)  # noqa: S310 - loopback
    with urlopen(request, timeout=SECONDS) as response:  # noqa: S310 - loopback
        result = json.load(response)["result"]
    assert result["content"][0]["text"].startswith(f'{{"notice":"{SENTENCE}')


def test_it_takes_no_emulator_besides() -> None:
    command = [sys.executable, str(ROOT / "scripts" / "serve"), "--demo", "--azurite"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert "not allowed with argument" in ended.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")
@pytest.mark.skipif(not ALL, reason="FUZZ_SWEEPS is not set: it starts a demo of its own.")
def test_no_process_stays_behind_one_that_is_killed(tmp_path: Path) -> None:
    with serve(_checkout(tmp_path), "--demo") as served:
        _assert_all_end(served, signal.SIGKILL)


@pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")
def test_nothing_stays_behind_one_that_is_interrupted(demo: Served, place: Path) -> None:
    """This is the last test of the demo that they share."""
    assert list((place / "temporary").glob("azure-team-demo-*"))
    _assert_all_end(demo, signal.SIGINT)
    demo.process.wait()
    assert not list((place / "temporary").glob("azure-team-demo-*"))
    assert "Traceback" not in (place / "stderr").read_text()


def _assert_all_end(served: Served, how: signal.Signals) -> None:
    started = _below(served.process.pid)
    assert any("scripts.demo_world" in command for command in started.values())
    ends = [os.pidfd_open(pid) for pid in started]
    os.killpg(served.process.pid, how)
    for end in ends:
        assert select.select([end], [], [], SECONDS)[0], "a process is still there"
        os.close(end)


def _below(pid: int) -> dict[int, str]:
    """The processes that a process started, and those that they did, with their commands."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid=,args="], capture_output=True, text=True, check=True).stdout
    rows = [line.split(None, 2) for line in listed.splitlines()]
    found = {int(one): args for one, parent, args in rows if int(parent) == pid}
    return found | {child: args for one in found for child, args in _below(one).items()}
