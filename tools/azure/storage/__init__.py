"""The toolset `storage`: accounts, and their blobs, tables and queues. Tables and queues are read-only."""

from __future__ import annotations

from typing import Final

from tools.azure.storage import (
    account_changes,
    accounts,
    blob_changes,
    blob_texts,
    blobs,
    containers,
    links,
    queues,
    tables,
)

parts: Final = (
    accounts.part,
    blobs.part,
    blob_texts.part,
    links.part,
    tables.part,
    queues.part,
    account_changes.part,
    containers.part,
    blob_changes.part,
)
