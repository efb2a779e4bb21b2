"""An Azure DevOps with repositories and wikis of documents, in which each person may read some of them."""

from __future__ import annotations

import asyncio
from base64 import b64decode
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from hashlib import sha1
from typing import Any, Final
from urllib.parse import unquote
from uuid import NAMESPACE_URL, uuid5

from aiohttp import web

from tests.fakes.serving import serving_locally

ORGANIZATION: Final = "acme"
# Whoever reads everything, as the server does of its own accord.
OWN: Final = "own"


@dataclass
class FakeDocs:
    """Repositories by `<project>/<name>`, each with its files by path; a wiki is a folder of one of them."""

    repositories: dict[str, dict[str, bytes]] = field(default_factory=dict)
    wikis: dict[str, tuple[str, str]] = field(default_factory=dict)
    # Whom each repository and each wiki lets in, by their tokens.
    readers: dict[str, set[str]] = field(default_factory=dict)
    # What is answered in place of an answer, to whom: a status, or 0 for a connection that breaks.
    trouble: dict[str, int] = field(default_factory=dict)
    # After so many files have been read, the connection breaks.
    files_until_it_breaks: int | None = None
    asked: list[tuple[str, str]] = field(default_factory=list)

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[str]:
        async with serving_locally(self._answer) as url:
            yield f"{url}/{ORGANIZATION}"

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        who = _token(request)
        segments = [unquote(part) for part in request.raw_path.partition("?")[0].split("/")[2:]]
        self.asked.append((who, "/".join(segments)))
        if who in self.trouble:
            return self._troubled(request, self.trouble[who])
        if segments == ["_apis", "projects"]:
            return web.json_response({"value": [_project(name) for name in self._projects(who)]})
        project, _, area, kind, *named = segments
        project = self._called(project, self._projects(OWN))
        if (area, kind) != ("git", "repositories"):
            return self._wiki(who, f"{project}/{named[0]}", named[1:])
        if not named:
            return web.json_response({"value": self._listed(who, project)})
        return self._items(request, who, self._called(f"{project}/{named[0]}", self.repositories))

    def _troubled(self, request: web.BaseRequest, status: int) -> web.StreamResponse:
        if status == 0:
            assert request.transport
            request.transport.close()
            raise asyncio.CancelledError
        headers = {"Retry-After": "0"} if status in {429, 503} else {}
        return web.json_response({"message": "Trouble."}, status=status, headers=headers)

    def _items(self, request: web.BaseRequest, who: str, name: str) -> web.StreamResponse:
        if not self._lets_in(who, name) or name not in self.repositories:
            return _missing()
        files = self.repositories[name]
        if path := request.query.get("path"):
            return self._file(request, files, path.strip("/"))
        if request.query.get("recursionLevel") == "none":
            return web.json_response({"value": [{"path": "/", "isFolder": True, "gitObjectType": "tree"}]})
        scope = request.query["scopePath"].strip("/")
        found = [
            _item(path, content) for path, content in files.items() if f"{path}/".startswith(f"{scope}/".lstrip("/"))
        ]
        return web.json_response({"value": [{"path": f"/{scope}", "isFolder": True, "gitObjectType": "tree"}, *found]})

    def _file(self, request: web.BaseRequest, files: dict[str, bytes], path: str) -> web.StreamResponse:
        if self.files_until_it_breaks is not None:
            self.files_until_it_breaks -= 1
            if self.files_until_it_breaks < 0:
                return self._troubled(request, 503)
        if path not in files:
            return _missing()
        return web.Response(body=files[path], content_type="application/octet-stream")

    def _wiki(self, who: str, name: str, rest: list[str]) -> web.StreamResponse:
        if name not in self.wikis or not self._lets_in(who, name):
            return _missing()
        if rest:
            return web.json_response({"path": "/", "isParentPage": True})
        repository, folder = self.wikis[name]
        told = {
            "repositoryId": id_of(repository),
            "projectId": id_of(name.partition("/")[0]),
            "mappedPath": f"/{folder}",
            "versions": [{"version": "wikiMaster"}],
            "remoteUrl": f"https://dev.azure.com/{ORGANIZATION}/{name.replace('/', '/_wiki/wikis/')}",
        }
        return web.json_response(told)

    def _projects(self, who: str) -> list[str]:
        seen = [name.partition("/")[0] for name in (*self.repositories, *self.wikis) if self._lets_in(who, name)]
        return list(dict.fromkeys(seen))

    def _listed(self, who: str, project: str) -> list[dict[str, Any]]:
        # Whoever reads a wiki reads the repository in which it is.
        behind = {place for wiki, (place, _) in self.wikis.items() if self._lets_in(who, wiki)}
        seen = [name for name in self.repositories if self._lets_in(who, name) or name in behind]
        return [
            {"id": id_of(name), "name": name.partition("/")[2], "project": _project(project)}
            for name in seen
            if name.partition("/")[0] == project
        ]

    def _called(self, what: str, among: Iterable[str]) -> str:
        """The name of what is meant by its name or its id."""
        last = what.rpartition("/")[2]
        return next((name for name in among if last == id_of(name)), what)

    def _lets_in(self, who: str, name: str) -> bool:
        return who == OWN or who in self.readers.get(name, set())


def id_of(name: str) -> str:
    """The id that a project, or a repository of one, has here."""
    return str(uuid5(NAMESPACE_URL, name))


def _project(name: str) -> dict[str, str]:
    return {"id": id_of(name), "name": name, "state": "wellFormed"}


def _token(request: web.BaseRequest) -> str:
    kind, _, rest = request.headers.get("Authorization", "").partition(" ")
    return rest if kind == "Bearer" else b64decode(rest).decode().lstrip(":")


def _item(path: str, content: bytes) -> dict[str, Any]:
    digest = sha1(content, usedforsecurity=False).hexdigest()
    return {"objectId": digest, "gitObjectType": "blob", "path": f"/{path}"}


def _missing() -> web.StreamResponse:
    return web.json_response({"typeKey": "GitRepositoryNotFoundException", "message": "TF401019"}, status=404)
