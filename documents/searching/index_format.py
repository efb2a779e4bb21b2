"""How the files of an index are laid out, which its builder and its readers agree on."""

from __future__ import annotations

from typing import Final

from tantivy import Schema, SchemaBuilder

from kept_index.tokenizing import STEMS

# Changes whenever an index of before could not be read, or would be searched differently.
FORMAT: Final = "1"

# One folder for each source, so that nothing that is found in one depends on what is in another.
SOURCES: Final = "sources.json"
DOCUMENTS: Final = "documents.json"
PASSAGES: Final = "passages"

# HEAD is what a passage is called: its headings, the title and the path of its document. BODY is what it says.
HEAD, BODY, DOCUMENT, ROW = "head", "body", "document", "row"


def schema() -> Schema:
    builder = SchemaBuilder()
    builder.add_text_field(HEAD, tokenizer_name=STEMS)
    builder.add_text_field(BODY, stored=True, tokenizer_name=STEMS)
    builder.add_unsigned_field(DOCUMENT, indexed=True, fast=True)
    builder.add_bytes_field(ROW, stored=True)
    return builder.build()
