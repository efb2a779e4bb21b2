from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest
from aiohttp import ClientSession

from tests.local_host.sample import SAMPLE, SETTINGS, WriteApp
from tests.warm.app import serving


@pytest.fixture(scope="session")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("sample") / "host.log"


@pytest.fixture(scope="session")
def sample(log: Path) -> Iterator[str]:
    """The address of the sample app, which one process serves to all tests."""
    with serving(SAMPLE, settings=SETTINGS, log=log) as url:
        yield url


@pytest.fixture
def logged(log: Path) -> Callable[[], str]:
    """Reads what the sample app has logged so far."""
    return log.read_text


@pytest.fixture
async def client(sample: str) -> AsyncIterator[ClientSession]:
    async with ClientSession(sample) as session:
        yield session


@pytest.fixture
def write_app(tmp_path: Path) -> WriteApp:
    """Writes an app of one file into a folder of its own."""

    def write(source: str, host: object = None) -> Path:
        folder = tmp_path / "app"
        folder.mkdir(exist_ok=True)
        (folder / "function_app.py").write_text(PREAMBLE + source)
        (folder / "host.json").write_text(json.dumps(host or {"version": "2.0"}))
        return folder

    return write


PREAMBLE = """
import azure.functions as func

app = func.FunctionApp(http_auth_level=func.AuthLevel.ANONYMOUS)

@app.route("hello", methods=["GET"])
async def hello(req: func.HttpRequest) -> func.HttpResponse:
    return func.HttpResponse("hello")
"""
