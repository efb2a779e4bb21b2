"""Serves a realistic feed of updates in its own process. Prints the URL, and ends when standard input ends."""

from __future__ import annotations

import asyncio
import gzip
import json
import sys
from itertools import cycle, islice
from typing import Any

from tests.fakes.updates.api import UpdatesApi
from tests.updates.indexing import DATA
from updates.reading import sample


def records(count: int) -> list[dict[str, Any]]:
    """Repeat real updates from the test data, each with a new id. If there is no test data, create sample updates."""
    captures = sorted((DATA / "snapshots").glob("*.json.gz"))
    if not captures:
        return sample.records(count)
    real = json.loads(gzip.decompress(captures[-1].read_bytes()))["value"]
    return [{**raw, "id": f"{raw['id']}-{number}"} for number, raw in enumerate(islice(cycle(real), count))]


async def main() -> None:
    async with UpdatesApi(records(int(sys.argv[1]))).serving() as url:
        print(url, flush=True)
        await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main())
