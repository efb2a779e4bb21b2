"""A lock, or a missing permission, stops every tool of Azure before anybody is asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

from mcp_server.declarations.toolset import Tool
from tests.changes.exact.rehearsing import rehearsing
from tests.changes.exact.services import SERVICES
from tests.changes.exact.stage import Exchange, Stage
from tests.sweeps import Sweep
from tests.tools.golden import Sent

NOTE: Final = "Ask Grace before you touch this."
AZURE: Final = next(service for service in SERVICES if service.name == "Azure")
# What locks do not keep: the data within, and locks themselves.
_DATA: Final = frozenset(
    "create_blob_link create_keyvault_key delete_blob delete_keyvault_item enable_keyvault_item purge_keyvault_item"
    " recover_keyvault_item set_blob_tier set_keyvault_secret undelete_blob upload_blob".split()
)
_LOCKS: Final = frozenset({"create_resource_lock", "delete_resource_lock"})

every_tool = Sweep("tool", AZURE.changing, ids=[tool.name for tool in AZURE.changing], every=3)


def _answering(monkeypatch: pytest.MonkeyPatch, end: str, reply: Callable[[Sent], Any]) -> None:
    """Let requests whose paths have this end be answered so."""
    plain = Stage.exchange

    def exchange(stage: Stage, sent: Sent) -> Exchange:
        is_meant = sent.method == "GET" and sent.path.lower().endswith(f"/microsoft.authorization/{end}")
        return {"reply": {"value": [reply(sent)]}} if is_meant else plain(stage, sent)

    monkeypatch.setattr(Stage, "exchange", exchange)


def _lock(sent: Sent) -> Any:
    subscription = sent.path.split("/")[2]
    return {
        "id": f"/subscriptions/{subscription}/providers/Microsoft.Authorization/locks/hold-all",
        "name": "hold-all",
        "type": "Microsoft.Authorization/locks",
        "properties": {"level": "ReadOnly", "notes": NOTE},
    }


async def _told(tool: Tool) -> list[str]:
    """In which words each golden case of the tool is refused; nothing of one that is shown."""
    told = []
    for case in AZURE.cases_of(tool):
        async with rehearsing(AZURE, case) as play:
            shown = await play.shown()
            told.append(shown if isinstance(shown, str) else "")
            assert play.stage.written == []
    return told


@every_tool
async def test_a_lock_is_named_with_its_level_and_its_note(tool: Tool, monkeypatch: pytest.MonkeyPatch) -> None:
    _answering(monkeypatch, "locks", _lock)
    for words in await _told(tool):
        is_refused = "'hold-all' (ReadOnly) on /subscriptions/" in words and NOTE in words
        assert is_refused is (tool.name not in _DATA | _LOCKS), words


@every_tool
async def test_who_may_only_read_is_told_what_is_lacking(tool: Tool, monkeypatch: pytest.MonkeyPatch) -> None:
    only_read = {"actions": ["*/read"], "notActions": [], "dataActions": [], "notDataActions": []}
    _answering(monkeypatch, "permissions", lambda _: only_read)
    for words in await _told(tool):
        assert words != "", tool.name
        assert "role" in words, words
