"""The search of Azure DevOps: it has a host of its own, and says in a number what it could not do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.fakes.azure_devops.projects import Projects
from tests.fakes.azure_devops.routes import Asked, Json, Route, TroubleError, route
from tests.fakes.azure_devops.wiki import Wikis
from tests.fakes.azure_devops.work_items import WorkItems

BASE = "/[project]/_apis/search"
WILDCARD_FIRST = 4
KNOWN = {"searchText", "$skip", "$top", "filters", "includeSnippet", "$orderBy", "includeFacets"}


class Search:
    """Finds one word, in any case, in titles of work items, texts of pages, and lines of `files` of repositories."""

    def __init__(self, projects: Projects, work_items: WorkItems, wikis: Wikis) -> None:
        self._projects, self._work_items, self._wikis = projects, work_items, wikis
        self.files: dict[str, str] = {}
        # The files of other repositories, by their names.
        self.others: dict[str, dict[str, str]] = {}
        self.info_code = 0
        rules: dict[str, Any] = {"content_type": "application/json", "host": "almsearch."}
        self.routes: tuple[Route, ...] = (
            route(f"POST {BASE}/codesearchresults", lambda asked: self._found(asked, self._code(asked)), **rules),
            route(f"POST {BASE}/wikisearchresults", lambda asked: self._found(asked, self._pages(asked)), **rules),
            route(f"POST {BASE}/workitemsearchresults", lambda asked: self._found(asked, self._items(asked)), **rules),
        )

    def _found(self, asked: Asked, results: Iterator[Json]) -> Json:
        body = asked.body
        if not body.keys() <= KNOWN:
            raise TroubleError(400, "UnknownBody", f"{body.keys() - KNOWN} means nothing.")
        if body["searchText"].startswith("*"):
            return {"count": 0, "results": [], "infoCode": WILDCARD_FIRST}
        found = list(results)
        piece = found[body["$skip"] : body["$skip"] + body["$top"]]
        return {"count": len(found), "results": piece, "infoCode": self.info_code}

    def _code(self, asked: Asked) -> Iterator[Json]:
        word, project = _word(asked), asked.places.get("project", "Web")
        known = [("oven", self.files), *self.others.items()]
        for name, path, text in ((name, path, text) for name, files in known for path, text in files.items()):
            lines = text.splitlines()
            hits = [{"line": n, "codeSnippet": line} for n, line in enumerate(lines, 1) if word in line.lower()]
            if hits:
                shown = hits if asked.body.get("includeSnippet") else [{"line": hit["line"]} for hit in hits]
                about = {"repository": {"name": name}, "project": {"name": project}}
                yield {"path": path, "matches": {"content": shown}, "versions": [{"branchName": "main"}], **about}

    def _pages(self, asked: Asked) -> Iterator[Json]:
        word, wanted = _word(asked), asked.body["filters"].get("Wiki")
        for name, pages in self._wikis.pages.items():
            for path, page in pages.items():
                if word in page.content.lower() and (not wanted or name in wanted):
                    file = f"{path.replace('-', '%2D').replace(' ', '-')}.md"
                    hits = [{"fieldReferenceName": "content", "highlights": [_marked(page.content, word)]}]
                    wiki = {"name": name, "mappedPath": "/"}
                    yield {"path": file, "wiki": wiki, "project": {"name": "Web"}, "hits": hits}

    def _items(self, asked: Asked) -> Iterator[Json]:
        word, filters = _word(asked), asked.body["filters"]
        for number, revisions in self._work_items.revisions.items():
            fields = revisions[-1]["fields"]
            is_wanted = all(fields.get(name) in values for name, values in filters.items())
            if is_wanted and word in fields["System.Title"].lower():
                shown = {name.lower(): str(value) for name, value in fields.items()} | {"system.id": str(number)}
                hits = [{"fieldReferenceName": "system.title", "highlights": [_marked(fields["System.Title"], word)]}]
                yield {"fields": shown, "project": {"name": fields["System.TeamProject"]}, "hits": hits}


def _word(asked: Asked) -> str:
    # Quotes make a phrase.
    return str(asked.body["searchText"]).lower().strip('"')


def _marked(text: str, word: str) -> str:
    start = text.lower().index(word)
    end = start + len(word)
    return f"{text[:start]}<highlighthit>{text[start:end]}</highlighthit>{text[end:]}"
