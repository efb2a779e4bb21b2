"""Opens the reader of each source, the document store, and the library."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path

from clients.azure_devops.client import AzureDevOps
from clients.files import Files
from clients.folder_files import FolderFiles
from documents.keeping.store import DocumentsStore
from documents.keeping.sync import Sync
from documents.library import DocumentsLibrary
from documents.searching.builder import build_index
from documents.searching.index import DocumentsIndex
from documents.searching.index_format import FORMAT
from documents.sources.declaration import Declared, SourceKind
from documents.sources.devops import DevOpsSource
from documents.sources.files import FilesSource
from documents.sources.source import DocumentSource
from kept_index.reader import IndexReader
from tools.azure_devops.access import AZURE_DEVOPS, AzureDevOpsAccess
from tools.documents.settings import PURPOSE
from tools.provider import Supplies


@asynccontextmanager
async def opened(declared: Mapping[str, Declared], supplies: Supplies) -> AsyncIterator[DocumentsLibrary]:
    async with AsyncExitStack() as closing:
        store = DocumentsStore(supplies.storage(PURPOSE))
        sources = {name: _source(one, supplies, closing) for name, one in declared.items()}
        sync = Sync(declared, sources, store, build_index, FORMAT)
        library = DocumentsLibrary(declared, store, sync, IndexReader(store, DocumentsIndex.open, FORMAT))
        closing.push_async_callback(library.end)
        yield library


def _source(declared: Declared, supplies: Supplies, closing: AsyncExitStack) -> DocumentSource:
    if declared.is_of_devops:
        return DevOpsSource(declared, partial(_devops, declared, supplies))
    files: Files
    folder = Path(declared.place) if declared.kind is SourceKind.FOLDER else None
    files = FolderFiles(folder) if folder else supplies.files(declared.place)
    closing.push_async_callback(files.close)
    prefix = f"{declared.below}/" if declared.below else ""
    return FilesSource(files, prefix, declared.link, folder)


async def _devops(declared: Declared, supplies: Supplies) -> AzureDevOps:
    """Return an Azure DevOps client with the server's own sign-in, for background reads."""
    access: AzureDevOpsAccess = await supplies.opened(AZURE_DEVOPS)
    return access.own(declared.organization or None)
