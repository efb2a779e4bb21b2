"""Previews changes to wiki pages, and finds the wikis that a push to a repository changes."""

from __future__ import annotations

from typing import Any, Final

from changes.preview import Edit, Preview
from changes.undo import Undo, by_call, by_hand
from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import DevOpsRequest
from tools.azure_devops.shared.answers import Json, at
from tools.azure_devops.shared.git_references import short_name

_PAGES: Final = "/{project}/_apis/wiki/wikis/{wikiId}/pages"


async def page_preview(devops: AzureDevOps, place: Json, where: Json, content: str | None) -> Preview:
    """Preview a new text for a wiki page, or the deletion of a page with all its subpages."""
    wiki = await devops.json(DevOpsRequest("GET /{project}/_apis/wiki/wikis/{wikiId}", place))
    query = {**where, "includeContent": True, "recursionLevel": "full"}
    page = await devops.send(DevOpsRequest(f"GET {_PAGES}", place, query))
    below = list(_below(page.document))
    old = str(page.document.get("content") or "")
    name = f"wiki page {page.document.get('path')} of {wiki.get('name')}"
    return Preview(
        what=f"W{name[1:]}",
        sentence=_sentence(name, content, len(below)),
        undo=_undo(place, where, old, has_more=content is not None or bool(below)),
        facts={
            "subpages": below if content is None else None,
            "letters": len(old),
            "version": page.headers.get("ETag", "").removeprefix("W/").strip('"'),
            "file": page.document.get("gitItemPath"),
        },
        edits=[Edit("text", old, content)],
        places={
            "project": place["project"],
            # The name of a code wiki may differ from the name of its repository.
            "repository": str(wiki.get("name")) if wiki.get("type") == "projectWiki" else None,
            "branch": short_name(branch) if (branch := where.get("versionDescriptor.version")) else None,
        },
    )


def _undo(place: Json, where: Json, text: str, *, has_more: bool) -> Undo:
    if has_more:
        return by_hand("update_wiki_page or create_wiki_page restores the text from the wiki's history")
    branch = where.get("versionDescriptor.version")
    again = by_call("create_wiki_page", **place, path=where["path"], content=text, branch=branch)
    return again.but("its comments and position are lost")


def _sentence(name: str, content: str | None, below: int) -> str:
    if content is None:
        return f"Delete the {name}" + (f" and its {below} subpages" if below else "")
    return f"{'Rewrite' if content.strip() else 'Empty'} the {name}"


async def wikis_of(devops: AzureDevOps, repository: Json) -> list[str]:
    """Return the wikis that are published from a repository. A push to the repository changes these wikis."""
    project = str(at(repository, "project.name") or at(repository, "project.id"))
    found: Any = await devops.json(DevOpsRequest("GET /{project}/_apis/wiki/wikis", {"project": project}))
    return sorted(str(wiki["name"]) for wiki in found["value"] if wiki.get("repositoryId") == repository["id"])


def _below(page: Json) -> list[str]:
    inner = page.get("subPages") or []
    return [path for one in inner for path in (str(one.get("path")), *_below(one))]
