"""Wikis whose pages are written only over the version that was read."""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha1

from tests.fakes.azure_devops.projects import Projects
from tests.fakes.azure_devops.routes import Asked, Json, Reply, Route, TroubleError, listed, route
from tests.fakes.numbering import Numbering

WIKI = "/{project}/_apis/wiki/wikis/{wiki}"
VERSION = "versionDescriptor.version versionDescriptor.versionType"
JSON = "application/json"


@dataclass
class Page:
    id: int
    content: str
    edits: int = 0

    @property
    def tag(self) -> str:
        return sha1(f"{self.id} {self.edits} {self.content}".encode(), usedforsecurity=False).hexdigest()


class Wikis:
    """Each project has a wiki of its own, and one made from a repository, `Docs`, whose branch has to be named."""

    def __init__(self, projects: Projects) -> None:
        self._projects = projects
        self._numbers = Numbering()
        self.pages: dict[str, dict[str, Page]] = {}
        self.commits: set[str] = set()
        self.routes: tuple[Route, ...] = (
            route("GET /[project]/_apis/wiki/wikis", self._list),
            route(f"GET {WIKI}", self._one),
            route(f"GET {WIKI}/pages", self._get, f"path recursionLevel includeContent {VERSION}"),
            route(f"PUT {WIKI}/pages", self._put, f"path comment {VERSION}", content_type=JSON),
            route(f"DELETE {WIKI}/pages", self._delete, f"path comment {VERSION}"),
            route(f"POST {WIKI}/pagesbatch", self._batch, VERSION, content_type=JSON),
        )

    def add(self, wiki: str, path: str, content: str) -> Page:
        """Put a page there, or another text on it, as somebody else does."""
        pages = self.pages.setdefault(wiki, {})
        page = pages.setdefault(path, Page(next(self._numbers), content))
        page.content, page.edits = content, page.edits + 1
        return page

    def _wiki(self, name: str, project: str) -> Json:
        is_code = name == "Docs"
        return {
            "id": self._projects.id_of(f"{project}/{name}"),
            "name": name,
            "type": "codeWiki" if is_code else "projectWiki",
            "versions": [{"version": "main" if is_code else "wikiMaster"}],
            "mappedPath": "/docs" if is_code else "/",
            "repositoryId": self._projects.id_of(name),
            "projectId": self._projects.id_of(project),
        }

    def _known(self, asked: Asked) -> list[Json]:
        named = asked.places.get("project")
        projects = [self._projects.named(named)] if named else self._projects.names
        return [self._wiki(name, project) for project in projects for name in (f"{project}.wiki", "Docs")]

    def _list(self, asked: Asked) -> Json:
        return listed(self._known(asked))

    def _one(self, asked: Asked) -> Json:
        for wiki in self._known(asked):
            if asked.places["wiki"] in {wiki["id"], wiki["name"]}:
                return wiki
        raise TroubleError(404, "WikiNotFoundException", f"Wiki '{asked.places['wiki']}' was not found.")

    def _pages(self, asked: Asked) -> dict[str, Page]:
        wiki = self._one(asked)
        version = asked.query.get("versionDescriptor.version")
        kind = asked.query.get("versionDescriptor.versionType", "branch")
        branches = {known["version"] for known in wiki["versions"]}
        if version not in {None, *(self.commits if kind == "commit" else branches)}:
            raise TroubleError(400, "InvalidArgumentValueException", f"The version '{version}' does not exist.")
        if asked.method in {"PUT", "DELETE"} and wiki["type"] == "codeWiki" and version is None:
            message = "The versionType should be 'branch' and version cannot be null."
            raise TroubleError(400, "InvalidArgumentValueException", message)
        return self.pages.setdefault(wiki["name"], {})

    def _get(self, asked: Asked) -> Reply:
        pages, path = self._pages(asked), asked.query.get("path", "/")
        page = None if path == "/" else _found(pages, path)
        document = _tree(pages, path, {"none": 0, "oneLevel": 1, "full": 99}[asked.query.get("recursionLevel", "none")])
        if page and asked.query.get("includeContent") == "true":
            document |= {"content": page.content}
        return Reply(document, headers={"ETag": f'"{page.tag}"'} if page else {})

    def _put(self, asked: Asked) -> Reply:
        pages, path = self._pages(asked), asked.query["path"]
        above, tag = path.rpartition("/")[0], asked.headers.get("If-Match")
        if tag is None and path in pages:
            message = f"The page '{path}' specified in the add operation already exists in the wiki."
            raise TroubleError(500, "WikiPageAlreadyExistsException", message)
        if above and above not in pages:
            raise TroubleError(404, "WikiAncestorPageNotFoundException", f"Ancestor page '{above}' was not found.")
        if tag is not None:
            _match(_found(pages, path), path, tag)
        name = str(self._one(asked)["name"])
        page = self.add(name, path, asked.body["content"])
        status = 201 if tag is None else 200
        return Reply({**_tree(pages, path, 0), "content": page.content}, status, {"ETag": f'"{page.tag}"'})

    def _delete(self, asked: Asked) -> Json:
        pages, path = self._pages(asked), asked.query["path"]
        _found(pages, path)
        document = _tree(pages, path, 0)
        for gone in [known for known in pages if f"{known}/".startswith(f"{path}/")]:
            del pages[gone]
        return document

    def _batch(self, asked: Asked) -> Reply:
        pages = sorted((page.id, path) for path, page in self._pages(asked).items())
        rest = [{"id": number, "path": path} for number, path in pages if number > int(_token(asked))]
        piece = rest[: asked.body["top"]]
        headers = {"x-ms-continuationtoken": str(piece[-1]["id"])} if len(rest) > len(piece) else {}
        return Reply(listed(piece), headers=headers)


def _token(asked: Asked) -> str:
    return str(asked.body.get("continuationToken", 0))


def _found(pages: dict[str, Page], path: str) -> Page:
    if path not in pages:
        raise TroubleError(404, "WikiPageNotFoundException", f"Wiki page '{path}' could not be found.")
    return pages[path]


def _match(page: Page, path: str, tag: str) -> None:
    bare = tag.removeprefix('"').removesuffix('"')
    if not re.fullmatch(r"[0-9a-f]{40}", bare, re.IGNORECASE):
        raise TroubleError(400, "InvalidArgumentValueException", "The header If-Match has no valid value.")
    if bare.lower() != page.tag:
        raise TroubleError(412, "WikiPageHasConflictsException", f"The page '{path}' has been edited by somebody else.")


def _tree(pages: dict[str, Page], path: str, depth: int) -> Json:
    start = path.rstrip("/") + "/"
    below = sorted(known for known in pages if known.startswith(start) and "/" not in known[len(start) :])
    number = {"id": pages[path].id} if path in pages else {}
    return {
        **number,
        "path": path,
        "order": 0,
        **({"isParentPage": True} if below else {}),
        "gitItemPath": f"{path.replace('-', '%2D').replace(' ', '-')}.md",
        "subPages": [_tree(pages, known, depth - 1) for known in below] if depth > 0 else [],
        "remoteUrl": f"https://dev.azure.com/acme/_wiki?pagePath={path}",
    }
