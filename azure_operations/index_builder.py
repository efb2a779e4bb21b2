"""Builds an index of Azure operations in a single file. The same operations always produce the same file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import astuple
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tantivy import Document

from azure_operations.index_format import ABOUT, DOES, KIND, NAME, NAMESPACE, OWN, ROW, schema
from azure_operations.naming import names_of, types_down_to, words_of
from azure_operations.record import Operation
from kept_index.archive import pack_folder
from kept_index.search_folder import write_folder
from kept_index.tokenizing import clean
from shifts import give_way

OPERATIONS: Final = "operations"


def build_index(operations: Iterable[Operation]) -> bytes:
    """Build an index of these operations. Each operation must occur exactly once."""
    with TemporaryDirectory() as created:
        folder = Path(created)
        write_folder(folder / OPERATIONS, schema(), _documents(operations))
        return pack_folder(folder)


def _documents(operations: Iterable[Operation]) -> Iterator[Document]:
    for operation in operations:
        give_way()
        document = Document()
        document.add_text(NAME, operation.name.lower())
        document.add_text(NAMESPACE, operation.name.partition("/")[0].lower())
        document.add_text(KIND, operation.kind)
        for field, words in _texts(operation):
            document.add_text(field, clean(words))
        document.add_bytes(ROW, json.dumps(astuple(operation), separators=(",", ":")).encode())
        yield document


def _texts(operation: Operation) -> Iterator[tuple[str, str]]:
    kind = operation.type
    above = types_down_to(kind)
    yield OWN, " ".join([words_of(kind.rpartition("/")[2]), *names_of(kind)])
    yield ABOUT, " ".join([words_of(kind), operation.resource, *(name for one in above for name in names_of(one))])
    done = operation.name.removeprefix(kind).removesuffix("/action")
    yield DOES, " ".join([words_of(done), operation.title, operation.description])
