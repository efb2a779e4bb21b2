"""Defines the files and fields of an updates index. The code that builds and reads indexes uses these definitions."""

from __future__ import annotations

from collections.abc import Iterable

from tantivy import Schema, SchemaBuilder

from kept_index.tokenizing import STEMS

# Increment this number whenever a change to the format or to the search results requires new indexes.
FORMAT = "4"

# Folders in the index file: the search index of updates, and the search index of their words.
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

# Fields. TEXT contains all searchable words; LABEL contains the numbers of categories, products and other values.
ID, TEXT, LABEL, MONTH, WORD = "id", "text", "label", "month", "word"
MODIFIED, CREATED, CHANGED, TITLE_RANK = "modified", "created", "changed", "title_rank"

LIVE = 0  # the label of every update that is not withdrawn
ANY_RING = 0
_MONTHS_OF_A_RING = 1_000_000


def month_of_ring(ring: int, month: int) -> int:
    """Combine a ring's label and a month into a number, so that a range of months is a range of numbers."""
    return ring * _MONTHS_OF_A_RING + month


def earliest(ring: int) -> str:
    """Return the name of the field that sorts updates by the date of this ring, earliest first."""
    return f"earliest_{ring}"


def latest(ring: int) -> str:
    return f"latest_{ring}"


def updates_schema(rings: Iterable[int]) -> Schema:
    """Return the schema of an updates index. Each of the given rings gets a sort field."""
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
