"""Defines the files and fields of a document index. The code that builds and reads indexes uses these definitions."""

from __future__ import annotations

from typing import Final

from tantivy import Schema, SchemaBuilder

from kept_index.tokenizing import STEMS

# Increment this number with every change to the format or to search results that requires a new index.
FORMAT: Final = "1"

# The list of sources. Each source has its own folder, so the results of a source do not depend on other sources.
SOURCES: Final = "sources.json"
DOCUMENTS: Final = "documents.json"
PASSAGES: Final = "passages"

# Fields. HEAD contains the headings of a passage, and the title and path of its document. BODY contains the text of the
# passage.
HEAD, BODY, DOCUMENT, ROW = "head", "body", "document", "row"


def schema() -> Schema:
    builder = SchemaBuilder()
    builder.add_text_field(HEAD, tokenizer_name=STEMS)
    builder.add_text_field(BODY, stored=True, tokenizer_name=STEMS)
    builder.add_unsigned_field(DOCUMENT, indexed=True, fast=True)
    builder.add_bytes_field(ROW, stored=True)
    return builder.build()
