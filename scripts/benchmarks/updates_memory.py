"""Prints how many bytes of memory a process uses while it serves the updates index from a file."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from composition import APP
from updates.searching.index import UpdatesIndex
from updates.searching.search import UpdateSearch


def most_resident() -> int:
    """Return the peak memory of this process. `ru_maxrss` would include the memory of the parent process."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text(encoding="utf-8"))
    return int(found[1]) * 1024 if found else 0


if __name__ == "__main__":
    _ = APP.endpoint
    index = UpdatesIndex.open(Path(sys.argv[1]).read_bytes())
    for word in ("retirement", "preview security", "kubernetes upgrade", "storage pricing"):
        index.search(UpdateSearch(word, detail="full", facets=True, semantic=True))
    print(most_resident())
