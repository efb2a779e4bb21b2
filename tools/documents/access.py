"""How the tools of documents get at them."""

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
    """The documents, and what is remembered for a minute of who may see which."""

    library: DocumentsLibrary
    checked: Kept = field(default_factory=Kept)
