"""Gives the document tools access to the library and to permissions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from clients.kept import Kept
from tools.key import Key

if TYPE_CHECKING:
    from documents.library import DocumentsLibrary

DOCUMENTS: Final[Key[DocumentsAccess]] = Key("documents")


@dataclass(frozen=True, slots=True)
class DocumentsAccess:
    """The team's documents, and a cache of who may read each source. The cache's entries expire after a minute."""

    library: DocumentsLibrary
    checked: Kept = field(default_factory=Kept)
