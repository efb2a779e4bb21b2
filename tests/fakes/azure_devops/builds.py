"""Pipelines and their builds, which go on when a test says so, with stages, logs and artifacts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from fnmatch import fnmatch
from typing import Any

from tests.fakes.azure_devops.people import People
from tests.fakes.azure_devops.projects import Projects
from tests.fakes.azure_devops.routes import Asked, Json, Reply, Route, TroubleError, continued, listed, route

JSON = "application/json"
DEFINITIONS = "/{project}/_apis/build/definitions"
BUILDS = "/{project}/_apis/build/builds"
BUILD = f"{BUILDS}/{{build}}"
PIPELINES = "/{project}/_apis/pipelines"
STEPS = ("Checkout", "Compile", "Test")
FILTERS = (
    "buildIds definitions branchName statusFilter resultFilter requestedFor minTime queryOrder $top continuationToken"
)
BETWEEN = "fromBuildId toBuildId $top"
LINES_AT_ONCE = 1000


class Builds:
    """Every build has one stage, `Build`, with a job of three steps, each of which writes a log."""

    def __init__(self, projects: Projects, people: People) -> None:
        self._projects, self._people = projects, people
        self.definitions: dict[int, Json] = {}
        self.builds: dict[int, Json] = {}
        self.logs: dict[int, dict[int, Sequence[str]]] = {}
        # Listed, and kept no longer.
        self.gone_logs: set[int] = set()
        self.artifacts: dict[int, list[Json]] = {}
        self.contents = b"PK zip of all"
        self.changes: dict[int, list[Json]] = {}
        self.work_items: dict[int, list[int]] = {}
        self.checkpoints: dict[int, list[Json]] = {}
        self.retried: list[tuple[int, str, bool]] = []
        self.largest_page = 100
        self.routes: tuple[Route, ...] = (
            route(
                f"GET {DEFINITIONS}", self._list_definitions, "path name includeAllProperties $top continuationToken"
            ),
            route(f"GET {DEFINITIONS}/{{definition}}", self._get_definition, "includeLatestBuilds"),
            route(f"PUT {DEFINITIONS}/{{definition}}", self._put_definition, content_type=JSON),
            route(f"GET {BUILDS}", self._list, FILTERS),
            route(f"POST {BUILDS}", self._queue, content_type=JSON),
            route(f"GET {BUILD}", self._get),
            route(f"PATCH {BUILD}", self._cancel, content_type=JSON),
            route(f"GET {BUILD}/timeline", self._timeline),
            route(f"GET {BUILD}/logs", self._list_logs),
            route(f"GET {BUILD}/logs/{{log}}", self._get_log, "startLine endLine"),
            route("GET /{project}/_apis/build/changes", self._changes_between, BETWEEN),
            route("GET /{project}/_apis/build/workitems", self._work_items_between, BETWEEN),
            route(f"GET {BUILD}/changes", self._list_changes, "$top continuationToken"),
            route(f"GET {BUILD}/artifacts", self._get_artifacts, "artifactName $format"),
            route(f"PATCH {BUILD}/stages/{{stage}}", self._retry, content_type=JSON),
            route(f"POST {PIPELINES}", self._create, content_type=JSON),
            route(f"POST {PIPELINES}/{{definition}}/runs", self._run, content_type=JSON),
        )

    def define(self, project: str, name: str, folder: str = "\\", **more: Any) -> int:
        number = len(self.definitions) + 1
        about = {"id": number, "name": name, "path": folder, "revision": 1, "queueStatus": "enabled"}
        self.definitions[number] = {**about, "project": {"id": self._projects.id_of(project), "name": project}, **more}
        return number

    def add(self, definition: int, branch: str = "refs/heads/main", **more: Any) -> int:
        """Put a build in the queue."""
        number = len(self.builds) + 101
        known = self.definitions[definition]
        self.builds[number] = {
            "id": number,
            "buildNumber": f"{self._projects.today:%Y%m%d}.{number}",
            "status": "notStarted",
            "definition": {"id": definition, "name": known["name"]},
            "project": known["project"],
            "sourceBranch": branch,
            "requestedFor": self._people.reference(self._people.me["id"]),
            "queueTime": self._projects.now,
            "_links": {"web": {"href": f"https://dev.azure.com/acme/_build/results?buildId={number}"}},
            **more,
        }
        return number

    def start(self, number: int, *lines: str) -> None:
        """Let the first step of a build write."""
        self.builds[number]["status"] = "inProgress"
        self.logs[number] = {1: list(lines)}

    def finish(self, number: int, failing: str = "", logs: Sequence[Sequence[str]] = ((), (), ())) -> None:
        """Let a build end, with a failure in one step or with none, and with these logs of its steps."""
        result = "failed" if failing else "succeeded"
        at = self._projects.now
        self.builds[number] |= {"status": "completed", "result": result, "finishTime": at, "failing": failing}
        self.logs[number] = dict(enumerate(logs, 1))

    def stop_at(self, number: int, stage: str, approval: str) -> None:
        """Let a build wait before a stage for an approval."""
        self.logs.setdefault(number, {})
        above = {"id": f"stage {stage}", "type": "Stage", "name": stage, "identifier": stage, "order": 2}
        point = {"id": f"point {stage}", "parentId": above["id"], "type": "Checkpoint", "name": "Checkpoint"}
        check = {"id": approval, "parentId": point["id"], "type": "Checkpoint.Approval", "name": "Checkpoint.Approval"}
        state = {"state": "inProgress", "result": None, "log": None}
        self.checkpoints.setdefault(number, []).extend(record | state for record in (check, point, above))

    def _in(self, asked: Asked, known: dict[int, Json]) -> list[Json]:
        project = self._projects.named(asked.places["project"])
        return [entry for entry in known.values() if entry["project"]["name"] == project]

    def _definition(self, asked: Asked, number: int = 0) -> Json:
        number = number or int(asked.places["definition"])
        for definition in self._in(asked, self.definitions):
            if definition["id"] == number:
                return definition
        raise TroubleError(404, "DefinitionNotFoundException", f"Build definition {number} not found.")

    def _build(self, asked: Asked) -> Json:
        return self._numbered(asked, int(asked.places["build"]))

    def _numbered(self, asked: Asked, number: int) -> Json:
        for build in self._in(asked, self.builds):
            if build["id"] == number:
                return build
        raise TroubleError(404, "BuildNotFoundException", f"The requested build {number} could not be found.")

    def _list_definitions(self, asked: Asked) -> Reply:
        folder, name = asked.query.get("path"), asked.query.get("name", "*")
        found = [
            entry
            for entry in self._in(asked, self.definitions)
            if folder in {None, entry["path"]} and fnmatch(entry["name"], name)
        ]
        return continued(asked, found, self.largest_page)

    def _get_definition(self, asked: Asked) -> Json:
        definition = self._definition(asked)
        runs = [build for build in self.builds.values() if build["definition"]["id"] == definition["id"]]
        wanted = runs and asked.query.get("includeLatestBuilds") == "true"
        return {**definition, **({"latestBuild": runs[-1]} if wanted else {})}

    def _put_definition(self, asked: Asked) -> Json:
        known, new = self._definition(asked), asked.body
        if new["revision"] != known["revision"]:
            raise TroubleError(409, "DefinitionConflictException", "The definition was changed by somebody else.")
        known |= {**new, "revision": known["revision"] + 1}
        return known

    def _create(self, asked: Asked) -> Json:
        body = asked.body
        if body["configuration"]["type"] != "yaml":
            raise TroubleError(400, "ArgumentException", "Only YAML can be made here.")
        number = self.define(self._projects.named(asked.places["project"]), body["name"], body["folder"])
        return {"id": number, "name": body["name"], "folder": body["folder"], "revision": 1, "_links": {}}

    def _list(self, asked: Asked) -> Reply:
        if "buildIds" not in asked.query and asked.query.get("queryOrder") != "queueTimeDescending":
            raise TroubleError(400, "NoOrder", "Without an order, the newest builds come in any place.")
        found = [build for build in self._in(asked, self.builds) if _is_wanted(build, asked)]
        return continued(asked, found[::-1], self.largest_page)

    def _queue(self, asked: Asked) -> Json:
        body = asked.body
        values = json.loads(body.get("parameters", "{}"))
        return self._queued(asked, body["definition"]["id"], body.get("sourceBranch"), parameters=values)

    def _run(self, asked: Asked) -> Json:
        body = asked.body
        ref = body.get("resources", {}).get("repositories", {}).get("self", {}).get("refName")
        more = {name: body.get(name) for name in ("templateParameters", "variables", "stagesToSkip")}
        build = self._queued(asked, int(asked.places["definition"]), ref, **more)
        about = {"name": build["buildNumber"], "state": "inProgress", "createdDate": self._projects.now}
        return {"id": build["id"], **about, "pipeline": build["definition"], "_links": build["_links"]}

    def _queued(self, asked: Asked, definition: int, ref: str | None, **more: Any) -> Json:
        self._definition(asked, definition)
        if ref and not ref.startswith("refs/"):
            raise TroubleError(400, "InvalidBranch", f"{ref} is no full name of a branch.")
        return self.builds[self.add(definition, ref or "refs/heads/main", **more)]

    def _get(self, asked: Asked) -> Json:
        return self._build(asked)

    def _cancel(self, asked: Asked) -> Json:
        build = self._build(asked)
        if asked.body != {"status": "cancelling"}:
            raise TroubleError(400, "ArgumentException", "Nothing else can be changed here.")
        if build["status"] != "completed":
            build["status"] = "cancelling"
        return build

    def _timeline(self, asked: Asked) -> Reply:
        build = self._build(asked)
        if build["id"] not in self.logs:
            return Reply(status=204, content=b"")
        records = [*_records(build, self.logs[build["id"]]), *self.checkpoints.get(build["id"], [])]
        return Reply({"id": "t", "records": records})

    def _list_logs(self, asked: Asked) -> Json:
        logs = self.logs.get(self._build(asked)["id"], {})
        return listed([{"id": number, "type": "Container", "lineCount": len(lines)} for number, lines in logs.items()])

    def _get_log(self, asked: Asked) -> Reply:
        lines = self.logs.get(self._build(asked)["id"], {}).get(int(asked.places["log"]))
        if lines is None or int(asked.places["log"]) in self.gone_logs:
            raise TroubleError(404, "BuildLogNotFoundException", "The log does not exist.")
        if asked.headers["Accept"] != "text/plain":
            raise TroubleError(406, "NotText", "As JSON, a log is a list of lines.")
        return text_of(asked, lines)

    def _list_changes(self, asked: Asked) -> Reply:
        return continued(asked, self.changes.get(self._build(asked)["id"], []), self.largest_page)

    def _between(self, asked: Asked) -> list[int]:
        """The builds after one up to another, the newest first."""
        ends = [self._numbered(asked, asked.number(name, 0))["id"] for name in ("fromBuildId", "toBuildId")]
        return [number for number in sorted(self.builds, reverse=True) if ends[0] < number <= ends[1]]

    def _changes_between(self, asked: Asked) -> Json:
        found = [change for number in self._between(asked) for change in self.changes.get(number, [])]
        return listed(found[: asked.number("$top", 50)])

    def _work_items_between(self, asked: Asked) -> Json:
        found = dict.fromkeys(item for number in self._between(asked) for item in self.work_items.get(number, []))
        references = [{"id": str(item), "url": f"https://dev.azure.com/acme/_apis/wit/{item}"} for item in found]
        return listed(references[: asked.number("$top", 50)])

    def _get_artifacts(self, asked: Asked) -> Reply | Json:
        found, name = self.artifacts.get(self._build(asked)["id"], []), asked.query.get("artifactName")
        if name is None:
            return listed(found)
        for artifact in found:
            if artifact["name"] == name:
                zipped = asked.query.get("$format") == "zip"
                return self._zip(artifact) if zipped else artifact
        raise TroubleError(404, "ArtifactNotFoundException", f"Artifact {name} was not found.")

    def _zip(self, artifact: Json) -> Reply:
        if artifact["resource"]["type"] != "Container":
            return Reply(status=302, headers={"Location": "https://elsewhere.example.com/"}, content=b"")
        return Reply(content=self.contents, headers={"Content-Type": "application/zip"})

    def _retry(self, asked: Asked) -> Reply:
        build, body = self._build(asked), asked.body
        if asked.places["stage"] != "build_stage" or body["state"] != "retry":
            raise TroubleError(404, "StageNotFoundException", "There is no such stage, by its identifier.")
        self.retried.append((build["id"], asked.places["stage"], body["forceRetryAllJobs"]))
        build["status"] = "inProgress"
        return Reply(status=204, content=b"")


def text_of(asked: Asked, lines: Sequence[str]) -> Reply:
    """The lines of a log that were asked for, counted from one."""
    start, end = asked.number("startLine", 1), min(asked.number("endLine", len(lines)), len(lines))
    pieces = range(start - 1, end, LINES_AT_ONCE)
    content = ("".join(f"{line}\n" for line in lines[at : min(at + LINES_AT_ONCE, end)]).encode() for at in pieces)
    return Reply(content=content, headers={"Content-Type": "text/plain; charset=utf-8"})


def _is_wanted(build: Json, asked: Asked) -> bool:
    query = asked.query
    status = query.get("statusFilter", "all")
    return (
        ("buildIds" not in query or str(build["id"]) in query["buildIds"].split(","))
        and query.get("definitions") in {None, str(build["definition"]["id"])}
        and query.get("branchName") in {None, build["sourceBranch"]}
        and status in {"all", build["status"]}
        and query.get("resultFilter") in {None, build.get("result")}
        and query.get("requestedFor") in {None, build["requestedFor"]["uniqueName"]}
        and query.get("minTime", "") <= build["queueTime"]
    )


def _records(build: Json, logs: Mapping[int, Sequence[str]]) -> list[Json]:
    state = "completed" if build["status"] == "completed" else "inProgress"
    whole = {"state": state, "result": build.get("result"), "order": 1, "attempt": 1}
    records = [
        {"id": "stage", "type": "Stage", "name": "Build", "identifier": "build_stage", **whole},
        {"id": "phase", "parentId": "stage", "type": "Phase", "name": "Linux", **whole},
        {"id": "job", "parentId": "phase", "type": "Job", "name": "Linux", **whole},
    ]
    for number in logs:
        name = STEPS[number - 1]
        failed = name == build.get("failing")
        issues = [{"type": "error", "message": f"{name} went wrong"}] if failed else []
        about = {"state": state, "result": "failed" if failed else "succeeded", "issues": issues, "log": {"id": number}}
        records.append({"id": name, "parentId": "job", "type": "Task", "name": name, "order": number, **about})
    # In no order, as the service gives them.
    return records[::-1]
