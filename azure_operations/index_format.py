"""Defines the fields of the index of Azure operations."""

from __future__ import annotations

from typing import Final

from tantivy import Schema, SchemaBuilder

from kept_index.tokenizing import STEMS

# Increment this number whenever a change to the format or to search results requires a new index.
FORMAT: Final = "1"

# Fields with text: the resource type of an operation, the parent types of this type, and Azure's description.
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
