"""Reference implementations that search the same updates and fields with SQLite's full-text search."""

from __future__ import annotations

import json
import re
import sqlite3
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from text.markdown import summary, to_markdown
from updates.record import Update

_STOP_WORDS: Final = frozenset(
    "a an and are as at be by for from how in is it of on or the to was what when with".split()
)
_SEARCH: Final = """
    SELECT shown, -bm25(words, 0.75, 1.0, 0.15) AS relevance FROM words JOIN updates ON updates.rowid = words.rowid
    WHERE words MATCH ? ORDER BY relevance DESC, id LIMIT ? OFFSET ?
"""
_TUNED_SEARCH: Final = """
    SELECT shown FROM (SELECT rowid, rank FROM words WHERE words MATCH ? ORDER BY rank LIMIT ? OFFSET ?) AS found
    JOIN updates ON updates.rowid = found.rowid ORDER BY found.rank
"""


class Fts:
    """A typical setup, as in other servers for updates. The setup uses Porter stemming and this server's field weights,
    and removes accents.
    """

    schema = """
        CREATE TABLE updates (id TEXT, shown TEXT);
        CREATE VIRTUAL TABLE words USING fts5(
            title, body, facets, tokenize = "porter unicode61 remove_diacritics 2"
        );
    """

    def __init__(self, path: Path) -> None:
        self._path, self._of_thread = path, threading.local()

    @property
    def database(self) -> sqlite3.Connection:
        """The database connection of this thread. The SDK calls tools in several threads at once."""
        if not hasattr(self._of_thread, "database"):
            self._of_thread.database = self.connected()
        database: sqlite3.Connection = self._of_thread.database
        return database

    def connected(self) -> sqlite3.Connection:
        return sqlite3.connect(self._path)

    def build(self, updates: Iterable[Update]) -> None:
        self.database.executescript(self.schema)
        with self.database:
            for number, update in enumerate(updates):
                self._add(number, update)
        self.database.execute("INSERT INTO words (words) VALUES ('optimize')")
        self.database.commit()

    def _add(self, number: int, update: Update) -> None:
        body = to_markdown(update.description)
        facets = " ".join((*update.tags, *update.product_categories, *update.products, update.status or ""))
        shown = {"id": update.id, "title": update.title, "description": summary(body), "products": update.products}
        self.database.execute(
            "INSERT INTO updates (rowid, id, shown) VALUES (?, ?, ?)", (number, update.id, json.dumps(shown))
        )
        self.database.execute(
            "INSERT INTO words (rowid, title, body, facets) VALUES (?, ?, ?, ?)", (number, update.title, body, facets)
        )

    def search(self, query: str, limit: int = 20, offset: int = 0) -> list[dict[str, Any]]:
        match = " OR ".join(_quoted(query))
        return [json.loads(shown) for shown, _ in self.database.execute(_SEARCH, (match, limit, offset))]


class TunedFts(Fts):
    """A setup tuned by an expert: the index stores columns but no text and no word positions.

    This setup uses SQLite's built-in rank, and reads only the rows of the result page, from a memory-mapped file. The
    query first requires all words, which keeps the number of matches small; if nothing matches, one of the words is
    enough.
    """

    schema = """
        PRAGMA page_size = 8192;
        CREATE TABLE updates (id TEXT, shown TEXT);
        CREATE VIRTUAL TABLE words USING fts5(
            title, body, facets, content = '', detail = column, tokenize = "porter unicode61 remove_diacritics 2"
        );
        INSERT INTO words (words, rank) VALUES ('rank', 'bm25(0.75, 1.0, 0.15)');
    """

    def connected(self) -> sqlite3.Connection:
        database = super().connected()
        database.executescript("PRAGMA mmap_size = 1073741824; PRAGMA cache_size = -65536;")
        return database

    def search(self, query: str, limit: int = 20, offset: int = 0) -> list[dict[str, Any]]:
        words = _quoted(query)
        rows = self._rows(" AND ".join(words), limit, offset) or self._rows(" OR ".join(words), limit, offset)
        return [json.loads(shown) for (shown,) in rows]

    def _rows(self, match: str, limit: int, offset: int) -> list[tuple[str]]:
        return self.database.execute(_TUNED_SEARCH, (match, limit, offset)).fetchall()


KINDS: Final = {"FTS5": Fts, "tuned FTS5": TunedFts}


def _quoted(query: str) -> Sequence[str]:
    return [f'"{word}"' for word in re.findall(r"[^\W_]+", query.lower()) if word not in _STOP_WORDS]
