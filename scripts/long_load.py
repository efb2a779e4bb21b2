"""Runs long tasks while clients search: full syncs, exports of all updates, and imports of thousands of documents."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from itertools import count
from pathlib import Path
from random import Random
from threading import Event, Thread
from typing import Any, Final, Self
from urllib.parse import urlsplit

from scripts.exhaustion import UPDATES
from tests.fakes.updates.api import UpdatesApi
from updates.reading.sample import records

# The number of updates that change before each sync.
CHANGED: Final = 5_000
# These documents have 21 MB of text.
DOCUMENTS: Final = 5_000
_SECTIONS: Final = 6
_WORDS: Final = 75
_SECONDS_TO_ANSWER: Final = 60
_SECONDS_BETWEEN_LOOKS: Final = 1.0


class Feed:
    """A feed of updates that is as large as the real feed. A separate thread serves the feed."""

    def __init__(self) -> None:
        self.api = UpdatesApi(records(UPDATES))
        self._ending = Event()
        self._begun = Event()
        self._thread = Thread(target=lambda: asyncio.run(self._serve()), daemon=True)
        self.url = ""

    def __enter__(self) -> Self:
        self._thread.start()
        self._begun.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.set()
        self._thread.join()

    def edit(self, turn: int) -> None:
        """Change the texts of thousands of updates without changing `modified`."""
        for update in list(self.api.records)[:CHANGED]:
            self.api.records[update] = {**self.api.records[update], "description": f"<p>Edited {turn} times.</p>"}

    async def _serve(self) -> None:
        async with self.api.serving() as url:
            self.url = url
            self._begun.set()
            await asyncio.to_thread(self._ending.wait)


class Handbook:
    """A folder of documents. Each write changes all documents."""

    def __init__(self, place: Path) -> None:
        self._folder = place / "handbook"
        self._folder.mkdir()
        self.file = place / "documents.yaml"
        source = f"{{folder: 'file://{self._folder}', roles: [everyone]}}"
        self.file.write_text(f"sources: {{handbook: {source}}}", encoding="utf-8")

    def edit(self, turn: int) -> None:
        chance = Random(turn)  # noqa: S311 - reproducible, not for security
        for number in range(DOCUMENTS):
            sections = (_section(chance, turn) for _ in range(_SECTIONS))
            (self._folder / f"{number}.md").write_text("".join(sections), encoding="utf-8")


def _section(chance: Random, turn: int) -> str:
    words = [f"word{int(chance.paretovariate(0.5)) % 20_000}" for _ in range(_WORDS)]
    return f"## {' '.join(words[:4])} {turn}\n\n{' '.join(words)}\n\n"


class SyncLoop:
    """Runs full syncs one after the other, and exports all updates between two syncs."""

    def __init__(self, feed: Feed, handbook: Handbook, url: str) -> None:
        self.readings = self.exports = self.imports = 0
        self._feed, self._handbook, self._netloc = feed, handbook, urlsplit(url).netloc
        self._ending = Event()
        self._thread = Thread(target=self._work, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.set()
        self._thread.join()

    def _work(self) -> None:
        for turn in count(1):
            self._handbook.edit(turn)
            if not self._is_done("refresh_documents", {}):
                return
            self.imports += 1
            self._feed.edit(turn)
            if not self._is_done("refresh_azure_updates", {"full": True}):
                return
            self.readings += 1
            with _connected(self._netloc) as connection:
                connection.request("GET", "/updates.csv")
                connection.getresponse().read()
            self.exports += 1

    def _is_done(self, tool: str, arguments: dict[str, Any]) -> bool:
        """Check whether a tool's task finished before the end of the test."""
        task = self._call(tool, arguments)["task"]
        while self._call("get_task", {"id": task})["state"] == "working":
            if self._ending.wait(_SECONDS_BETWEEN_LOOKS):
                return False
        return True

    def _call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        with _connected(self._netloc) as connection:
            body = json.dumps({"tool": tool, "arguments": arguments})
            connection.request("POST", "/tools/execute", body, {"content-type": "application/json"})
            answer = json.loads(connection.getresponse().read())
        result: dict[str, Any] = answer["result"]
        return result


@contextmanager
def _connected(netloc: str) -> Iterator[HTTPConnection]:
    with closing(HTTPConnection(netloc, timeout=_SECONDS_TO_ANSWER)) as connection:
        yield connection
