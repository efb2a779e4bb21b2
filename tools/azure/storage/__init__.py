"""Storage: accounts, and the blobs, tables and queues in them. Nothing here changes any of it."""

from __future__ import annotations

from typing import Final

from tools.azure.storage import accounts, blob_texts, blobs, links, queues, tables

parts: Final = (accounts.part, blobs.part, blob_texts.part, links.part, tables.part, queues.part)
