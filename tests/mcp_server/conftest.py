from __future__ import annotations

from collections.abc import Iterator

import pytest

from mcp_server.http.endpoint import Endpoint
from tests.mcp_server.caller import ERAS, Caller, Era
from tests.mcp_server.endpoints import new_endpoint
from tests.mcp_server.records import Records


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


@pytest.fixture
def records() -> Iterator[Records]:
    with Records.kept() as kept:
        yield kept
