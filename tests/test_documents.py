"""What the documents say is so: their commands exist, their examples run, their links lead somewhere."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

from mcp_server.catalog.catalog import Catalog
from mcp_server.catalog.catalogs import Catalogs
from mcp_server.http.endpoint import Endpoint
from mcp_server.http.gate import LOCAL_HOSTS, Gate
from mcp_server.http.reception import Reception
from mcp_server.server import McpServer, ServerInfo
from tests.mcp_server.caller import Caller
from tests.offline import app_of, offline

ROOT = Path(__file__).parent.parent
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])
SCRIPTS = {path.name for path in (ROOT / "scripts").iterdir() if path.is_file() and not path.suffix}

each_document = pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)


@each_document
def test_a_link_to_a_file_leads_to_one(document: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)", document.read_text(encoding="utf-8"))
    assert [link for link in links if not (document.parent / link).exists()] == []


@each_document
def test_a_script_that_is_named_is_there(document: Path) -> None:
    named = set(re.findall(r"scripts/([a-z]+)\b(?!/)", document.read_text(encoding="utf-8")))
    assert named <= SCRIPTS


def test_every_part_of_the_checks_that_is_named_can_be_run() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    sentence = re.search(r"To run one part of the checks, pass its name: (.*?)\.\n", text, re.DOTALL)
    assert sentence is not None
    named = set(re.findall(r"`(?:scripts/test )?([a-z0-9]+)`", sentence[1]))
    answer = subprocess.run(
        [sys.executable, ROOT / "scripts" / "test", "no-such-part"], capture_output=True, text=True, check=False
    )
    assert answer.returncode == 2
    assert named == set(re.findall(r"\w+", answer.stderr.partition("The parts are ")[2]))


def test_the_nightly_pipeline_does_what_each_change_goes_through_and_sends_as_many_requests_as_is_said() -> None:
    nightly, checks = (_workflow(name)["jobs"]["test"] for name in ("nightly", "checks"))
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    sent = {name: value for name, value in nightly["env"].items() if name != "PYTEST_ADDOPTS"}
    assert sent == dict(re.findall(r"`([A-Z_]+)=(\d+)`", text))
    assert nightly["steps"] == checks["steps"]


def _workflow(name: str) -> dict[str, Any]:
    text = (ROOT / ".github" / "workflows" / f"{name}.yml").read_text(encoding="utf-8")
    content: dict[str, Any] = yaml.safe_load(text)
    return content


def test_the_lines_that_connect_a_client_hold_the_address_that_is_served() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    cursor = re.search(r"`(\{\"mcpServers\".*?\})`", readme)
    assert cursor is not None
    vs_code = json.loads((ROOT / ".vscode" / "mcp.json").read_text(encoding="utf-8"))
    addresses = {json.loads(cursor[1])["mcpServers"]["azure-team"]["url"], vs_code["servers"]["azure-team"]["url"]}
    addresses |= set(re.findall(r"claude mcp add .* (http\S+)`", readme))
    assert addresses == {"http://127.0.0.1:7071/mcp"}


async def test_the_example_of_select_keeps_what_is_said(tmp_path: Path) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    example = re.search(r'```json\n(\{"tool".*?"select".*?)\n```', readme)
    assert example is not None
    app = app_of(offline(tmp_path))
    result = await Caller(app.endpoint).call("azure", **json.loads(example[1]))
    await app.close()
    kept = result["structuredContent"]
    assert "note" not in kept
    assert kept["notice"].startswith("INVENTED")
    assert kept["result"]
    assert all(entry.keys() == {"title", "dates"} for entry in kept["result"])


async def test_the_example_of_a_tool_works_as_it_stands() -> None:
    text = (ROOT / "docs" / "adding-a-tool.md").read_text(encoding="utf-8")
    code = re.search(r"```python\n(.*?)```", text, re.DOTALL)
    assert code is not None
    example = ModuleType("example")
    sys.modules["example"] = example
    exec(code[1], example.__dict__)  # noqa: S102 - the documented example is what is under test
    catalog = Catalog([example.toolset], ())
    server = McpServer(ServerInfo("example", "Example", "1", ""), nullcontext, [])
    caller = Caller(Endpoint(server, Catalogs(catalog), Reception(Gate.of(LOCAL_HOSTS, ()))), "all")
    assert (await caller.call("greet", name="Ada", language="de"))["structuredContent"] == {"text": "Guten Tag Ada"}
    assert await caller.told("greet", name="Ada", language="fr") == "There is no greeting in 'fr'. Use en or de."
