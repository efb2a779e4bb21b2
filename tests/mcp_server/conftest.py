from __future__ import annotations

from collections.abc import Iterator

import pytest

from mcp_server.http.endpoint import Endpoint
from tests.changes.cheap_seals import cheap_seals  # noqa: F401 - a fixture
from tests.mcp_server.caller import ERAS, Caller, Era
from tests.mcp_server.endpoints import new_endpoint
from tests.mcp_server.long_work import Site
from tests.mcp_server.records import Records
from tests.mcp_server.sign_in_by_header import office_door

ROLES_OF_THE_ARCHIVE = """
signed-in:
  archive: destroy
  office: destroy
  tasks: write
roles:
  Guest:
    clock: read
"""


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


@pytest.fixture
def site() -> Site:
    return Site()


@pytest.fixture
def signed() -> Site:
    return Site(door=office_door(ROLES_OF_THE_ARCHIVE, ["archive", "clock", "office-doors", "office-notes", "tasks"]))
