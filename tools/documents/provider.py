"""Provides the team's own documents. A file lists the sources, and for each source the roles that may read it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

from settings import Settings
from tools.documents.access import DOCUMENTS, DocumentsAccess
from tools.documents.settings import IMPORT, PURPOSE, DocumentsSettings, declared_in
from tools.jobs import JobContext, ScheduledJob
from tools.provider import Provider, Supplies

if TYPE_CHECKING:
    from tasks.work import StepOutcome, WorkStep


def lacks(settings: DocumentsSettings, of_the_app: Settings) -> str:
    if not settings.file:
        return "Documents are not configured. Ask an operator to set DOCUMENTS_FILE."
    kinds = {source.kind.value for source in declared_in(settings.file).values()}
    if "folder" in kinds and of_the_app.place.is_on_azure:
        return (
            "DOCUMENTS_FILE lists a folder, which works only on a laptop. Ask an operator to use a container instead."
        )
    if "container" in kinds and not (of_the_app.storage.account or of_the_app.storage.connection):
        return "DOCUMENTS_FILE lists a container, which requires a storage account. On a laptop, use a folder instead."
    return ""


def check(settings: DocumentsSettings) -> None:
    if settings.file:
        declared_in(settings.file)


@asynccontextmanager
async def open_documents(settings: DocumentsSettings, supplies: Supplies) -> AsyncIterator[DocumentsAccess]:
    from tools.documents.opening import opened

    async with opened(declared_in(settings.file), supplies) as library:
        yield DocumentsAccess(library)


async def _read(given: JobContext[DocumentsAccess]) -> None:
    await (await given.opened()).library.refresh()


async def _import(access: DocumentsAccess, _step: WorkStep) -> StepOutcome:
    from tools.documents.importing import import_documents

    return await import_documents(access.library)


provider: Final = Provider(
    key=DOCUMENTS,
    settings=DocumentsSettings,
    open=open_documents,
    lacks=lacks,
    check=check,
    keeps=(PURPOSE,),
    jobs=(ScheduledJob("read_documents", lambda settings: settings.schedule, _read),),
    works={IMPORT: _import},
)
