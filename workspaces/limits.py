"""Size limits for repositories and files, whose sizes this server does not control."""

from __future__ import annotations

from typing import Final

MEGABYTE: Final = 1024 * 1024
# dulwich keeps packs below this size in memory, and writes larger packs to disk.
LARGEST_PACK: Final = 64 * MEGABYTE
LARGEST_OBJECT: Final = 50 * MEGABYTE
# The limit for the total size of all objects in a pack after decompression and after applying deltas.
MOST_INFLATED: Final = 1024 * MEGABYTE
MOST_OBJECTS: Final = 200_000
# The limit for a file that is read, written or compared.
LARGEST_FILE: Final = 10 * MEGABYTE
MOST_ENTRIES: Final = 20_000
MOST_REFS: Final = 2_000
MOST_COMMITS: Final = 10_000
DEEPEST: Final = 60
SECONDS_OF_TRANSFER: Final = 45.0
# Clones omit files above this size. These files are fetched when they are read.
WITHOUT_LARGE_FILES: Final = b"blob:limit=1m"
# With this filter, a clone omits all files. Azure Repos supports no other filter.
WITHOUT_FILES: Final = b"blob:none"
