"""How an index of operations is laid out, which its builder and its readers agree on."""

from __future__ import annotations

from typing import Final

from tantivy import Schema, SchemaBuilder

from kept_index.tokenizing import STEMS

# Changes whenever an index of before could not be read, or would be searched differently.
FORMAT: Final = "1"

# What an operation is about: its own type, and all types down to it; and what it does, in the words of Azure.
OWN, ABOUT, DOES = "own", "about", "does"
NAME, NAMESPACE, KIND, ROW = "name", "namespace", "kind", "row"


def schema() -> Schema:
    builder = SchemaBuilder()
    for field in (OWN, ABOUT, DOES):
        builder.add_text_field(field, tokenizer_name=STEMS)
    for field in (NAME, NAMESPACE, KIND):
        builder.add_text_field(field, tokenizer_name="raw", index_option="basic")
    builder.add_bytes_field(ROW, stored=True)
    return builder.build()
