"""Summarizes documents."""

from __future__ import annotations

from typing import Annotated, Final

from clients.answers import Json
from documents.sources.links import at_line
from documents.summarizing.passages import TextPosition
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from mcp_server.protocol.results import InputRequired
from mcp_server.visit import Context
from tools.documents.access import DOCUMENTS
from tools.documents.rights import document_for
from tools.documents.searching import UNTRUSTED, FilePath
from tools.documents.summarized import summarized

part = Part()

_USUAL: Final = 1200
Length = Annotated[int, Field(ge=100, le=10_000, description="Maximum length of the summary")]


@part.tool(Access.READ, harmless=("max_length",))
async def docs_summarize(context: Context, file_path: FilePath, max_length: Length = _USUAL) -> Json | InputRequired:
    """Summarize one of the team's documents: key points, each with its location.

    `written`: true if a model wrote the summary (its numbers refer to `places`), false if it quotes the document.
    """
    documents = await DOCUMENTS.of(context)
    found = await document_for(context, documents, file_path)
    kind = documents.library.declared[found.source].kind

    def link_to(place: TextPosition) -> str:
        return at_line(kind, found.link, found.path, place.line, place.heading)

    summary = await summarized(found, max_length, context, link_to)
    if isinstance(summary, InputRequired):
        return summary
    about = {"file_path": f"{found.source}/{found.path}", "title": found.title}
    return {"untrusted": UNTRUSTED, **about, **summary}
