from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from local_host.process import serving
from tests.e2e.visits import CLIENTS, VERSIONS, Json, Step, Visit
from tests.npm import Packages, installed
from tests.offline import offline

HERE = Path(__file__).parent
PROJECT = HERE.parents[1]
# Metrics are sent to the port for discarding, at which nothing listens.
_NOWHERE = "InstrumentationKey=00000000-0000-4000-8000-0000000000aa;IngestionEndpoint=http://127.0.0.1:9/"


@pytest.fixture(scope="session")
def packages() -> Packages:
    return installed(HERE / "clients")


@pytest.fixture(scope="session")
def app_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    settings = offline(tmp_path_factory.mktemp("storage")) | {
        "ADO_ORG_URL": "https://dev.azure.com/acme",
        "AZURE_CONFIG_DIR": str(_signed_in(tmp_path_factory.mktemp("azure"))),
        "COSMOS_ENDPOINT": "http://127.0.0.1:8081",
        "COSMOS_DATABASE": "shop",
        "COSMOS_CONTAINERS": "orders",
        "COSMOS_EMULATOR_KEY": "bm90IGEga2V5",
        "COSMOS_EMULATOR_TENANT": "acme",
        "APPLICATIONINSIGHTS_CONNECTION_STRING": _NOWHERE,
        "EXTENSIONS_FILE": str(HERE / "extensions.yaml"),
        "EXTENSION_ADDRESSES": "https://mcp.example.com",
        "GIT_HOSTS": "dev.azure.com/acme",
        "GIT_WORKSPACES_FOLDER": str(tmp_path_factory.mktemp("workspaces")),
        "RESOURCES_FOLDER": str(tmp_path_factory.mktemp("shelf")),
        "DOCUMENTS_FILE": str(_documents(tmp_path_factory.mktemp("documents"))),
    }
    with serving(PROJECT, settings=settings) as url:
        yield url


def _documents(folder: Path) -> Path:
    file = folder / "documents.yaml"
    file.write_text(f"sources: {{handbook: {{folder: 'file://{folder}', roles: [everyone]}}}}", encoding="utf-8")
    return file


def _signed_in(folder: Path) -> Path:
    """What `az login` leaves, so that there are tools of Azure."""
    (folder / "azureProfile.json").write_text('{"subscriptions": [{"id": "invented"}]}', encoding="utf-8-sig")
    return folder


@pytest.fixture(params=CLIENTS)
def visit(request: pytest.FixtureRequest, app_url: str, packages: Packages) -> Callable[..., list[Json]]:
    """Lets a client take steps at an address, in the version that it is there for, and gives what it saw."""
    era, visitor = CLIENTS[request.param]

    def pay(path: str, *steps: Step, headers: Mapping[str, str] | None = None) -> list[Json]:
        seen = visitor(packages)(Visit(app_url + path, steps, headers or {}))
        assert seen.version == VERSIONS[era]
        return seen.results

    return pay
