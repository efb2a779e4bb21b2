"""The resources that a deployment with these options makes or looks for, as the check computes them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NoReturn

from bicep_checker.known import Thing
from bicep_checker.reached import Place
from bicep_checker.subject import Files
from tests.infra.deployed import INFRA
from tests.infra.deployment import Deployment


def made(options: Mapping[str, str]) -> list[Thing]:
    return [thing for _, thing in placed(options).everything() if thing.condition]


def placed(options: Mapping[str, str]) -> Place:
    main = (INFRA / "main.bicep").resolve()
    return Place(_files().read[main], _files(), _all_given(options), _told)


@cache
def _files() -> Files:
    return Files.of((INFRA / "main.bicep").resolve())


def _all_given(options: Mapping[str, str]) -> Mapping[str, object]:
    """What azd hands over, and the defaults of what it leaves to the template."""
    deployment = Deployment.of(options)
    return {name: deployment.variable(name) for name in deployment.template.of_kind("parameter")}


def _told(*problem: object) -> NoReturn:
    raise AssertionError(problem)
