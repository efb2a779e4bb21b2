"""What is known here, and switched on by name."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from extensions.entries_file import entries_in
from extensions.ready_made import ready_made
from extensions.sign_in.methods import trusted_by
from identity.access import Access
from identity.toolset_names import PACKS
from refusal import Refusal
from tests.extensions.place import app_at, entry_of, running
from tests.fakes.extensions.peer import Peer, served
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


REMOTE = {
    "microsoft-learn": ("microsoft_docs_search", "delete_docs"),
    "microsoft-releases": ("get_recent_azure_updates", "subscribe"),
    "microsoft-resource-manager": ("execute_query", "create_template_deployment"),
    "microsoft-devops": ("wit_get_work_item", "pipelines_run_pipeline"),
}


@pytest.mark.parametrize("name", REMOTE)
def test_servers_of_microsoft_read_and_whatever_is_not_known_destroys(name: str) -> None:
    (entry,) = entries_in(f"ready-made: [{name}]", "extensions.yaml", OWN)
    reads, destroys = REMOTE[name]
    assert (entry.access(reads), entry.access(destroys)) == (Access.READ, Access.DESTROY)
    assert entry.url.startswith("https://")
    assert not entry.is_private
    assert entry.untried


def test_what_acts_in_a_name_is_trusted_with_one_scope_at_one_origin() -> None:
    entries = entries_in("ready-made: [microsoft-devops, microsoft-resource-manager]", "extensions.yaml", OWN)
    assert {(trust.origin, trust.of.endswith("/.default")) for trust in trusted_by(entries)} == {
        ("https://mcp.dev.azure.com", True),
        ("https://mcp.management.azure.com", True),
    }


@pytest.mark.parametrize("pack", PACKS)
def test_a_pack_switches_on_what_it_has_of_these_and_names_toolsets_that_there_are(pack: str) -> None:
    entries = entries_in(f"packs: [{pack}]", "extensions.yaml", OWN)
    assert {entry.name for entry in entries} == {*PACKS[pack]} - {*OWN}
    assert entries
    assert {*PACKS[pack]} <= {*OWN, *ready_made()}


def test_what_the_file_says_itself_of_a_part_of_a_pack_counts() -> None:
    mine = "extensions: {microsoft-learn: {description: x, url: 'https://a.example.com'}}\npacks: [localization]"
    (entry,) = entries_in(mine, "extensions.yaml", OWN)
    assert entry.url == "https://a.example.com"
    twice = entries_in("packs: [documentation, localization]\nready-made: [microsoft-learn]", "extensions.yaml", OWN)
    assert sorted(entry.name for entry in twice) == ["microsoft-learn", "microsoft-releases"]


async def test_a_pack_is_listed_as_a_toolset_is(tmp_path: Path) -> None:
    peer = Peer()
    async with served(peer):
        entry = entry_of(peer, "tools: {'*': read}", name="microsoft-learn")
        async with running(app_at(tmp_path, entry)) as app:
            assert await Caller(app.endpoint, "documentation").tool_names() == ["microsoft_learn_echo"]
            assert "governance" in (await Caller(app.endpoint, "governance").error("tools/list"))["message"]


MINE = "extensions: {azmcp: {description: x, url: 'https://a.example.com'}}\n"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("ready-made: [nothing]", "line 1: unknown ready-made extension 'nothing'. Valid: .*azmcp"),
        ("packs: [everything]", "line 1: unknown pack 'everything'. Valid: governance, documentation, local"),
        ("packs: documentation", "line 1: must be a list of 1 to 50 words"),
        (
            "extensions: {governance-x: {description: x, url: 'https://a.example.com'}}",
            "to 'governance', which is a pack",
        ),
        ("ready-made: azmcp", "line 1: must be a list of 1 to 50 words"),
        (f"{MINE}ready-made: [azmcp]", "line 2: 'azmcp' appears twice in this file"),
        ("ready-made: [azmcp, azmcp]", "line 1: 'azmcp' appears twice in this file"),
        ("extensions: {a: {description: x, url: 'https://a.example.com', untried: y}}", "unknown key 'untried' in a"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(text: str, told: str) -> None:
    with pytest.raises(Refusal, match=told):
        entries_in(text, "extensions.yaml", OWN, {})


def test_those_that_are_processes_are_for_where_processes_may_be_started() -> None:
    with pytest.raises(Refusal, match=r"ready_made\.yaml, line \d+: processes may be started only"):
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


def test_the_page_says_what_there_is() -> None:
    text = (Path(__file__).parents[2] / "docs" / "extensions.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `([a-z-]+)` \| .* \| (?:not|installed).*\|$", text, re.MULTILINE) == list(ready_made())
    told = re.findall(r"^\| `([a-z]+)` \| (`.*`) \| (`.*`) \|$", text, re.MULTILINE)
    parts = {name: {*re.findall(r"`([^`]+)`", one + other)} for name, one, other in told}
    assert parts == {name: {*parts} for name, parts in PACKS.items()}
