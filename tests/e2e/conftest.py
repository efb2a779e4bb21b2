from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from tests.configured import configured
from tests.e2e.visits import CLIENTS, VERSIONS, Json, Step, Visit
from tests.npm import Packages, installed
from tests.warm.app import serving

HERE = Path(__file__).parent
ALL = "FUZZ_CLIENTS" in os.environ
PROJECT = HERE.parents[1]


@pytest.fixture(scope="session")
def packages() -> Packages:
    return installed(HERE / "clients")


@pytest.fixture(scope="session")
def app_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(PROJECT, settings=configured(tmp_path_factory.mktemp("configured"))) as url:
        yield url


@pytest.fixture(params=CLIENTS)
def visit(request: pytest.FixtureRequest, app_url: str, packages: Packages) -> Callable[..., list[Json]]:
    """Lets a client take steps at an address, in the version that it is there for, and gives what it saw.

    The inspector starts a process for each step. By default it takes lists only, which it lays out itself, and in
    the current version.
    """
    is_default = request.param == "inspector, modern" and request.node.get_closest_marker("inspected")
    if request.param.startswith("inspector") and not ALL and not is_default:
        pytest.skip("FUZZ_CLIENTS is not set.")
    era, visitor = CLIENTS[request.param]

    def pay(path: str, *steps: Step, headers: Mapping[str, str] | None = None) -> list[Json]:
        seen = visitor(packages)(Visit(app_url + path, steps, headers or {}))
        assert seen.version == VERSIONS[era]
        return seen.results

    return pay
