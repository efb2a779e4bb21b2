"""How people ask for what the team's own documents say."""

from __future__ import annotations

from typing import Final

SAYINGS: Final = {
    "docs_search": (
        "search our own documents, what does our handbook say about backups, find it in the team documentation, search "
        "the docs and wikis of the team, where is it documented how we deploy, is there a runbook for this in our docs"
    ),
    "read_document": (
        "read this document of our handbook, read the section of the runbook, show the whole document that the docs "
        "search found, open the team document at this file path"
    ),
    "list_document_sources": (
        "which sources do our documents come from, when were the team documents last read, why is a document missing "
        "in the docs search, which wikis and folders are indexed"
    ),
    "refresh_documents": (
        "read the team documents anew, import our documents again, index the documentation, refresh the docs index"
    ),
}
