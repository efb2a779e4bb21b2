"""Size limits for everything whose size others decide."""

from __future__ import annotations

from typing import Final

MEGABYTE: Final = 1024 * 1024
# Larger packs would be spooled to disk, so packs stay in memory and below this size.
LARGEST_PACK: Final = 64 * MEGABYTE
LARGEST_OBJECT: Final = 50 * MEGABYTE
# For all objects of a pack together, with deltas resolved.
MOST_INFLATED: Final = 1024 * MEGABYTE
MOST_OBJECTS: Final = 200_000
# For a file that is read, written or compared.
LARGEST_FILE: Final = 10 * MEGABYTE
MOST_ENTRIES: Final = 20_000
MOST_REFS: Final = 2_000
MOST_COMMITS: Final = 10_000
DEEPEST: Final = 60
SECONDS_OF_TRANSFER: Final = 45.0
# Larger files stay on the server until they are read.
WITHOUT_LARGE_FILES: Final = b"blob:limit=1m"
# All files stay on the server: the only such filter of Azure Repos.
WITHOUT_FILES: Final = b"blob:none"
