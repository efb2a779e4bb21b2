"""The file layout of an index, shared by its builder and readers."""

from __future__ import annotations

from typing import Final

from tantivy import Schema, SchemaBuilder

from kept_index.tokenizing import STEMS

# Increment when older indexes become unreadable or would be searched differently.
FORMAT: Final = "1"

# One folder per source, so that results from one do not depend on another.
SOURCES: Final = "sources.json"
DOCUMENTS: Final = "documents.json"
PASSAGES: Final = "passages"

# HEAD identifies a passage: its headings, and the title and path of its document. BODY is its text.
HEAD, BODY, DOCUMENT, ROW = "head", "body", "document", "row"


def schema() -> Schema:
    builder = SchemaBuilder()
    builder.add_text_field(HEAD, tokenizer_name=STEMS)
    builder.add_text_field(BODY, stored=True, tokenizer_name=STEMS)
    builder.add_unsigned_field(DOCUMENT, indexed=True, fast=True)
    builder.add_bytes_field(ROW, stored=True)
    return builder.build()
