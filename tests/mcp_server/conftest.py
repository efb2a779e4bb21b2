from __future__ import annotations

import logging
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
    logger, handler = logging.getLogger("audit"), Records()
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    yield handler
    logger.removeHandler(handler)
