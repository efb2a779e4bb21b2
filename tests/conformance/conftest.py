from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.npm import Packages, installed
from tests.offline import offline
from tests.warm.app import serving

HERE = Path(__file__).parent
PROJECT = HERE.parents[1]


@pytest.fixture(scope="session")
def suite() -> Packages:
    return installed(HERE)


@pytest.fixture(scope="session")
def fixtures_url() -> Iterator[str]:
    with serving(HERE / "app") as url:
        yield f"{url}/mcp"


@pytest.fixture(scope="session")
def app_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(PROJECT, settings=offline(tmp_path_factory.mktemp("storage"))) as url:
        yield f"{url}/mcp"
