"""Pull requests with iterations, reviewers and threads, that merge some time after they were told to."""

from __future__ import annotations

from collections.abc import Mapping

from tests.fakes.azure_devops.git import JSON, REPOSITORY, Git
from tests.fakes.azure_devops.git_store import NO_COMMIT, Repository, Tree
from tests.fakes.azure_devops.people import People
from tests.fakes.azure_devops.routes import Asked, Json, Reply, Route, TroubleError, continued, listed, route, skipped
from tests.fakes.azure_devops.work_items import WorkItems

ITSELF = f"{REPOSITORY}/pullrequests/{{number}}"
THREADS = f"{ITSELF}/threads"
SEARCH = "status creatorId reviewerId sourceRefName targetRefName minTime maxTime queryTimeRangeType"
STATUSES = {"notSet", "active", "abandoned", "completed", "all"}
LISTED = " ".join(f"searchCriteria.{name}" for name in SEARCH.split()) + " $top $skip"
NOBODY = "00000000-0000-0000-0000-000000000000"
APPROVERS = {"id": 1, "isEnabled": True, "isBlocking": True, "type": {"displayName": "Minimum number of reviewers"}}


class PullRequests:
    """`approvals` is how many have to approve before a merge; `slowness`, how often one asks until it is merged."""

    def __init__(self, git: Git, work_items: WorkItems, people: People) -> None:
        self._git, self._work_items, self._people = git, work_items, people
        self.approvals = 0
        # Branches with policies, besides all branches if somebody has to approve.
        self.protected: set[str] = set()
        # The policies of projects, by their names.
        self.policies: dict[str, list[Json]] = {}
        self.slowness = 1
        self.opened: list[Json] = []
        self.threads: dict[int, list[Json]] = {}
        self.iterations: dict[int, list[tuple[str, str]]] = {}
        self.routes: tuple[Route, ...] = (*self._routes_of_requests(), *self._routes_of_policies())

    def _routes_of_requests(self) -> tuple[Route, ...]:
        return (
            route(f"GET {REPOSITORY}/pullrequests", self._list_of_repository, LISTED),
            route("GET /{project}/_apis/git/pullrequests", self._list_of_project, LISTED),
            route("GET /[project]/_apis/git/pullrequests/{number}", self._by_number),
            route(f"POST {REPOSITORY}/pullrequests", self._open, content_type=JSON),
            route(f"GET {ITSELF}", self._get, "includeCommits includeWorkItemRefs"),
            route(f"PATCH {ITSELF}", self._patch, content_type=JSON),
            route(f"PUT {ITSELF}/reviewers/{{reviewer}}", self._review, content_type=JSON),
            route(f"DELETE {ITSELF}/reviewers/{{reviewer}}", self._dismiss),
            route(f"GET {ITSELF}/workitems", lambda asked: listed(self._work_items_of(self._of(asked)))),
            route(f"GET {ITSELF}/iterations", self._iterations),
            route(f"GET {ITSELF}/iterations/{{iteration}}/changes", self._changes, "$compareTo $top $skip"),
            route(f"GET {THREADS}", lambda asked: listed(self.threads[self._of(asked)["pullRequestId"]])),
            route(f"POST {THREADS}", self._begin, content_type=JSON),
            route(f"PATCH {THREADS}/{{thread}}", self._change_thread, content_type=JSON),
            route(f"POST {THREADS}/{{thread}}/comments", self._reply, content_type=JSON),
            route(f"GET {THREADS}/{{thread}}/comments/{{comment}}", self._comment),
            route(f"PATCH {THREADS}/{{thread}}/comments/{{comment}}", self._rewrite, content_type=JSON),
        )

    def _routes_of_policies(self) -> tuple[Route, ...]:
        return (
            route("GET /{project}/_apis/policy/configurations", self._policies_of, "$top continuationToken"),
            route("GET /{project}/_apis/policy/configurations/{policy}", lambda _: self._policy),
            route(
                "GET /{project}/_apis/git/policy/configurations",
                self._policies,
                "repositoryId refName $top continuationToken",
            ),
            route(
                "GET /{project}/_apis/policy/evaluations",
                self._evaluations,
                "artifactId $top $skip",
                version="7.1-preview.1",
            ),
        )

    @property
    def _policy(self) -> Json:
        return {**APPROVERS, "settings": {"minimumApproverCount": self.approvals}}

    def _policies_of(self, asked: Asked) -> Reply:
        return continued(asked, self.policies.get(self._git.project_of(asked), []))

    def _policies(self, asked: Asked) -> Json:
        known = {repository.id for repository in self._git.repositories}
        # A name is no id, and finds nothing.
        is_protected = self.approvals or asked.query.get("refName") in self.protected
        return listed([self._policy] if is_protected and asked.query["repositoryId"] in known else [])

    def _evaluations(self, asked: Asked) -> Json:
        found = self.opened[int(asked.query["artifactId"].rpartition("/")[2]) - 1]
        met = "approved" if self._is_approved(found) else "queued"
        return skipped(asked, [{"status": met, "configuration": self._policy}] if self.approvals else [])

    def _of(self, asked: Asked) -> Json:
        self._git.of(asked)
        number = int(asked.places["number"])
        if not 0 < number <= len(self.opened):
            raise _missing(number)
        return self._looked_at(self._git.of(asked), self.opened[number - 1])

    def _by_number(self, asked: Asked) -> Json:
        number, project = int(asked.places["number"]), asked.places.get("project")
        for found in self.opened:
            wanted = project and self._git.project_of(asked)
            if found["pullRequestId"] == number and wanted in {None, found["repository"]["project"]["name"]}:
                return self._looked_at(self._git.known(found["repository"]["id"]), found)
        raise _missing(number)

    def _looked_at(self, repository: Repository, found: Json) -> Json:
        """A pull request as it is now, after what was pushed and what was queued."""
        source, target = (repository.refs.get(found[f"{side}RefName"]) for side in ("source", "target"))
        if found["status"] != "active" or source is None or target is None:
            return found
        self._iterate(repository, found, source, target)
        found["lastMergeSourceCommit"], found["lastMergeTargetCommit"] = {"commitId": source}, {"commitId": target}
        tree = repository.merged(source, target)
        if found.get("waits", 0) > 0:
            found["waits"] -= 1
            found["mergeStatus"] = "queued"
        elif "waits" in found and tree is not None:
            self._merge(repository, found, tree)
        else:
            found.pop("waits", None)
            found["mergeStatus"] = "conflicts" if tree is None else "succeeded"
        return found

    def _iterate(self, repository: Repository, found: Json, source: str, target: str) -> None:
        pushed = self.iterations.setdefault(found["pullRequestId"], [])
        if not pushed or pushed[-1][1] != source:
            pushed.append((repository.base(source, target), source))

    def _merge(self, repository: Repository, found: Json, tree: Tree) -> None:
        source, target = (found[f"lastMerge{side}Commit"]["commitId"] for side in ("Source", "Target"))
        options = found.get("completionOptions") or {}
        parents = [target] if options.get("mergeStrategy") == "squash" else [target, source]
        message = options.get("mergeCommitMessage") or f"Merged PR {found['pullRequestId']}: {found['title']}"
        made = repository.commit(tree, parents, message, "Ada Byron")
        repository.move(found["targetRefName"], target, made, "Ada Byron")
        if options.get("deleteSourceBranch"):
            repository.move(found["sourceRefName"], source, NO_COMMIT, "Ada Byron")
        found |= {"status": "completed", "mergeStatus": "succeeded", "closedDate": self._git.now}
        found["lastMergeCommit"] = {"commitId": made}
        del found["waits"]

    def _list_of_repository(self, asked: Asked) -> Json:
        wanted = self._git.of(asked).id
        return self._list(asked, [found for found in self.opened if found["repository"]["id"] == wanted])

    def _list_of_project(self, asked: Asked) -> Json:
        project = self._git.project_of(asked)
        return self._list(asked, [found for found in self.opened if found["repository"]["project"]["name"] == project])

    def _list(self, asked: Asked, opened: list[Json]) -> Json:
        """The newest first, as the service lists them."""
        wanted = {name: asked.query.get(f"searchCriteria.{name}") for name in SEARCH.split()}
        if wanted["status"] not in STATUSES:
            message = f"The value '{wanted['status']}' is not valid for searchCriteria.status."
            raise TroubleError(400, "InvalidArgumentValueException", message)
        found = [entry for entry in reversed(opened) if _is_meant(entry, wanted)]
        return skipped(asked, [self._looked_at(self._git.known(entry["repository"]["id"]), entry) for entry in found])

    def _open(self, asked: Asked) -> Reply:
        repository, body = self._git.of(asked), asked.body
        if any(self._is_same(repository, found, body) for found in self.opened):
            message = "TF401179: An active pull request for the source and target branch already exists."
            raise TroubleError(409, "GitPullRequestExistsException", message)
        for side in ("sourceRefName", "targetRefName"):
            self._git.resolved(repository, body[side].removeprefix("refs/heads/"), "branch")
        found = {
            "isDraft": False,
            **body,
            "pullRequestId": len(self.opened) + 1,
            "repository": self._git.reference(repository),
            "status": "active",
            "createdBy": self._people.reference(self._people.me["id"]),
            "creationDate": self._git.now,
            "reviewers": [{**self._person(entry["id"]), "vote": 0} for entry in body.get("reviewers", ())],
        }
        self.opened.append(found)
        self.threads[found["pullRequestId"]] = []
        return Reply(self._looked_at(repository, found), 201)

    def _is_same(self, repository: Repository, found: Json, body: Json) -> bool:
        is_there = found["status"] == "active" and found["repository"]["id"] == repository.id
        return is_there and all(found[side] == body[side] for side in ("sourceRefName", "targetRefName"))

    def _person(self, who: str) -> Json:
        return self._people.reference(who)

    def _get(self, asked: Asked) -> Json:
        found, more = dict(self._of(asked)), {}
        found.pop("workItemRefs", None)
        if asked.query.get("includeCommits") == "true":
            repository = self._git.of(asked)
            base, source = self.iterations[found["pullRequestId"]][-1]
            more["commits"] = [
                {"commitId": entry.id, "comment": entry.comment} for entry in repository.apart(source, base)
            ]
        if asked.query.get("includeWorkItemRefs") == "true":
            more["workItemRefs"] = self._work_items_of(self._of(asked))
        return found | more

    def _patch(self, asked: Asked) -> Json:
        found, body = self._of(asked), asked.body
        if found["status"] != "active" and body.get("status") != "active":
            message = "TF401181: The pull request cannot be edited due to its state."
            raise TroubleError(400, "GitPullRequestNotEditableException", message)
        if body.get("status") == "completed":
            self._check(found, body)
            found["waits"] = self.slowness - 1
            shown = {**found, "mergeStatus": "queued"}
            found |= {"completionOptions": body.get("completionOptions")}
            return shown
        found |= body
        if "status" in body:
            found["closedDate"] = self._git.now if body["status"] == "abandoned" else None
        if owner := body.get("autoCompleteSetBy"):
            found["autoCompleteSetBy"] = None if owner["id"] == NOBODY else self._people.reference(owner["id"])
        return found

    def _check(self, found: Json, body: Json) -> None:
        """Refuse to merge what was not looked at, or is not to be merged yet."""
        if "lastMergeSourceCommit" not in body:
            raise TroubleError(400, "InvalidArgumentValueException", "Invalid argument value: lastMergeSourceCommit.")
        if body["lastMergeSourceCommit"]["commitId"] != found["lastMergeSourceCommit"]["commitId"]:
            message = "TF401192: The source branch has been modified since the last merge attempt."
            raise TroubleError(409, "GitPullRequestStaleException", message)
        if not (body.get("completionOptions") or {}).get("bypassPolicy") and not self._is_approved(found):
            message = "TF402463: The pull request cannot be completed: policies reject it."
            raise TroubleError(403, "GitPullRequestUpdateRejectedByPolicyException", message)

    def _is_approved(self, found: Json) -> bool:
        return sum(1 for entry in found["reviewers"] if entry["vote"] >= 5) >= self.approvals

    def _review(self, asked: Asked) -> Json:
        found, who = self._of(asked), asked.places["reviewer"]
        if asked.body["vote"] and who != self._people.me["id"]:
            raise TroubleError(403, "GitPullRequestCannotVoteException", "You cannot vote for somebody else.")
        known = next((entry for entry in found["reviewers"] if entry["id"] == who), self._person(who))
        others = [entry for entry in found["reviewers"] if entry["id"] != who]
        found["reviewers"] = [*others, {**known, **asked.body}]
        if found.get("autoCompleteSetBy") and self._is_approved(found):
            found["waits"] = 0
        return dict(found["reviewers"][-1])

    def _dismiss(self, asked: Asked) -> Reply:
        found = self._of(asked)
        found["reviewers"] = [entry for entry in found["reviewers"] if entry["id"] != asked.places["reviewer"]]
        return Reply(status=200, content=b"")

    def _work_items_of(self, found: Json) -> list[Json]:
        end = f"%2F{found['repository']['id']}%2F{found['pullRequestId']}"
        linked = [
            str(number)
            for number, revisions in self._work_items.revisions.items()
            if any(relation["url"].endswith(end) for relation in revisions[-1]["relations"])
        ]
        # What is not there is passed over in silence.
        known = self._work_items.revisions
        given = [str(entry["id"]) for entry in found.get("workItemRefs", ()) if int(entry["id"]) in known]
        return [{"id": number} for number in dict.fromkeys([*given, *linked])]

    def _iterations(self, asked: Asked) -> Json:
        pushed = self.iterations[self._of(asked)["pullRequestId"]]
        return listed([{"id": number} for number in range(1, len(pushed) + 1)])

    def _changes(self, asked: Asked) -> Json:
        pushed = self.iterations[self._of(asked)["pullRequestId"]]
        base, source = pushed[int(asked.places["iteration"]) - 1]
        before = asked.number("$compareTo", 0)
        changes = list(self._git.of(asked).changes(pushed[before - 1][1] if before else base, source))
        return {"changeEntries": skipped(asked, changes)["value"]}

    def _begin(self, asked: Asked) -> Json:
        threads, body = self.threads[self._of(asked)["pullRequestId"]], asked.body
        thread = {**body, "id": len(threads) + 1, "comments": []}
        threads.append(thread)
        for comment in body["comments"]:
            self._say(thread, comment)
        return thread

    def _thread(self, asked: Asked) -> Json:
        for thread in self.threads[self._of(asked)["pullRequestId"]]:
            if thread["id"] == int(asked.places["thread"]):
                return thread
        raise TroubleError(404, "DiscussionThreadNotFoundException", "The thread could not be found.")

    def _say(self, thread: Json, comment: Json) -> Json:
        author = self._people.reference(self._people.me["id"])
        said = {**comment, "id": len(thread["comments"]) + 1, "author": author, "publishedDate": self._git.now}
        thread["comments"].append(said)
        return said

    def _reply(self, asked: Asked) -> Json:
        return self._say(self._thread(asked), asked.body)

    def _change_thread(self, asked: Asked) -> Json:
        thread = self._thread(asked)
        thread |= asked.body
        return thread

    def _comment(self, asked: Asked) -> Json:
        comment: Json = self._thread(asked)["comments"][int(asked.places["comment"]) - 1]
        return comment

    def _rewrite(self, asked: Asked) -> Json:
        comment = self._comment(asked)
        comment |= asked.body
        return comment


def _missing(number: int) -> TroubleError:
    message = f"TF401180: The requested pull request {number} was not found."
    return TroubleError(404, "GitPullRequestNotFoundException", message)


def _is_meant(found: Json, wanted: Mapping[str, str | None]) -> bool:
    reviewers = {entry["id"] for entry in found["reviewers"]}
    return (
        wanted["status"] in {"all", found["status"]}
        and wanted["creatorId"] in {None, found["createdBy"]["id"]}
        and (wanted["reviewerId"] is None or wanted["reviewerId"] in reviewers)
        and all(wanted[f"{side}RefName"] in {None, found[f"{side}RefName"]} for side in ("source", "target"))
        and _is_in_time(found, wanted)
    )


def _is_in_time(found: Json, wanted: Mapping[str, str | None]) -> bool:
    """Whether it was closed, or else created, between two times."""
    first, last = wanted["minTime"], wanted["maxTime"]
    at = found.get("closedDate" if wanted["queryTimeRangeType"] == "closed" else "creationDate")
    return (first, last) == (None, None) or (at is not None and (first or "") <= at <= (last or "9"))
