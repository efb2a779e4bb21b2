from __future__ import annotations

from contextlib import nullcontext

import pytest

from mcp_server.catalog import Catalog
from mcp_server.endpoint import Endpoint
from mcp_server.gate import LOCAL_HOSTS, LOCAL_ORIGINS, Gate
from mcp_server.server import Identity, build_server
from tests.mcp_server import office
from tests.mcp_server.caller import ERAS, Caller, Era


def new_endpoint() -> Endpoint:
    catalog = Catalog(office.TOOLSETS, office.SURFACE)
    server = build_server(Identity("office", "Office", "1.2.3", "An office."), catalog, nullcontext, ["k" * 32])
    return Endpoint(server, catalog, Gate.of([*LOCAL_HOSTS, "office.example.com"], LOCAL_ORIGINS))


@pytest.fixture
def endpoint() -> Endpoint:
    return new_endpoint()


@pytest.fixture
def caller(endpoint: Endpoint) -> Caller:
    return Caller(endpoint)


@pytest.fixture
def everything(endpoint: Endpoint) -> Caller:
    return Caller(endpoint, "all")


@pytest.fixture(params=ERAS)
def era(request: pytest.FixtureRequest) -> Era:
    chosen: Era = request.param
    return chosen
