"""The bakery with the code of its shop in Azure DevOps."""

from __future__ import annotations

from typing import Any, Final

from tests.tools.incidents.world import Bakery, before, iso

COMMIT: Final = "a1b2c3d4e5f60718293a4b5c6d7e8f9001122334"


class Team(Bakery):
    """The bakery with the code of the shop in Azure DevOps."""

    def merge(
        self, title: str, minutes: float, *, repository: str = "shop-web", commit: str = COMMIT, **more: Any
    ) -> None:
        found = {
            "pullRequestId": len(self.devops.pull_requests.opened) + 1,
            "title": title,
            "status": "completed",
            "repository": {"id": repository, "name": repository, "project": {"name": "Web"}},
            "createdBy": self._person("Ada Byron"),
            "closedBy": self._person("Grace Brewster"),
            "creationDate": iso(before(minutes + 60)),
            "closedDate": iso(before(minutes)),
            "sourceRefName": "refs/heads/topic",
            "targetRefName": "refs/heads/main",
            "lastMergeCommit": {"commitId": commit},
            "reviewers": [],
            **more,
        }
        if repository not in {one.name for one in self.devops.git.repositories}:
            known = self.devops.git.add("Web", repository, {"/a.txt": b"a"})
            found["repository"]["id"] = known.id
        found["repository"]["id"] = next(one.id for one in self.devops.git.repositories if one.name == repository)
        self.devops.pull_requests.opened.append(found)

    def build(self, pipeline: str, minutes: float, *, commit: str = COMMIT, **more: Any) -> int:
        definition = self.devops.builds.define("Web", pipeline)
        about = {"sourceVersion": commit, "queueTime": iso(before(minutes + 5)), "repository": {"name": "shop-web"}}
        number = self.devops.builds.add(definition, **{**about, **more})
        self.devops.builds.finish(number)
        self.devops.builds.builds[number]["finishTime"] = iso(before(minutes))
        return number

    def release(
        self, definition: str, minutes: float, build: int, *, environment: str = "production", **more: Any
    ) -> None:
        number = len(self.devops.releases.releases) + 1
        step = {
            "attempt": 1,
            "status": "succeeded",
            "lastModifiedOn": iso(before(minutes)),
            "requestedBy": self._person("Ada Byron"),
        }
        self.devops.releases.releases[number] = {
            "id": number,
            "name": f"Release-{number}",
            "status": "active",
            "releaseDefinition": {"id": 1, "name": definition},
            "artifacts": [{"definitionReference": {"version": {"id": str(build), "name": "x"}}}],
            "environments": [{"id": 1, "name": environment, "status": "succeeded", "deploySteps": [step]}],
            "variables": {"KEY": {"isSecret": True, "value": "hush"}},
            **more,
        }

    def _person(self, name: str) -> dict[str, str]:
        return {"displayName": name, "id": name}
