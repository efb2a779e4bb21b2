"""Creates and opens read-only tantivy indexes in a folder.

Each index has one segment. Identical documents produce identical files.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from uuid import UUID

from tantivy import Document, Index, Schema, Searcher

from kept_index.tokenizing import STEMS, analyzer

# The size of tantivy's write buffer. If the buffer is larger than the index, tantivy writes a single segment, in
# insertion order.
_WRITER_BYTES = 500_000_000
_META = "meta.json"


def write_folder(folder: Path, schema: Schema, documents: Iterable[Document]) -> None:
    folder.mkdir(parents=True)
    index = Index(schema, path=str(folder))
    index.register_tokenizer(STEMS, analyzer(stemmed=True))
    writer = index.writer(_WRITER_BYTES, num_threads=1)
    for document in documents:
        writer.add_document(document)
    writer.commit()
    writer.wait_merging_threads()
    _make_repeatable(folder)


def open_folder(folder: Path) -> tuple[Schema, Searcher]:
    index = Index.open(str(folder))
    index.register_tokenizer(STEMS, analyzer(stemmed=True))
    index.config_reader(reload_policy="manual")  # never reload the index, because it does not change
    return index.schema, index.searcher()


def _make_repeatable(folder: Path) -> None:
    """Name the segment after the hash of the segment's content, and delete the files that are required only for
    writing.

    As a result, identical documents produce identical files.
    """
    meta = json.loads((folder / _META).read_text(encoding="utf-8"))
    if len(meta["segments"]) > 1:
        raise RuntimeError("the index does not fit into one segment, so document numbers would not be unique")
    for segment in meta["segments"]:
        segment["segment_id"] = _rename_by_content(folder, UUID(segment["segment_id"]).hex)
    (folder / _META).write_text(json.dumps(meta), encoding="utf-8")
    for leftover in folder.glob(".*"):
        leftover.unlink()


def _rename_by_content(folder: Path, segment: str) -> str:
    files = sorted(folder.glob(f"{segment}.*"))
    digest = sha256()
    for file in files:
        digest.update(file.read_bytes())
    name = UUID(bytes=digest.digest()[:16])
    for file in files:
        file.rename(file.with_stem(name.hex))
    return str(name)
