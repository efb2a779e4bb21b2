"""What is known here, and switched on by name."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from extensions.entries_file import entries_in
from extensions.ready_made import ready_made
from identity.access import Access
from refusal import Refusal
from tests.extensions.place import app_at, running
from tests.mcp_server.caller import Caller
from tools import TOOLSETS

OWN = [toolset.name for toolset in TOOLSETS]


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever such entries run is there."""
    program = tmp_path / "azd"
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)


@pytest.mark.parametrize("name", ready_made())
def test_each_can_be_switched_on_beside_all_that_is_there(name: str, programs: None) -> None:
    (entry,) = entries_in(f"ready-made: [{name}]", "extensions.yaml", OWN, {"HOME": "/home/someone", "OTHER": "x"})
    assert (entry.name, bool(entry.description), bool(entry.owner)) == (name, True, True)
    assert entry.package is None or entry.package.digest


def test_azure_as_a_process_reads_and_gives_no_secrets() -> None:
    (entry,) = entries_in("ready-made: [azmcp]", "extensions.yaml", OWN, {})
    assert entry.package
    assert "--read-only" in entry.package.arguments
    assert (entry.access("storage"), entry.access("keyvault")) == (Access.READ, None)


MINE = "extensions: {azmcp: {description: x, url: 'https://a.example.com'}}\n"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("ready-made: [nothing]", "line 1: there is no ready-made 'nothing'. There are .*azmcp"),
        ("ready-made: azmcp", "line 1: here stands a list of 1 to 50 words"),
        (f"{MINE}ready-made: [azmcp]", "line 2: 'azmcp' stands in this file twice"),
        ("ready-made: [azmcp, azmcp]", "line 1: 'azmcp' stands in this file twice"),
        ("extensions: {a: {description: x, url: 'https://a.example.com', untried: y}}", "a has no 'untried'"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(text: str, told: str) -> None:
    with pytest.raises(Refusal, match=told):
        entries_in(text, "extensions.yaml", OWN, {})


def test_those_that_are_processes_are_for_where_processes_may_be_started() -> None:
    with pytest.raises(Refusal, match=r"ready_made\.yaml, line \d+: no process may be started here"):
        entries_in("ready-made: [azmcp]", "extensions.yaml", OWN)


@pytest.mark.skipif("FUZZ_PACKAGES" not in os.environ, reason="FUZZ_PACKAGES is not set.")
async def test_the_azure_mcp_server_is_installed_learnt_and_called(tmp_path: Path) -> None:
    async with running(app_at(tmp_path, "", more="ready-made: [azmcp]\n")) as app:
        caller = Caller(app.endpoint, "azmcp")
        names = await caller.tool_names()
        assert "azmcp_storage" in names
        assert "azmcp_keyvault" not in names
        learnt = await caller.call("azmcp_storage", intent="list accounts", learn=True)
        assert not learnt["isError"]
        assert "storage_account_get" in str(learnt)
