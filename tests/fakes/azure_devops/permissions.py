"""What callers may do, decided for the tokens of things that there are: any other token names nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from tests.fakes.azure_devops.builds import Builds
from tests.fakes.azure_devops.git import Git
from tests.fakes.azure_devops.iterations import Iterations
from tests.fakes.azure_devops.projects import Projects
from tests.fakes.azure_devops.releases import Releases
from tests.fakes.azure_devops.routes import Asked, Json, Route, TroubleError, route
from tests.fakes.azure_devops.wiki import Wikis

EVALUATIONS = "permissionevaluationbatch"
NAMESPACES = {
    "git": "2e9eb7ed-3c0a-47d4-87c1-0ffdd275fd87",
    "build": "33344d9c-fc72-4d6f-aba5-fa317101a7e9",
    "release": "c788c23e-1b46-4162-8f5e-d7585343b5de",
    "area": "83e28ad4-2d72-4ceb-97b0-c7726d5502c3",
    "iteration": "bf7bfa03-b2b7-47db-8113-fa2e002cc5b1",
    "project": "52d39943-cb85-4d7f-8fa8-c6baac873819",
}
NODE = "vstfs:///Classification/Node/"


@dataclass(frozen=True)
class Held:
    """One permission on one thing, by the name of its namespace."""

    namespace: str
    bit: int
    token: str


class Permissions:
    """Everybody may do everything, but for what `denies` says."""

    def __init__(
        self, projects: Projects, git: Git, wikis: Wikis, builds: Builds, releases: Releases, iterations: Iterations
    ) -> None:
        self._projects, self._git, self._wikis = projects, git, wikis
        self._builds, self._releases, self._iterations = builds, releases, iterations
        self.denies: Callable[[Held], bool] = lambda _: False
        self.evaluated: list[Held] = []
        self.routes: tuple[Route, ...] = (
            route(f"POST /_apis/security/{EVALUATIONS}", self._evaluate, content_type="application/json"),
        )

    def _evaluate(self, asked: Asked) -> Json:
        assert set(asked.body) <= {"evaluations", "alwaysAllowAdministrators"}
        return {**asked.body, "evaluations": [self._evaluated(one) for one in asked.body["evaluations"]]}

    def _evaluated(self, one: Mapping[str, str | int]) -> Json:
        name = next((name for name, known in NAMESPACES.items() if known == one["securityNamespaceId"]), "")
        if not name:
            raise TroubleError(404, "InvalidSecurityNamespaceException", "The security namespace does not exist.")
        held = Held(name, int(one["permissions"]), str(one["token"]))
        tokens = dict(zip(NAMESPACES, (self._git_tokens, self._pipelines, self._release_tokens), strict=False))
        if not any(re.fullmatch(known, held.token) for known in {**tokens, **self._others}[name]()):
            raise TroubleError(400, "InvalidTokenException", f"The token {held.token} names nothing in {name}.")
        self.evaluated.append(held)
        return {**one, "value": not self.denies(held)}

    @property
    def _others(self) -> Mapping[str, Callable[[], Iterator[str]]]:
        return {"area": self._areas, "iteration": self._iteration_tokens, "project": self._project_tokens}

    def _ids(self) -> Iterator[tuple[str, str]]:
        yield from ((name, self._projects.id_of(name)) for name in self._projects.names)

    def _git_tokens(self) -> Iterator[str]:
        for name, project in self._ids():
            own = [known.id for known in self._git.repositories if known.project == name]
            for repository in [*own, *(self._projects.id_of(wiki) for wiki in (f"{name}.wiki", "Docs"))]:
                yield f"repoV2/{project}/{repository}(/refs/heads(/([0-9a-f]{{4}})+)+)?"

    def _pipelines(self) -> Iterator[str]:
        for one in self._builds.definitions.values():
            folders = [name for name in one["path"].split("\\") if name]
            yield re.escape("/".join([one["project"]["id"], *folders, str(one["id"])]))

    def _release_tokens(self) -> Iterator[str]:
        for _, project in self._ids():
            for one in self._releases.definitions.values():
                folders = [name for name in one["path"].split("\\") if name]
                token = re.escape("/".join([project, *folders, str(one["id"])]))
                stages = "|".join(str(stage["id"]) for stage in one["environments"])
                yield f"{token}(/Environment/({stages}))?"

    def _areas(self) -> Iterator[str]:
        for name, _ in self._ids():
            for path in ((), ("Kitchen",), ("Kitchen", "Oven"), ("Hall",)):
                yield ":".join(self._projects.area_token(name, path))

    def _iteration_tokens(self) -> Iterator[str]:
        for name, _ in self._ids():
            root = f"{NODE}{self._projects.id_of(f'{name} root')}"
            known = {node.path: node.identifier for node in self._iterations.of(name)}
            for path in ((), *known):
                above = [path[: end + 1] for end in range(len(path))]
                yield ":".join([root, *(f"{NODE}{known[one]}" for one in above)])

    def _project_tokens(self) -> Iterator[str]:
        for _, project in self._ids():
            yield re.escape(f"$PROJECT:vstfs:///Classification/TeamProject/{project}")
