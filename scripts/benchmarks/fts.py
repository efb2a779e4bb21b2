"""The reference: the same updates and fields in SQLite's full-text search, as other servers of updates use it."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable
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


class Fts:
    """Porter stems, diacritics folded, the same weights of title, body and facets as ours."""

    def __init__(self, path: Path) -> None:
        self._database = sqlite3.connect(path, check_same_thread=False)

    def build(self, updates: Iterable[Update]) -> None:
        self._database.executescript("""
            CREATE TABLE updates (id TEXT, shown TEXT);
            CREATE VIRTUAL TABLE words USING fts5(
                title, body, facets, tokenize = "porter unicode61 remove_diacritics 2"
            );
        """)
        with self._database:
            for number, update in enumerate(updates):
                self._add(number, update)
        self._database.execute("INSERT INTO words (words) VALUES ('optimize')")
        self._database.commit()

    def _add(self, number: int, update: Update) -> None:
        body = to_markdown(update.description)
        facets = " ".join((*update.tags, *update.product_categories, *update.products, update.status or ""))
        shown = {"id": update.id, "title": update.title, "description": summary(body), "products": update.products}
        self._database.execute(
            "INSERT INTO updates (rowid, id, shown) VALUES (?, ?, ?)", (number, update.id, json.dumps(shown))
        )
        self._database.execute(
            "INSERT INTO words (rowid, title, body, facets) VALUES (?, ?, ?, ?)", (number, update.title, body, facets)
        )

    def search(self, query: str, limit: int = 20, offset: int = 0) -> list[dict[str, Any]]:
        words = [word for word in re.findall(r"\w+", query.lower()) if word not in _STOP_WORDS]
        match = " OR ".join(f'"{word}"' for word in words)
        return [json.loads(shown) for shown, _ in self._database.execute(_SEARCH, (match, limit, offset))]
