"""`scripts/serve --demo`: a newcomer's first minutes, without an account."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

from tests.local_host.served import Served, serve

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
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serve(_checkout(tmp_path_factory.mktemp("demo")), "--demo", **OF_A_REAL_TEAM) as served:
        yield served


def _checkout(folder: Path) -> Path:
    (folder / "scripts").symlink_to(ROOT / "scripts")
    return folder


def asked(demo: Served, tool: str, **arguments: Any) -> dict[str, Any]:
    body = json.dumps({"tool": tool, "arguments": arguments}).encode()
    request = Request(f"{demo.url}/tools/execute", body, {"Content-Type": "application/json"})  # noqa: S310 - loopback
    with urlopen(request, timeout=SECONDS) as response:  # noqa: S310 - loopback
        result: dict[str, Any] = json.load(response)["result"]
    assert result["notice"].startswith(SENTENCE)
    return result


def read(demo: Served, path: str) -> str:
    with urlopen(f"{demo.url}{path}", timeout=SECONDS) as response:  # noqa: S310 - loopback
        text: str = response.read().decode()
    return text


def test_it_says_first_that_all_is_invented_and_what_to_ask(demo: Served) -> None:
    lines = demo.said.splitlines()
    assert any(line.startswith(SENTENCE) for line in lines)
    assert json.loads(read(demo, "/health"))["notice"].startswith(SENTENCE)
    assert SENTENCE in read(demo, "/updates.csv?limit=1")
    assert read(demo, "/").startswith(SENTENCE)


def test_updates_are_there_at_once_and_none_looks_real(demo: Served) -> None:
    found = asked(demo, "search_azure_updates", query="networking", filters={"tags": ["Retirements"]}, limit=5)
    assert found["results"]
    assert all(one["id"].startswith("invented-") for one in found["results"])
    assert "[INVENTED]" in read(demo, "/updates.rss?limit=1")


def test_azure_is_asked_with_the_account_of_az_login(demo: Served) -> None:
    names = [one["name"] for one in asked(demo, "list_azure_subscriptions")["items"]]
    assert names == ["Bakery Production", "Bakery Development", "Bakery Shared"]


def test_what_it_proposes_to_ask_has_answers(demo: Served) -> None:
    """Question by question, as they are printed, and then those of the README."""
    unused = [one["id"].rpartition("/")[2] for one in asked(demo, "survey_resources", about="unused")["items"]]
    assert unused == ["oven-old-disk", "oven-forgotten-ip"]
    changed = asked(demo, "list_resource_changes", resource="shop-web", since="2d")["items"]
    assert [one["by"] for one in changed] == ["ada.byron@example.com"]
    failed = asked(demo, "show_azure_deployment", resource_group="shop-prod", name="shop-with-archive")
    assert failed["why"][0]["says"] == "The edition 'Basic' does not support 500 GB."
    red = asked(demo, "list_builds", result="failed")["items"][0]
    assert "'basket' undeclared" in json.dumps(asked(demo, "get_build_failures", buildId=red["id"]))
    rule = asked(demo, "new_azure_firewall_rules", team="payments", source="10.0.0.0/24", destination="52.10.20.30")
    assert "team: payments" in rule["yaml_content"]
    assert asked(demo, "list_pull_requests")["items"]


def test_what_is_stored_can_be_read(demo: Served) -> None:
    kept = asked(demo, "list_blobs", account="bakeryshop", container="catalog", prefix="prices")["items"]
    assert "prices.csv" in json.dumps(kept)
    prices = asked(demo, "download_blob", account="bakeryshop", container="catalog", blob="prices.csv")
    assert "bread,3.20" in json.dumps(prices)
    assert "4711" in json.dumps(asked(demo, "peek_storage_queue", account="bakeryshop", queue="orders-poison"))
    assert asked(demo, "query_storage_table", account="bakeryshop", table="orders")["items"]


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


@pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_nothing_stays_behind(tmp_path: Path, how: signal.Signals) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    with serve(_checkout(tmp_path), "--demo", TMPDIR=str(temporary)) as served:
        started = _below(served.process.pid)
        assert any("scripts.demo_world" in command for command in started.values())
        assert [folder.name for folder in temporary.glob("azure-team-demo-*")]
        ends = [os.pidfd_open(pid) for pid in started]
        os.killpg(served.process.pid, how)
        for end in ends:
            assert select.select([end], [], [], SECONDS)[0], "a process is still there"
            os.close(end)
    if how is signal.SIGINT:
        assert not list(temporary.glob("azure-team-demo-*"))
        assert "Traceback" not in (tmp_path / "stderr").read_text()


def _below(pid: int) -> dict[int, str]:
    """The processes that a process started, and those that they did, with their commands."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid=,args="], capture_output=True, text=True, check=True).stdout
    rows = [line.split(None, 2) for line in listed.splitlines()]
    found = {int(one): args for one, parent, args in rows if int(parent) == pid}
    return found | {child: args for one in found for child, args in _below(one).items()}


def test_it_takes_no_emulator_besides() -> None:
    command = [sys.executable, str(ROOT / "scripts" / "serve"), "--demo", "--azurite"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert "not allowed with argument" in ended.stderr
