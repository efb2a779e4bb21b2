"""File names and layout of an index, shared by its builder and readers."""

from __future__ import annotations

from collections.abc import Iterable

from tantivy import Schema, SchemaBuilder

from kept_index.tokenizing import STEMS

# Increment when older indexes become unreadable or would be searched differently.
FORMAT = "4"

# Folders: a search index of updates, and one of their words.
UPDATES, WORDS = "updates", "words"
FACTS, STATISTICS, ROWS, OFFSETS, DICTIONARY, WORD_LIST, MEANINGS = (
    "facts.json",
    "statistics.json",
    "rows",
    "offsets",
    "dictionary",
    "words.txt",
    "meanings",
)

# Fields. TEXT holds all searchable words, LABEL the numbers of vocabulary values.
ID, TEXT, LABEL, MONTH, WORD = "id", "text", "label", "month", "word"
MODIFIED, CREATED, CHANGED, TITLE_RANK = "modified", "created", "changed", "title_rank"

LIVE = 0  # the label of every current update
ANY_RING = 0
_MONTHS_OF_A_RING = 1_000_000


def month_of_ring(ring: int, month: int) -> int:
    """A number such that the months of one ring form a contiguous range. A ring is identified by its label."""
    return ring * _MONTHS_OF_A_RING + month


def earliest(ring: int) -> str:
    """The field to sort a ring's updates in ascending order."""
    return f"earliest_{ring}"


def latest(ring: int) -> str:
    return f"latest_{ring}"


def updates_schema(rings: Iterable[int]) -> Schema:
    """The schema of an updates index, with date sort fields for each of these rings."""
    builder = SchemaBuilder()
    builder.add_text_field(TEXT, tokenizer_name=STEMS)
    builder.add_text_field(ID, tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field(LABEL, indexed=True, fast=True)
    dates_in_rings = [field(ring) for ring in (ANY_RING, *rings) for field in (earliest, latest)]
    for name in (MODIFIED, CREATED, CHANGED, TITLE_RANK, MONTH, *dates_in_rings):
        builder.add_unsigned_field(name, fast=True)
    return builder.build()


def words_schema() -> Schema:
    return SchemaBuilder().add_text_field(WORD, tokenizer_name="raw", index_option="basic").build()
