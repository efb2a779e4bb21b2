"""Real captures of the feed, replayed in the order in which they were made."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest

from clients.folder_storage import FolderStorage
from tests.fakes.updates.api import UpdatesApi
from tests.updates.syncing import World
from updates.changes import ChangeKind, UpdateChange
from updates.report import SyncOutcome

pytestmark = pytest.mark.anyio

ROOT = Path(__file__).parents[2]
CAPTURES = Path(os.environ.get("AZURE_TEAM_MCP_TEST_DATA", ROOT.parent / "shared" / "data")) / "updates" / "snapshots"
FIELDS = {
    "title": "title",
    "description": "description",
    "status": "status",
    "tags": "tags",
    "productCategories": "product_categories",
    "products": "products",
    "availabilities": "availabilities",
    "created": "created",
    "modified": "modified",
}

Capture = dict[str, dict[str, Any]]


def captures() -> list[Capture]:
    files = sorted(CAPTURES.glob("*.json.gz"))
    if not files:
        pytest.skip(f"there are no captures in {CAPTURES}; set AZURE_TEAM_MCP_TEST_DATA to where they are")
    return [{raw["id"]: raw for raw in json.loads(gzip.decompress(file.read_bytes()))["value"]} for file in files]


def differences(before: Capture, after: Capture) -> set[tuple[str, ChangeKind, frozenset[str]]]:
    """What a reader of the two captures sees, by their raw values."""
    added = {(key, ChangeKind.ADDED, frozenset[str]()) for key in after.keys() - before.keys()}
    withdrawn = {(key, ChangeKind.WITHDRAWN, frozenset[str]()) for key in before.keys() - after.keys()}
    both = {key: edited_fields(before[key], after[key]) for key in before.keys() & after.keys()}
    return added | withdrawn | {(key, ChangeKind.EDITED, fields) for key, fields in both.items() if fields}


def edited_fields(before: dict[str, Any], after: dict[str, Any]) -> frozenset[str]:
    return frozenset(ours for theirs, ours in FIELDS.items() if before[theirs] != after[theirs])


def as_differences(changes: list[UpdateChange]) -> set[tuple[str, ChangeKind, frozenset[str]]]:
    return {(found.id, found.kind, frozenset(edit.field for edit in found.edits)) for found in changes}


async def test_replaying_the_captures_logs_exactly_their_differences(tmp_path: Path) -> None:
    first, *later = captures()
    api = UpdatesApi(first.values())
    async with api.serving() as url:
        world = World(FolderStorage(tmp_path), api, url)
        report = await world.sync().reconcile()
        assert (report.outcome, report.received, report.malformed) == (SyncOutcome.CHANGED, len(first), 0)
        before = first
        for after in later:
            api.records = dict(after)
            report = await world.sync().reconcile()
            changes = [change for change in await world.store.changes(100_000) if change.seen == report.started]
            expected = differences(before, after)
            assert expected
            assert as_differences(changes) == expected
            assert len(changes) == len(expected) == report.added + report.edited + report.withdrawn
            newest = {key: one.history[0] for key, one in (await world.store.updates([c.id for c in changes])).items()}
            told = {(key, one.kind, frozenset(edit.field for edit in one.edits)) for key, one in newest.items()}
            assert told == expected
            before = after
        await world.check_store_equals_feed()
