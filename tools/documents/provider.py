"""The team's own documents: which there are is said in a file, and who may see them as well."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from clients.kept import Kept
from mcp_server.visit import Context
from refusal import Refusal
from settings import Settings, setting
from tools.provider import Provider, Supplies

if TYPE_CHECKING:
    from documents.document import Document
    from documents.library import DocumentsLibrary
    from documents.sources.declaration import Declared
    from tasks.work import StepOutcome, WorkStep

# The table and the container of what was read.
PURPOSE: Final = "library"
# Reading all that is new, which may take longer than a request may.
IMPORT: Final = "read-documents"
_ROOT: Final = Path(__file__).parent.parent.parent


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentsSettings:
    """The team's own documents: where they are read, and when."""

    file: str = setting(
        "DOCUMENTS_FILE",
        str,
        "",
        "The file that names the sources of documents and who may see each, such as `documents.yaml`; a relative path"
        " begins at the app's folder. Without it there are none.",
    )
    schedule: str = setting(
        "DOCUMENTS_SCHEDULE", str, "0 */20 * * * *", "When what changed is read, as an NCRONTAB expression."
    )


@dataclass(frozen=True, slots=True)
class DocumentsAccess:
    """The documents, and what is remembered for a minute of who may see which."""

    library: DocumentsLibrary
    checked: Kept = field(default_factory=Kept)


def declared_in(file: str) -> Mapping[str, Declared]:
    """The sources of the documents file.

    Raises:
        Refusal: It cannot be read, or is not valid; the line at fault is named.
    """
    path = _ROOT / file
    try:
        return _declared(path.read_text(encoding="utf-8"), path.name)
    except (OSError, UnicodeError):
        raise Refusal(f"DOCUMENTS_FILE names {path.name}, which is not there or is no text in UTF-8.") from None


@lru_cache(maxsize=4)
def _declared(text: str, name: str) -> Mapping[str, Declared]:
    from documents.sources_file import sources_in

    return sources_in(text, name)


def lacks(settings: DocumentsSettings, of_the_app: Settings) -> str:
    if not settings.file:
        return "There are no documents here. An operator has to set DOCUMENTS_FILE."
    kinds = {source.kind.value for source in declared_in(settings.file).values()}
    if "folder" in kinds and of_the_app.place.is_on_azure:
        return "DOCUMENTS_FILE names a folder, which is for a laptop. An operator has to name a container instead."
    if "container" in kinds and not (of_the_app.storage.account or of_the_app.storage.connection):
        return "DOCUMENTS_FILE names a container, which needs a storage account. On a laptop, name a folder instead."
    return ""


def check(settings: DocumentsSettings) -> None:
    if settings.file:
        declared_in(settings.file)


@asynccontextmanager
async def open_documents(settings: DocumentsSettings, supplies: Supplies) -> AsyncIterator[DocumentsAccess]:
    from tools.documents.opening import opened

    async with opened(declared_in(settings.file), supplies) as library:
        yield DocumentsAccess(library)


async def _import(access: DocumentsAccess, _step: WorkStep) -> StepOutcome:
    from tools.documents.importing import import_documents

    return await import_documents(access.library)


provider: Final = Provider(
    name="documents",
    settings=DocumentsSettings,
    open=open_documents,
    lacks=lacks,
    check=check,
    keeps=(PURPOSE,),
    works={IMPORT: _import},
)


async def document(context: Context, path: str) -> Document:
    """A document by its whole path, for a caller who may see it.

    Raises:
        Refusal: There is none, or the caller may not see it, which are not told apart.
    """
    from tools.documents.rights import document_for

    return await document_for(context, await provider.of(context), path)
