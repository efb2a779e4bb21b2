"""Repositories with branches, commits, files and pushes."""

from __future__ import annotations

from base64 import b64decode
from typing import Any

from tests.fakes.azure_devops.git_store import NO_COMMIT, Commit, Repository, blob_of, identifier
from tests.fakes.azure_devops.people import People
from tests.fakes.azure_devops.projects import Projects
from tests.fakes.azure_devops.routes import Asked, Json, Reply, Route, TroubleError, continued, listed, route, skipped

REPOSITORY = "/[project]/_apis/git/repositories/{repository}"
JSON = "application/json"
ITEM_VERSION = "versionDescriptor.version versionDescriptor.versionType"
COMMITS = (
    "searchCriteria.itemVersion.version searchCriteria.itemVersion.versionType searchCriteria.author"
    " searchCriteria.itemPath searchCriteria.fromDate searchCriteria.toDate searchCriteria.$top searchCriteria.$skip"
)
PUSHES = "searchCriteria.refName searchCriteria.fromDate searchCriteria.includeRefUpdates $top $skip"
COMPARED = "baseVersion baseVersionType targetVersion targetVersionType diffCommonCommit $top $skip"


class Git:
    """One project may have many repositories; a locked branch is one that nobody may move directly."""

    def __init__(self, projects: Projects, people: People) -> None:
        self._projects, self._people = projects, people
        self.repositories: list[Repository] = []
        self.protected: set[str] = set()
        self.routes: tuple[Route, ...] = (
            route("GET /[project]/_apis/git/repositories", self._list),
            route(f"GET {REPOSITORY}", lambda asked: self._shown(self.of(asked))),
            route(f"GET {REPOSITORY}/refs", self._refs, "filter $top continuationToken"),
            route(f"POST {REPOSITORY}/refs", self._update_refs, content_type=JSON),
            route(f"GET {REPOSITORY}/stats/branches", self._statistics, "name"),
            route(f"GET {REPOSITORY}/commits", self._commits, COMMITS),
            route(f"GET {REPOSITORY}/commits/{{commit}}", self._commit),
            route(f"GET {REPOSITORY}/commits/{{commit}}/changes", self._commit_changes, "top skip"),
            route(f"GET {REPOSITORY}/items", self._items, f"path scopePath recursionLevel {ITEM_VERSION}"),
            route(f"GET {REPOSITORY}/blobs/{{blob}}", self._blob, "$format"),
            route(f"GET {REPOSITORY}/diffs/commits", self._compare, COMPARED),
            route(f"GET {REPOSITORY}/pushes", self._pushes, PUSHES),
            route(f"POST {REPOSITORY}/pushes", self._push, content_type=JSON),
        )

    @property
    def now(self) -> str:
        return self._projects.now

    def add(self, project: str, name: str, files: dict[str, bytes] | None = None) -> Repository:
        """Put a repository there, empty or with a first commit of some files."""
        made = Repository(self._projects.id_of(f"{project}/{name}"), name, project)
        self.repositories.append(made)
        if files:
            made.move("refs/heads/main", NO_COMMIT, made.commit(files, (), "Begin", "Ada Byron"), "Ada Byron")
        return made

    def of(self, asked: Asked) -> Repository:
        wanted, project = asked.places["repository"], asked.places.get("project")
        for known in self.repositories:
            is_there = project is None or self._projects.named(project) == known.project
            if is_there and wanted in {known.id, known.name}:
                return known
        message = f"TF401019: The Git repository with name or identifier {wanted} does not exist."
        raise TroubleError(404, "GitRepositoryNotFoundException", message)

    def known(self, identifier: str) -> Repository:
        return next(known for known in self.repositories if known.id == identifier)

    def project_of(self, asked: Asked) -> str:
        return self._projects.named(asked.places["project"])

    def reference(self, repository: Repository) -> Json:
        project = {"id": self._projects.id_of(repository.project), "name": repository.project}
        return {"id": repository.id, "name": repository.name, "project": project}

    def _shown(self, repository: Repository) -> Json:
        default = {"defaultBranch": repository.default} if repository.default else {}
        web = f"https://dev.azure.com/acme/{repository.project}/_git/{repository.name}"
        return {**self.reference(repository), **default, "size": 9, "isDisabled": False, "webUrl": web}

    def _list(self, asked: Asked) -> Json:
        project = asked.places.get("project")
        wanted = project and self._projects.named(project)
        return listed([self._shown(known) for known in self.repositories if wanted in {None, known.project}])

    def _refs(self, asked: Asked) -> Reply:
        repository, beginning = self.of(asked), f"refs/{asked.query.get('filter', '')}"
        ada = self._people.reference("Ada Byron")
        found = [
            {"name": name, "objectId": commit, "creator": ada}
            for name, commit in sorted(repository.refs.items())
            if name.startswith(beginning)
        ]
        return continued(asked, found)

    def _update_refs(self, asked: Asked) -> Json:
        repository = self.of(asked)
        return listed([self._updated(repository, update) for update in asked.body])

    def _updated(self, repository: Repository, update: Json) -> Json:
        status = self._refusal(repository, update["name"], update["newObjectId"])
        if not status and not repository.move(update["name"], update["oldObjectId"], update["newObjectId"], self._me):
            status = "staleOldObjectId"
        return {**update, "success": not status, "updateStatus": status or "succeeded"}

    def _refusal(self, repository: Repository, name: str, new: str) -> str:
        if name in self.protected:
            return "rejectedByPolicy"
        return "" if new == NO_COMMIT or new in repository.commits else "unresolvableToCommit"

    @property
    def _me(self) -> str:
        return str(self._people.me["providerDisplayName"])

    def resolved(self, repository: Repository, version: str | None, kind: str | None) -> str:
        """The commit of a branch or a tag, by its short name, or of a commit."""
        names = {"commit": version, "tag": f"refs/tags/{version}"}
        name = repository.default if version is None else names.get(str(kind), f"refs/heads/{version}")
        commit = repository.refs.get(str(name), str(name))
        if commit not in repository.commits:
            message = f"TF401175: The version descriptor <{kind}: {version}> could not be resolved to a version."
            raise TroubleError(404, "GitUnresolvableToCommitException", message)
        return commit

    def _statistics(self, asked: Asked) -> Json:
        repository = self.of(asked)
        if name := asked.query.get("name"):
            return self._statistic(repository, f"refs/heads/{name}", self.resolved(repository, name, "branch"))
        return listed([self._statistic(repository, ref, commit) for ref, commit in repository.refs.items()])

    def _statistic(self, repository: Repository, ref: str, commit: str) -> Json:
        base = repository.refs.get(str(repository.default), commit)
        return {
            "name": ref.removeprefix("refs/heads/"),
            "commit": _shown_commit(repository.commits[commit], self.now),
            "aheadCount": len(repository.apart(commit, base)),
            "behindCount": len(repository.apart(base, commit)),
            "isBaseVersion": ref == repository.default,
        }

    def _commits(self, asked: Asked) -> Json:
        repository, prefix = self.of(asked), "searchCriteria."
        version, kind = (asked.query.get(f"{prefix}itemVersion.version{end}") for end in ("", "Type"))
        path, author = asked.query.get(f"{prefix}itemPath"), asked.query.get(f"{prefix}author", "")
        found = [
            _shown_commit(commit, self.now)
            for commit in repository.history(self.resolved(repository, version, kind))
            if author in commit.author and (path is None or path in _paths_changed(repository, commit))
        ]
        return skipped(asked, found, f"{prefix}$top", f"{prefix}$skip")

    def _commit(self, asked: Asked) -> Json:
        repository = self.of(asked)
        commit = self.resolved(repository, asked.places["commit"], "commit")
        return _shown_commit(repository.commits[commit], self.now)

    def _commit_changes(self, asked: Asked) -> Json:
        repository = self.of(asked)
        commit = repository.commits[self.resolved(repository, asked.places["commit"], "commit")]
        changes = list(repository.changes(*_step(commit)))
        return {"changes": skipped(asked, changes, "top", "skip")["value"]}

    def _items(self, asked: Asked) -> Json | Reply:
        repository, query = self.of(asked), asked.query
        version, kind = (query.get(f"versionDescriptor.version{end}") for end in ("", "Type"))
        tree = repository.tree(self.resolved(repository, version, kind))
        if "path" in query:
            return _file(tree, "/" + query["path"].lstrip("/"))
        return listed(_below(tree, query["scopePath"].strip("/"), query.get("recursionLevel", "none")))

    def _blob(self, asked: Asked) -> Reply:
        assert asked.query["$format"] == "octetStream"
        content = self.of(asked).blobs()[asked.places["blob"]]
        return Reply(content=content, headers={"Content-Type": "application/octet-stream"})

    def _compare(self, asked: Asked) -> Json:
        repository, query = self.of(asked), asked.query
        base, target = (
            self.resolved(repository, query[f"{side}Version"], query[f"{side}VersionType"])
            for side in ("base", "target")
        )
        common = repository.base(base, target)
        changes, top = _with_folders(repository.renamed(common, target)), asked.number("$top", 100)
        return {
            "commonCommit": common,
            "baseCommit": base,
            "targetCommit": target,
            "aheadCount": len(repository.apart(target, base)),
            "behindCount": len(repository.apart(base, target)),
            "changes": changes[:top],
            "allChangesIncluded": len(changes) <= top,
        }

    def _pushes(self, asked: Asked) -> Json:
        wanted = asked.query.get("searchCriteria.refName")
        found = [
            {**push, "date": self.now, "pushedBy": self._people.reference(push["pushedBy"])}
            for push in reversed(self.of(asked).pushes)
            if wanted in {None, push["refUpdates"][0]["name"]}
        ]
        return skipped(asked, found)

    def _push(self, asked: Asked) -> Reply:
        repository, body = self.of(asked), asked.body
        [update], [commit] = body["refUpdates"], body["commits"]
        if update["name"] in self.protected:
            message = "TF402455: Pushes to this branch are not permitted; you must use a pull request."
            raise TroubleError(403, "GitRefUpdateRejectedByPolicyException", message)
        tree = dict(repository.tree(update["oldObjectId"]))
        for change in commit["changes"]:
            _change(tree, change)
        made = repository.commit(tree, [update["oldObjectId"]], commit["comment"], self._me)
        if not repository.move(update["name"], update["oldObjectId"], made, self._me):
            message = f"TF401028: The reference {update['name']!r} has already been updated by another client."
            raise TroubleError(409, "GitReferenceStaleException", message)
        shown = {**repository.pushes[-1], "commits": [{"commitId": made}]}
        return Reply(shown, 201)


def _with_folders(changes: list[Json]) -> list[Json]:
    """Changes with the folders that they are in, as comparisons have them."""
    paths = [change["item"]["path"].split("/") for change in changes]
    folders = {"/".join(parts[:depth]) for parts in paths for depth in range(2, len(parts))}
    shown = [
        {"item": {"path": path, "gitObjectType": "tree", "isFolder": True}, "changeType": "edit"}
        for path in sorted(folders)
    ]
    return [*shown, *changes]


def _shown_commit(commit: Commit, now: str) -> Json:
    author = {"name": commit.author, "email": "someone@example.com", "date": commit.at or now}
    return {"commitId": commit.id, "comment": commit.comment, "author": author, "parents": list(commit.parents)}


def _step(commit: Commit) -> tuple[str, str]:
    return (commit.parents or (NO_COMMIT,))[0], commit.id


def _paths_changed(repository: Repository, commit: Commit) -> set[str]:
    return {change["item"]["path"] for change in repository.changes(*_step(commit))}


def _file(tree: Any, path: str) -> Reply:
    if path not in tree:
        raise TroubleError(404, "GitItemNotFoundException", f"TF401174: The item {path!r} could not be found.")
    return Reply(content=tree[path], headers={"Content-Type": "application/octet-stream"})


def _below(tree: Any, folder: str, level: str) -> list[Json]:
    """A folder and what is in it: directly, or all."""
    start = f"/{folder}/" if folder else "/"
    if f"/{folder}" in tree:
        return [{"gitObjectType": "blob", "path": f"/{folder}", "objectId": blob_of(tree[f"/{folder}"])}]
    files = [path for path in tree if path.startswith(start)]
    if not files:
        raise TroubleError(404, "GitItemNotFoundException", f"TF401174: The item /{folder} could not be found.")
    parts = [path.removeprefix(start).split("/") for path in files]
    folders = {"/".join(names[:depth]) for names in parts for depth in range(1, len(names))}
    items = [("tree", f"{start}{name}") for name in sorted(folders)] + [("blob", path) for path in sorted(files)]
    wanted = {"none": 0, "oneLevel": 1, "full": 99}[level]
    shown = [(kind, path) for kind, path in items if path.removeprefix(start).count("/") < wanted]
    every = [("tree", start.rstrip("/") or "/"), *shown]
    return [
        {"gitObjectType": kind, "path": path, "objectId": identifier(path)}
        | ({"isFolder": True} if kind == "tree" else {})
        for kind, path in every
    ]


def _change(tree: dict[str, bytes], change: Json) -> None:
    kind, path = change["changeType"], change["item"]["path"]
    if (kind == "add") is (path in tree):
        message = f"TF401179: The {kind} of {path} is not valid: it is {'' if path in tree else 'not '}there."
        raise TroubleError(400, "GitChangeConflictException", message)
    if kind == "delete":
        del tree[path]
        return
    content = change["newContent"]
    text: str = content["content"]
    tree[path] = b64decode(text) if content["contentType"] == "base64encoded" else text.encode()
