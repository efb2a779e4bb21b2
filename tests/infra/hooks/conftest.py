from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.azd import FakeAzd, Project
from tests.fakes.azure_for_hooks import AzureForHooks
from tests.infra.hooks.bench import Bench


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return Project.copied(tmp_path_factory.mktemp("project"), sys.executable).made_ready()


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("certificates")


@pytest.fixture
def bench(project: Project, certificates: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    azd, azure = FakeAzd.installed(tmp_path), AzureForHooks()
    with azure.serving(certificates) as internet:
        # For the steps that are called one by one; a hook that is run is given nothing else.
        for name, value in {**azd.variables, **internet}.items():
            monkeypatch.setenv(name, value)
        yield Bench(project, azd, azure, internet)
