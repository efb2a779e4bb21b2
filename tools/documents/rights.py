"""Decides which sources a caller may read. The caller's roles must allow a source. For a source in Azure DevOps, the
caller must also have permission in Azure DevOps.

Permissions are checked before a search, and only permitted sources are searched. Therefore, no total, score or snippet
can reveal the content of other sources. Answers never mention a source that Azure DevOps hides from the caller, but
they name sources whose permissions could not be checked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.failures import DevOpsRefusal, UnreachableError
from documents.document import Document
from documents.sources.declaration import Declared, SourceKind
from documents.sources.devops import root_of
from identity.access import Access
from identity.denial import Denial
from mcp_server.visit import Context, Visit
from refusal import Refusal
from tools.azure_devops.access import AZURE_DEVOPS, OrganizationRequest
from tools.documents.access import DocumentsAccess

# For each kind of source: the toolset and tool that read the source itself, without the document index.
_READ_BY: Final = {
    SourceKind.WIKI: ("devops-wiki", "get_wiki_page"),
    SourceKind.REPOSITORY: ("devops-git", "get_file_content"),
}
_SECONDS_KEPT: Final = 60.0
_SECONDS_TO_ASK: Final = 10.0
_TRY_LATER: Final = frozenset({408, 429})


@dataclass(frozen=True, slots=True)
class VisibleSources:
    """The sources that a caller may read now, and the sources whose permissions could not be checked."""

    sources: Sequence[str]
    unchecked: Sequence[str] = ()


class _UncheckedError(Exception):
    """This server could not check whether the caller may read the source."""


@dataclass(frozen=True, slots=True)
class SourceRights:
    """Checks, for a single call, which sources the caller may read."""

    context: Context
    access: DocumentsAccess

    async def sight(self, among: Collection[str] | None = None) -> VisibleSources:
        """Return the sources that the caller may read. If `among` is given, check only these sources."""
        declared = [one for one in self.access.library.declared.values() if one.opens_to(self._visit.caller.roles)]
        asked = [one for one in declared if among is None or one.name in among]
        found = await asyncio.gather(*map(self._shows, asked))
        return VisibleSources(
            [one.name for one, shows in zip(asked, found, strict=True) if shows],
            [one.name for one, shows in zip(asked, found, strict=True) if shows is None],
        )

    async def _shows(self, declared: Declared) -> bool | None:
        """Check whether the caller has permission to read a source that the caller's roles allow. Return None if
        the permission cannot be checked now.
        """
        if not declared.is_of_devops:
            return True
        toolset, tool = _READ_BY[declared.kind]
        if not self._visit.view.opens(toolset, tool):
            return False
        reach = self._visit.grants.reach(toolset, tool, Access.READ)
        asked = OrganizationRequest(self._visit.caller, declared.organization or None, reach)
        cache_key = (*self._visit.caller.person, declared.name, reach)
        try:
            return await self.access.checked.get(cache_key, lambda: self._asks(declared, asked), at_most=_SECONDS_KEPT)
        except _UncheckedError:
            return None

    async def _asks(self, declared: Declared, asked: OrganizationRequest) -> bool:
        """Request the root of the source on behalf of the caller."""
        try:
            async with asyncio.timeout(_SECONDS_TO_ASK):
                await (await self._devops(asked)).json(root_of(declared))
        except DevOpsRefusal as refusal:
            if refusal.status in _TRY_LATER or refusal.status >= 500:
                raise _UncheckedError from refusal
            return False
        except Refusal as refusal:
            if isinstance(refusal, UnreachableError) or asked.reach.is_everything:
                raise _UncheckedError from refusal
            return False  # to callers with a limited scope, sources outside the scope seem not to exist
        except (Denial, TimeoutError) as error:
            raise _UncheckedError from error
        return True

    async def _devops(self, asked: OrganizationRequest) -> AzureDevOps:
        return (await AZURE_DEVOPS.of(self.context)).client(asked)

    @property
    def _visit(self) -> Visit:
        return self.context.visit


async def document_for(context: Context, access: DocumentsAccess, path: str) -> Document:
    """Return the document with this source name and path, if the caller may read it."""
    source, _, within = path.strip().lstrip("/").partition("/")
    sight = await SourceRights(context, access).sight([source])
    if source in sight.unchecked:
        raise Refusal(
            f"Azure DevOps did not confirm that you may read {source}, so its documents are hidden. Try again in a"
            " minute."
        )
    found = await access.library.document(source, within) if source in sight.sources and within else None
    if found is None:
        raise Refusal(f"Document {path[:300]!r} not found. Use the file_path from docs_search.")
    return found
