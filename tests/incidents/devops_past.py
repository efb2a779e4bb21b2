"""Puts what happened in Azure DevOps where the fake has it: pull requests, builds and releases."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import Any, Final

from tests.fakes.azure_devops.git_store import NO_COMMIT, Repository
from tests.fakes.azure_devops.service import FakeAzureDevOps
from tests.incidents.incident import Event, Incident, Json, iso

PROJECT: Final = "Bakery"
_BEGUN_BY: Final = "Ada Byron"


class DevOpsPast:
    """`{pull_request: title}`, `{build: pipeline}` and `{release: pipeline}`; `key` lets a later one refer to it."""

    def __init__(self, azure_devops: FakeAzureDevOps, incident: Incident, organization: str) -> None:
        self._fake, self._incident, self._organization = azure_devops, incident, organization
        self._commits: dict[str, str] = {}
        self._builds: dict[str, int] = {}
        self._pipelines: dict[str, int] = {}
        azure_devops.projects.names = [PROJECT, "Platform"]

    def plant(self) -> None:
        for one in self._incident.repositories:
            self._repository(one["name"], one.get("files"))
        plant = {"pull_request": self._merge, "build": self._build, "release": self._release}
        for event in self._incident.of(*plant):
            plant[event.source](event)

    def _repository(self, named: str, files: dict[str, str] | None = None) -> Repository:
        project, name = _placed(named)
        for known in self._fake.git.repositories:
            if (known.project, known.name) == (project, name):
                return known
        if project not in self._fake.projects.names:
            self._fake.projects.names.append(project)
        contents = {path: text.encode() for path, text in (files or {"/README.md": f"# {name}\n"}).items()}
        return self._fake.git.add(project, name, contents)

    def _person(self, mail: str) -> Json:
        name = name_of(mail)
        self._fake.people.join(name)
        return self._fake.people.reference(name)

    # Pull requests

    def _merge(self, event: Event) -> None:
        repository, who = self._repository(event.says["repository"]), name_of(event.says["by"])
        opened, main = event.at - timedelta(hours=event.says.get("open_hours", 6)), repository.refs["refs/heads/main"]
        number = len(self._fake.pull_requests.opened) + 1
        tree = dict(repository.tree(main)) | _contents(event, repository, number)
        source = repository.commit(tree, [main], event.says["about"], who, iso(opened))
        branch = f"refs/heads/{event.says.get('branch', f'change-{number}')}"
        repository.move(branch, NO_COMMIT, source, who)
        message = f"Merged PR {number}: {event.says['about']}"
        merged = repository.commit(tree, [main, source], message, who, iso(event.at))
        repository.move("refs/heads/main", main, merged, who)
        self._keep(event, number, repository, branch, (main, source, merged), opened)
        self._commits[event.says.get("key", f"pull request {number}")] = merged

    def _keep(
        self,
        event: Event,
        number: int,
        repository: Repository,
        branch: str,
        commits: tuple[str, str, str],
        opened: datetime,
    ) -> None:
        main, source, merged = commits
        requests = self._fake.pull_requests
        requests.threads[number], requests.iterations[number] = [], [(main, source)]
        author = str(event.says["by"])
        requests.opened.append(
            {
                "pullRequestId": number,
                "title": event.says["about"],
                "description": event.says.get("description", ""),
                "isDraft": False,
                "repository": self._fake.git.reference(repository),
                "status": "completed",
                "createdBy": self._person(author),
                "closedBy": self._person(str(event.says.get("merged_by", author))),
                "creationDate": iso(opened),
                "closedDate": iso(event.at),
                "sourceRefName": branch,
                "targetRefName": "refs/heads/main",
                "mergeStatus": "succeeded",
                "lastMergeSourceCommit": {"commitId": source},
                "lastMergeTargetCommit": {"commitId": main},
                "lastMergeCommit": {"commitId": merged},
                "reviewers": [],
            }
        )

    # Builds

    def _build(self, event: Event) -> None:
        repository = self._repository(event.says["repository"])
        begun = event.at - timedelta(minutes=event.says.get("took", 6))
        commit = self._commits.get(event.says.get("of", ""), repository.refs["refs/heads/main"])
        number = self._fake.builds.add(
            self._pipeline(event.says["about"], repository),
            queueTime=iso(begun),
            startTime=iso(begun + timedelta(seconds=20)),
            reason=event.says.get("reason", "individualCI"),
            sourceVersion=commit,
            requestedFor=self._person(event.says["by"]),
            repository={"id": repository.id, "name": repository.name, "type": "TfsGit"},
            triggerInfo={"ci.message": repository.commits[commit].comment, "ci.sourceSha": commit},
        )
        self._fake.builds.finish(number)
        self._fake.builds.builds[number] |= {
            "buildNumber": f"{event.at:%Y%m%d}.{number - 100}",
            "result": event.says.get("result", "succeeded"),
            "finishTime": iso(event.at),
            "_links": {"web": {"href": f"{self._organization}/{repository.project}/_build/results?buildId={number}"}},
        }
        self._fake.builds.changes[number] = [self._change(repository, commit)]
        self._builds[event.says.get("key", f"build {number}")] = number

    def message_of(self, key: str) -> str:
        """What the pipeline of a build leaves at an app that it deploys to."""
        build = self._fake.builds.builds[self._builds[key]]
        repository = build["repository"]
        told = {
            "type": "deployment",
            "commitId": build["sourceVersion"],
            "buildId": str(build["id"]),
            "buildNumber": build["buildNumber"],
            "repoProvider": "TfsGit",
            "repoName": repository["name"],
            "collectionUrl": f"{self._organization}/",
            "teamProject": build["project"]["name"],
            "slotName": "production",
        }
        return json.dumps(told)

    def _pipeline(self, name: str, repository: Repository) -> int:
        if name not in self._pipelines:
            place = {"id": repository.id, "name": repository.name, "type": "TfsGit"}
            self._pipelines[name] = self._fake.builds.define(repository.project, name, repository=place)
        return self._pipelines[name]

    def _change(self, repository: Repository, commit: str) -> Json:
        made = repository.commits[commit]
        return {"id": commit, "message": made.comment, "timestamp": made.at, "author": {"displayName": made.author}}

    # Releases

    def _release(self, event: Event) -> None:
        releases, by = self._fake.releases, self._person(event.says["by"])
        place = event.says.get("environment", "production")
        definition = self._definition(event.says["about"], place)
        number = len(releases.releases) + 1
        about = {"id": number, "name": event.says.get("name", f"Release-{number}"), "status": "active"}
        made, done = iso(event.at - timedelta(minutes=event.says.get("took", 9))), iso(event.at)
        releases.releases[number] = {
            **about,
            "description": event.says.get("description", ""),
            "reason": event.says.get("reason", "manual"),
            "createdBy": by,
            "createdOn": made,
            "modifiedBy": by,
            "modifiedOn": done,
            "releaseDefinition": {"id": definition["id"], "name": definition["name"]},
            "variables": {name: {"value": value} for name, value in event.says.get("variables", {}).items()},
            "artifacts": self._artifacts(event),
            "environments": [_environment(number, place, definition, event, by, (made, done))],
        }

    def _definition(self, name: str, environment: str) -> Json:
        known = self._fake.releases.definitions
        found = next((one for one in known.values() if one["name"] == name), None)
        return found or known[self._fake.releases.define(name, environment)]

    def _artifacts(self, event: Event) -> list[Json]:
        number = self._builds.get(event.says.get("build", ""))
        if number is None:
            return []
        build = self._fake.builds.builds[number]
        version = {"id": str(number), "name": build["buildNumber"]}
        repository = {"id": build["repository"]["id"], "name": build["repository"]["name"]}
        reference = {"version": version, "definition": build["definition"], "repository": repository}
        source = {"sourceVersion": {"id": build["sourceVersion"], "name": ""}}
        return [{"alias": "drop", "type": "Build", "isPrimary": True, "definitionReference": reference | source}]


def _environment(release: int, name: str, definition: Json, event: Event, by: Json, times: tuple[str, str]) -> Json:
    status = event.says.get("state", "succeeded")
    attempt = {"attempt": 1, "status": status, "requestedBy": by, "queuedOn": times[0], "lastModifiedOn": times[1]}
    return {
        "id": release * 100 + 1,
        "releaseId": release,
        "name": name,
        "status": status,
        "createdOn": times[0],
        "modifiedOn": times[1],
        "definitionEnvironmentId": definition["environments"][0]["id"],
        "deploySteps": [{**attempt, "releaseDeployPhases": []}],
        "preDeployApprovals": [],
    }


def _contents(event: Event, repository: Repository, number: int) -> dict[str, bytes]:
    files: dict[str, Any] = event.says.get("files") or {f"/changes/{repository.name}-{number}.md": event.says["about"]}
    return {path: str(text).encode() for path, text in files.items()}


def _placed(named: str) -> tuple[str, str]:
    project, slash, name = named.partition("/")
    return (project, name) if slash else (PROJECT, named)


def name_of(mail: str) -> str:
    """`ada.byron@example.com` is Ada Byron."""
    return mail.partition("@")[0].replace(".", " ").title() if mail else _BEGUN_BY
