"""What the files of an index are called and how they are laid out, which its builder and its readers agree on."""

from __future__ import annotations

from collections.abc import Iterable

from tantivy import Schema, SchemaBuilder

from kept_index.tokenizing import STEMS

# Changes whenever an index of before could not be read, or would be searched differently.
FORMAT = "4"

# Folders: a search index of the updates, and one of the words that occur in them.
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

# Fields. TEXT holds everything that is searched for words; LABEL the numbers of the values of the vocabulary.
ID, TEXT, LABEL, MONTH, WORD = "id", "text", "label", "month", "word"
MODIFIED, CREATED, CHANGED, TITLE_RANK = "modified", "created", "changed", "title_rank"

LIVE = 0  # the label of every update that is not withdrawn
ANY_RING = 0
_MONTHS_OF_A_RING = 1_000_000


def month_of_ring(ring: int, month: int) -> int:
    """A number under which the months of one ring are a range of their own. A ring goes by its label."""
    return ring * _MONTHS_OF_A_RING + month


def earliest(ring: int) -> str:
    """The field by which the updates of a ring are ordered upwards."""
    return f"earliest_{ring}"


def latest(ring: int) -> str:
    return f"latest_{ring}"


def updates_schema(rings: Iterable[int]) -> Schema:
    """Describe an index of updates, with fields to order them by their dates in each of these rings."""
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
