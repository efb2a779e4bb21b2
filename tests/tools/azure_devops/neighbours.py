"""A project with two repositories, of which one is within reach. Whatever is of the other one is marked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from tests.fakes.azure_devops.service import FakeAzureDevOps

# What stands in each thing of the other repository.
MARK: Final = "f0reign"
OVEN: Final = {"ADO_ALLOWED_REPOSITORIES": "Web/oven"}
FAILED: Final = {"outcome": "Failed", "testCaseTitle": "test of the oven"}


class Neighbours(FakeAzureDevOps):
    """Everything of the repository oven, which is within reach, names something of the repository door."""

    def __init__(self) -> None:
        super().__init__()
        self.projects.names = ["Web"]
        self.oven = self.git.add("Web", "oven", {"/a.txt": b"plain words"})
        self.door = self.git.add("Web", f"{MARK} door", {"/a.txt": f"{MARK} words".encode()})
        self.search.files = {"/a.txt": "plain words"}
        self.search.others = {self.door.name: {"/a.txt": f"{MARK} words"}}
        for repository, title in ((self.oven, "Heat up"), (self.door, MARK)):
            self._request(repository, title)
        self._pipelines()
        self._policies()
        self._tests()
        self._texts()

    def _request(self, repository: Any, title: str) -> None:
        branch = f"refs/heads/{title.replace(' ', '-')}"
        repository.move(branch, "0" * 40, repository.refs["refs/heads/main"], "Ada Byron")
        self.pull_requests.opened.append(
            {
                "pullRequestId": len(self.pull_requests.opened) + 1,
                "title": title,
                "status": "active",
                "sourceRefName": branch,
                "targetRefName": "refs/heads/main",
                "reviewers": [],
                "repository": self.git.reference(repository),
                "createdBy": self.people.reference("Ada Byron"),
            }
        )
        comment = {"id": 1, "content": title, "commentType": "text"}
        self.pull_requests.threads[len(self.pull_requests.opened)] = [
            {"id": 1, "status": "active", "comments": [comment]}
        ]

    def _pipelines(self) -> None:
        of_oven, of_door = (
            {"id": one.id, "type": "TfsGit", "name": one.name, "defaultBranch": "refs/heads/main"}
            for one in (self.oven, self.door)
        )
        variables = {"AZURE_ENV_NAME": {"value": "shop-dev"}, "MARK": {"value": MARK}}
        self.other_pipeline = self.builds.define("Web", MARK, repository=of_door, variables=variables)
        other = {"id": self.other_pipeline, "name": MARK}
        trigger = {"triggerType": "buildCompletion", "definition": other, "branchFilters": [MARK]}
        self.pipeline = self.builds.define("Web", "Oven CI", repository=of_oven, triggers=[trigger])
        self.other_run = self._built(self.other_pipeline, of_door, MARK, buildNumber=MARK, tags=[MARK])
        cause = {"id": self.other_run, "buildNumber": MARK, "definition": other}
        information = {"pipelineId": str(self.other_pipeline), "source": MARK, "version": MARK}
        self.first_run = self._built(self.pipeline, of_oven, "fine")
        # The pipeline was for the other repository for a while, and ran there.
        self.moved_run = self._built(self.pipeline, of_door, MARK, buildNumber=MARK, tags=[MARK])
        self.run = self._built(self.pipeline, of_oven, "fine", triggeredByBuild=cause, triggerInfo=information)
        self.builds.changes[self.run].append(_change("https://api.github.com/repos/acme/door/commits/1", MARK))
        self.last_run = self._built(self.pipeline, of_door, MARK, buildNumber=MARK)
        del self.builds.builds[self.last_run]["repository"]
        self.approval = self.approvals.ask(self.run, "Prod", "Ada Byron")
        self.other_approval = self.approvals.ask(self.other_run, MARK, "Ada Byron")

    def _built(self, pipeline: int, repository: dict[str, Any], words: str, **more: Any) -> int:
        number = self.builds.add(pipeline, repository=repository, **more)
        self.builds.finish(number, "Test", [[words], [words], [f"error: {words}"]])
        self.builds.artifacts[number] = [{"name": words, "resource": {"type": "Container", "downloadUrl": words}}]
        url = f"https://dev.azure.com/acme/_apis/git/repositories/{repository['id']}/commits/{'a' * 40}"
        self.builds.changes[number] = [_change(url, words)]
        return number

    def _policies(self) -> None:
        self.pull_requests.policies["Web"] = [
            {
                "id": number,
                "isEnabled": True,
                "isBlocking": True,
                "type": {"displayName": f"Build {name}"},
                "settings": {"displayName": name, "scope": [{"repositoryId": repository.id, "refName": None}]},
            }
            for number, (name, repository) in enumerate([("fine", self.oven), (MARK, self.door)], 1)
        ]

    def _tests(self) -> None:
        since = {"build": {"id": self.moved_run, "number": MARK}, "date": MARK}
        self.results = self.test_plans.publish(self.run, "fine", {**FAILED, "failingSince": since})
        self.other_results = self.test_plans.publish(self.other_run, MARK, {**FAILED, "errorMessage": MARK})
        other = {"id": str(self.other_pipeline), "name": MARK}
        self.plan = 900
        self.test_plans.plans[self.plan] = {
            "id": self.plan,
            "name": "Baking",
            "buildDefinition": other,
            "buildId": self.other_run,
            "releaseEnvironmentDefinition": {"definitionId": 1, "name": MARK},
        }

    def _texts(self) -> None:
        self.work_items.add("Web", "Bug", "Stuck door")
        web, last = self.projects.id_of("Web"), self.work_items.revisions[1]
        addresses = (
            f"vstfs:///Wiki/WikiPage/{web}%2F{self.door.id}%2F{MARK}",
            f"vstfs:///Git/Ref/{web}%2F{self.door.id}%2FGB{MARK}",
            f"vstfs:///Git/{MARK}/{web}",
            f"vstfs:///CodeReview/CodeReviewId/{web}/{MARK}",
            f"vstfs:///ReleaseManagement/ReleaseEnvironment/{web}:{MARK}:1",
            f"vstfs:///Build/Build/{self.other_run}",
        )
        for url in addresses:
            last[-1]["relations"].append({"rel": "ArtifactLink", "url": url, "attributes": {"name": MARK}})
        self.wikis.add("Web.wiki", f"/{MARK}", f"# {MARK}")
        self.release = self.releases.define(MARK, "Prod")

    def meant(self) -> Iterator[dict[str, Any]]:
        """What tools are called with, by the names of their parameters: what is within reach, and what is not."""
        common = {"project": "Web", "id": 1, "planId": self.plan, "wikiId": "Web.wiki", "environment": "shop-dev"}
        common |= {"path": "/a.txt", "searchText": "words", "base": "main", "target": "main", "releaseId": 1}
        own = {"buildId": self.run, "pipelineId": self.pipeline, "approvalId": self.approval, "policyId": 1}
        yield {**common, **own, "repository": "oven", "pullRequestId": 1, "runId": self.run}
        yield {**common, **own, "repository": "oven", "pullRequestId": 1, "runId": self.results}
        yield {**common, **own, "repository": "oven", "pullRequestId": 1, "definitionId": self.pipeline}
        yield {**common, "fromBuildId": self.first_run, "toBuildId": self.run}
        yield {**common, "fromBuildId": self.other_run, "toBuildId": self.run, "policyId": 2, "pullRequestId": 2}
        yield {**common, "buildId": self.moved_run, "pipelineId": self.pipeline, "runId": self.moved_run}
        yield {**common, "buildId": self.last_run, "pipelineId": self.pipeline, "runId": self.last_run}
        other = {"buildId": self.other_run, "pipelineId": self.other_pipeline, "runId": self.other_run}
        yield {**common, **other, "definitionId": self.other_pipeline, "approvalId": self.other_approval}
        for repository in ("oven", self.door.name, self.door.id):
            yield {**common, **other, "repository": repository, "pullRequestId": 2, "runId": self.other_results}


def _change(url: str, words: str) -> dict[str, Any]:
    return {"id": "a" * 40, "message": words, "location": url}
