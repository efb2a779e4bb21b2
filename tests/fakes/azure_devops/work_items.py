"""Work items with revisions, relations, comments and attachments, changed by JSON Patch as the real ones are."""

from __future__ import annotations

import re
from collections.abc import Callable
from copy import deepcopy
from typing import Any
from uuid import NAMESPACE_OID, uuid5

from tests.fakes.azure_devops.people import People
from tests.fakes.azure_devops.projects import Projects
from tests.fakes.azure_devops.relations import check_artifact, identity, opposite, target_of
from tests.fakes.azure_devops.routes import Asked, Json, Reply, Route, TroubleError, listed, route, skipped
from tests.fakes.azure_devops.wiql import matching
from tests.fakes.azure_devops.work_item_types import WorkItemTypes, first_state

BASE = "https://dev.azure.com/acme"
ITEM = "/[project]/_apis/wit/workitems/{id}"
COMMENTS = "/{project}/_apis/wit/workItems/{id}/comments"
PATCH, JSON, OCTETS = "application/json-patch+json", "application/json", "application/octet-stream"
PREVIEW = "7.1-preview.4"
SHOWN = {"id", "rev", "fields", "relations", "url"}
# What boards write themselves.
READ_ONLY = {"System.BoardColumn", "System.BoardColumnDone", "System.BoardLane"}


class WorkItems:
    def __init__(self, projects: Projects, people: People) -> None:
        self._projects, self._people = projects, people
        self._types = WorkItemTypes(projects)
        self.revisions: dict[int, list[Json]] = {}
        self.recycled: dict[int, list[Json]] = {}
        self.comments: dict[int, list[Json]] = {}
        self.attachments: dict[str, bytes] = {}
        self.saved: list[Json] = []
        # A server of old keeps every text as HTML.
        self.has_formats = True
        # What follows from a change: each gets the work item as it was, and as it is about to be.
        self.rules: list[Callable[[Json, Json], None]] = []
        self.routes: tuple[Route, ...] = (
            *self._types.routes,
            route(f"GET {ITEM}", self._get, "$expand fields asOf"),
            route(f"PATCH {ITEM}", self._patch, content_type=PATCH),
            route(f"DELETE {ITEM}", self._delete, "destroy"),
            route("POST /{project}/_apis/wit/workitems/${type}", self._create, content_type=PATCH),
            route("GET /[project]/_apis/wit/workItems/{id}/updates", self._updates, "$top $skip"),
            route("POST /[project]/_apis/wit/workitemsbatch", self._batch, content_type=JSON),
            route("POST /[project]/_apis/wit/wiql", self._wiql, "$top timePrecision", content_type=JSON),
            route("GET /{project}/_apis/wit/wiql/{query}", self._run, "$top"),
            route("GET /{project}/_apis/wit/queries", self._queries, "$depth $expand"),
            route(f"GET {COMMENTS}", self._comments, "$top continuationToken order", version=PREVIEW),
            route(f"POST {COMMENTS}", self._comment, "format", content_type=JSON, version=PREVIEW),
            route(f"GET {COMMENTS}/{{comment}}", self._single_comment, version=PREVIEW),
            route(f"PATCH {COMMENTS}/{{comment}}", self._recomment, "format", content_type=JSON, version=PREVIEW),
            route("POST /[project]/_apis/wit/attachments", self._upload, "fileName uploadType", content_type=OCTETS),
            route("GET /[project]/_apis/wit/attachments/{file}", self._download, "fileName download"),
        )

    def add(self, project: str, kind: str, title: str, **fields: Any) -> int:
        """Put a work item there, with fields by the last parts of their names."""
        named = {f"System.{name}": value for name, value in {"Title": title, **fields}.items()}
        return self._new(
            project, kind, [{"op": "add", "path": f"/fields/{name}", "value": v} for name, v in named.items()]
        )

    def latest(self, number: int) -> Json:
        if number not in self.revisions:
            message = f"TF401232: Work item {number} does not exist, or you do not have permissions to read it."
            raise TroubleError(404, "WorkItemUnauthorizedAccessException", message)
        return self.revisions[number][-1]

    def _item(self, asked: Asked) -> Json:
        return self.latest(int(asked.places["id"]))

    def _get(self, asked: Asked) -> Json:
        names, expand = asked.query.get("fields"), asked.query.get("$expand", "none")
        if names and expand != "none":
            raise TroubleError(
                400, "ConflictingParametersException", "The expand parameter can not be used with fields."
            )
        item = self._item(asked)
        shown = item if expand in {"relations", "all"} else {**item, "relations": None}
        return _only(shown, names.split(",") if names else None)

    def _create(self, asked: Asked) -> Json:
        project = self._projects.named(asked.places["project"])
        return self.latest(self._new(project, self._types.named(project, asked.places["type"]), asked.body))

    def _new(self, project: str, kind: str, operations: list[Json]) -> int:
        number = len(self.revisions) + len(self.recycled) + 1
        fields = {
            "TeamProject": project,
            "WorkItemType": kind,
            "State": first_state(kind),
            "AreaPath": project,
            "IterationPath": project,
        }
        stamped = {
            **fields,
            "CreatedDate": self._projects.now,
            "CreatedBy": self._people.reference(self._people.me["id"]),
        }
        item = {
            "id": number,
            "rev": 0,
            "fields": {f"System.{name}": value for name, value in stamped.items()},
            "relations": [],
            **({"multilineFieldsFormat": {}} if self.has_formats else {}),
        }
        self.revisions[number] = [self._applied(item, operations)]
        self._mirror(number, [], self.revisions[number][-1]["relations"])
        return number

    def _patch(self, asked: Asked) -> Json:
        item = self._item(asked)
        changed = self._applied(item, asked.body)
        self.revisions[item["id"]].append(changed)
        self._mirror(item["id"], item["relations"], changed["relations"])
        return changed

    def _applied(self, item: Json, operations: list[Json]) -> Json:
        changed = deepcopy(item)
        for operation in operations:
            self._apply(changed, operation)
        self._types.check(item, changed)
        for rule in self.rules:
            rule(item, changed)
        changed["rev"] += 1
        changed["url"] = f"{BASE}/_apis/wit/workItems/{item['id']}"
        me = self._people.reference(self._people.me["id"])
        changed["fields"] |= {
            "System.ChangedDate": self._projects.now,
            "System.ChangedBy": me,
            "System.Rev": changed["rev"],
        }
        return changed

    def _apply(self, item: Json, operation: Json) -> None:
        match operation["op"], operation["path"].split("/")[1:]:
            case "test", ["rev"]:
                if operation["value"] != item["rev"]:
                    message = f"VS403351: Test Operation for path /rev failed, value {item['rev']} was not equal."
                    raise TroubleError(412, "TestPatchOperationFailedException", message)
            case "add" | "replace", ["fields", name] if name in READ_ONLY:
                message = f"TF26194: The value for the field '{name}' cannot be changed."
                raise TroubleError(400, "WorkItemFieldInvalidException", message)
            case "add" | "replace", ["fields", name]:
                person = name == "System.AssignedTo" and operation["value"]
                item["fields"][name] = self._person(person) if person else operation["value"]
            case "add", ["multilineFieldsFormat", name] if self.has_formats:
                # There is no way back, and a format alone is no change.
                item["multilineFieldsFormat"][name] = operation["value"].lower()
            case "add", ["relations", "-"]:
                self._relate(item, operation["value"])
            case "remove", ["relations", index]:
                del item["relations"][int(index)]
            case _:
                raise TroubleError(400, "VssPropertyValidationException", f"You must pass a valid patch: {operation}.")

    def _person(self, who: str) -> Json:
        try:
            return self._people.reference(who)
        except KeyError:
            message = f"The identity value '{who}' for field 'Assigned To' is an unknown identity."
            raise TroubleError(400, "RuleValidationException", message) from None

    def _relate(self, item: Json, relation: Json) -> None:
        if any(identity(known) == identity(relation) for known in item["relations"]):
            raise TroubleError(400, "RelationAlreadyExistsException", "Relation already exists.")
        check_artifact(relation)
        if target := target_of(relation):
            self.latest(target)
        item["relations"].append(relation)

    def _mirror(self, number: int, before: list[Json], after: list[Json]) -> None:
        """The other end of a link shows it, too."""
        for relation in [relation for relation in [*before, *after] if (relation in before) != (relation in after)]:
            if (target := target_of(relation)) in self.revisions:
                other = {**relation, "rel": opposite(relation["rel"]), "url": f"{BASE}/_apis/wit/workItems/{number}"}
                kept = [known for known in self.latest(target)["relations"] if known != other]
                self.latest(target)["relations"] = [*kept, other] if relation in after else kept

    def _delete(self, asked: Asked) -> Reply | Json:
        item = self._item(asked)
        revisions = self.revisions.pop(item["id"])
        if asked.query.get("destroy") == "true":
            return Reply(status=204, content=b"")
        self.recycled[item["id"]] = revisions
        return {"id": item["id"], "code": 200, "deletedDate": self._projects.now, "resource": item}

    def _updates(self, asked: Asked) -> Json:
        self._item(asked)
        revisions = self.revisions[int(asked.places["id"])]
        pairs = zip([{"fields": {}, "relations": []}, *revisions], revisions, strict=False)
        return skipped(asked, [_update(number + 1, before, after) for number, (before, after) in enumerate(pairs)])

    def _batch(self, asked: Asked) -> Json:
        ids, names = asked.body["ids"], asked.body.get("fields")
        if any(number >= 2**31 for number in ids):
            raise TroubleError(400, "VssPropertyValidationException", f"Could not convert to integer: {max(ids)}.")
        if len(ids) > 200:
            message = "VS403474: You have exceeded the maximum number of work items (200) for a batch."
            raise TroubleError(400, "WorkItemBatchLimitException", message)
        if asked.body.get("errorPolicy") != "omit":
            for number in ids:
                self.latest(number)
        found = [_only(self.latest(number), names) if number in self.revisions else None for number in ids]
        # Nothing promises the formats of texts here.
        return listed(
            [{name: value for name, value in item.items() if name in SHOWN} if item else None for item in found]
        )

    def _wiql(self, asked: Asked) -> Json:
        return self._found(asked.body["query"], asked.number("$top", 20_000))

    def _found(self, query: str, top: int) -> Json:
        me = self._people.me["providerDisplayName"]
        found = matching(query, [revisions[-1] for revisions in self.revisions.values()], me)
        ids = [{"id": item["id"], "url": item["url"]} for item in found][:top]
        columns = re.findall(r"\[([\w.]+)\]", query.partition("FROM")[0])
        named = [{"referenceName": name, "name": name.rpartition(".")[2]} for name in columns]
        return {
            "queryType": "flat",
            "queryResultType": "workItem",
            "asOf": self._projects.now,
            "columns": named,
            "workItems": ids,
        }

    def _queries(self, _: Asked) -> Json:
        shared = {"id": "f1", "name": "Shared Queries", "path": "Shared Queries", "isFolder": True, "hasChildren": True}
        return listed(
            [{**shared, "children": [{k: v for k, v in query.items() if k != "wiql"} for query in self.saved]}]
        )

    def _run(self, asked: Asked) -> Json:
        for query in self.saved:
            if query["id"] == asked.places["query"]:
                return self._found(query["wiql"], asked.number("$top", 20_000))
        raise TroubleError(404, "QueryItemNotFoundException", "TF401243: The query does not exist.")

    def _comments(self, asked: Asked) -> Json:
        newest = self.comments.get(self._item(asked)["id"], [])[::-1]
        start = asked.number("continuationToken", 0)
        end = start + asked.number("$top", 200)
        token = {"continuationToken": str(end)} if end < len(newest) else {}
        return {"totalCount": len(newest), "count": len(newest[start:end]), "comments": newest[start:end], **token}

    def _comment(self, asked: Asked) -> Json:
        comments = self.comments.setdefault(self._item(asked)["id"], [])
        me = self._people.reference(self._people.me["id"])
        about = {"id": len(comments) + 1, "version": 1, "createdBy": me, "createdDate": self._projects.now}
        comments.append({"text": asked.body["text"], "format": asked.query.get("format", "html"), **about})
        return comments[-1]

    def _single_comment(self, asked: Asked) -> Json:
        return self.comments[self._item(asked)["id"]][int(asked.places["comment"]) - 1]

    def _recomment(self, asked: Asked) -> Json:
        comment = self._single_comment(asked)
        comment |= {"text": asked.body["text"], "version": comment["version"] + 1, "modifiedDate": self._projects.now}
        return comment

    def _upload(self, asked: Asked) -> Reply:
        key = str(uuid5(NAMESPACE_OID, str(len(self.attachments))))
        self.attachments[key] = asked.content
        return Reply({"id": key, "url": f"{BASE}/_apis/wit/attachments/{key}?fileName={asked.query['fileName']}"}, 201)

    def _download(self, asked: Asked) -> Reply:
        if asked.places["file"] not in self.attachments:
            raise TroubleError(404, "AttachmentNotFoundException", "TF237082: The file attachment does not exist.")
        return Reply(content=self.attachments[asked.places["file"]], headers={"Content-Type": OCTETS})


def _only(item: Json, names: list[str] | None) -> Json:
    if names is None:
        return {name: value for name, value in item.items() if value not in (None, [])}
    return {"id": item["id"], "rev": item["rev"], "fields": {n: v for n, v in item["fields"].items() if n in names}}


def _update(number: int, before: Json, after: Json) -> Json:
    changed = {
        name: {"oldValue": before["fields"].get(name), "newValue": value}
        for name, value in after["fields"].items()
        if before["fields"].get(name) != value
    }
    added = [relation for relation in after["relations"] if relation not in before["relations"]]
    shown = {"relations": {"added": added}} if added else {}
    return {
        "id": number,
        "rev": after["rev"],
        "revisedBy": after["fields"]["System.ChangedBy"],
        "fields": changed,
        **shown,
    }
