"""How large all may be, of which others decide the size."""

from __future__ import annotations

from typing import Final

MEGABYTE: Final = 1024 * 1024
# What is spooled beyond some size would go to a disk, so packs stay in memory, and below this.
LARGEST_PACK: Final = 64 * MEGABYTE
LARGEST_OBJECT: Final = 50 * MEGABYTE
# Of all objects of a pack together, with what their deltas make.
MOST_INFLATED: Final = 1024 * MEGABYTE
MOST_OBJECTS: Final = 200_000
# Of a file that is read, written or compared.
LARGEST_FILE: Final = 10 * MEGABYTE
MOST_ENTRIES: Final = 20_000
MOST_REFS: Final = 2_000
MOST_COMMITS: Final = 10_000
DEEPEST: Final = 60
SECONDS_OF_TRANSFER: Final = 45.0
# Larger files stay on the server until they are read.
WITHOUT_LARGE_FILES: Final = b"blob:limit=1m"
# Every file stays there: the only such filter of Azure Repos.
WITHOUT_FILES: Final = b"blob:none"
