"""Builds a search index of documents as one file. Identical documents give an identical file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from tantivy import Document as Indexed

from documents.document import Document
from documents.keeping.store import KeptDocument
from documents.searching.index_format import BODY, DOCUMENT, DOCUMENTS, HEAD, PASSAGES, ROW, SOURCES, schema
from documents.searching.passages import Passage, passages_of
from kept_index.archive import pack_folder
from kept_index.search_folder import write_folder
from kept_index.tokenizing import clean
from shifts import give_way

# The number of additional times that a passage's own heading is added to the index. This heading is more specific than
# the parent headings, title and path, which also describe other passages.
_OWN_HEADING: Final = 3


def build_index(kept: Mapping[str, Sequence[KeptDocument]]) -> bytes:
    with TemporaryDirectory() as created:
        folder = Path(created)
        for number, documents in enumerate(kept.values()):
            _write_source(folder / str(number), documents)
        (folder / SOURCES).write_text(json.dumps(list(kept)), encoding="utf-8")
        return pack_folder(folder)


def _write_source(folder: Path, kept: Sequence[KeptDocument]) -> None:
    metadata: list[Any] = []
    write_folder(folder / PASSAGES, schema(), _indexed(kept, metadata))
    (folder / DOCUMENTS).write_text(json.dumps(metadata), encoding="utf-8")


def _indexed(kept: Sequence[KeptDocument], metadata: list[Any]) -> Iterator[Indexed]:
    """Yield one index entry per passage.

    Append the metadata of each document to `metadata`. Index entries refer to positions in this list.
    """
    for number, one in enumerate(kept):
        document = one.document
        modified = document.modified.isoformat() if document.modified else None
        metadata.append([document.path, document.title, modified, document.link])
        for passage in passages_of(document):
            give_way()
            yield _passage(number, document, passage)


def _passage(number: int, document: Document, passage: Passage) -> Indexed:
    above = passage.above
    own = " ".join(above[-1:] * _OWN_HEADING)
    head = clean(" ".join((own, *above, document.title, document.path)))
    row = json.dumps([number, above[-1] if above else "", passage.start, passage.line]).encode()
    indexed = Indexed()
    indexed.add_text(HEAD, head)
    # `clean` may change the length of the text, but not the number of lines.
    indexed.add_text(BODY, clean(passage.text))
    indexed.add_unsigned(DOCUMENT, number)
    indexed.add_bytes(ROW, row)
    return indexed
