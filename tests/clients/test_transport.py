"""What the environment of a developer does to requests: its proxies are used, its passwords are not."""

from __future__ import annotations

import asyncio
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import pytest
from azure.core.exceptions import AzureError
from azure.core.rest import HttpRequest

from clients.azure_queue import AzureQueue
from clients.azure_storage import AzureStorage
from clients.container_files import ContainerFiles
from clients.cosmos_data.transport import SendingOnce
from clients.transport import HttpTransport
from tests.fakes.azurite import connection_string_of_azurite

pytestmark = pytest.mark.anyio

BEARER: Final = "Bearer of-the-caller"


class Heard:
    """A server, or a proxy, that notes the head of each request, and answers it with this status."""

    def __init__(self, status: str = "204 No Content") -> None:
        self.status = status
        self.heads: list[str] = []
        self.url = ""

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.heads.append((await reader.readuntil(b"\r\n\r\n")).decode())
        writer.write(f"HTTP/1.1 {self.status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n".encode())
        await writer.drain()
        writer.close()
        await writer.wait_closed()

    @property
    def line(self) -> str:
        return self.heads[-1].partition(" HTTP/")[0]

    def header(self, name: str) -> list[str]:
        lines = (line.partition(": ") for line in self.heads[-1].splitlines())
        return [value for found, _, value in lines if found == name]


@asynccontextmanager
async def listening(heard: Heard) -> AsyncIterator[Heard]:
    server = await asyncio.start_server(heard.answer, "127.0.0.1", 0)
    async with server:
        heard.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        yield heard


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.fixture
def passwords(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Passwords for all hosts, as some keep them for git."""
    file = tmp_path / "netrc"
    file.write_text("default login somebody password for-git-only")
    monkeypatch.setenv("NETRC", str(file))


@pytest.mark.usefixtures("passwords")
@pytest.mark.parametrize("kind", [HttpTransport, SendingOnce])
@pytest.mark.parametrize("headers", [{"Authorization": BEARER}, {}], ids=["signed in", "anonymous"])
async def test_a_password_in_netrc_is_sent_to_nobody(kind: Any, headers: dict[str, str]) -> None:
    async with listening(Heard()) as heard, kind() as transport:
        answer = await transport.send(HttpRequest("GET", f"{heard.url}/a", headers=headers))
        assert answer.status_code == 204
        assert heard.header("Authorization") == [*headers.values()]


@pytest.mark.usefixtures("passwords")
async def test_storage_works_with_a_password_in_netrc() -> None:
    connection = connection_string_of_azurite()
    storage = AzureStorage.from_connection_string(connection, "netrc")
    queue = AzureQueue.from_connection_string(connection, "netrc")
    files = ContainerFiles.from_connection_string(connection, "netrc")
    try:
        await storage.prepare()
        assert await storage.scan("p", "") == []
        await storage.create_file("a", b"1")
        await queue.prepare()
        assert await queue.waiting() == 0
        assert [file.path for file in (await files.page("", "", 5)).files] == ["a"]
    finally:
        for opened in (storage, queue, files):
            await opened.close()


@pytest.mark.parametrize(
    ("sign_in", "sent"), [("", []), ("anna:a%20b@", ["Basic " + b64encode(b"anna:a b").decode()])], ids=["open", "own"]
)
async def test_requests_go_through_the_proxy_of_their_scheme(
    sign_in: str, sent: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with listening(Heard()) as plain, listening(Heard("403 Forbidden")) as secured:
        monkeypatch.setenv("HTTP_PROXY", plain.url.replace("//", f"//{sign_in}"))
        monkeypatch.setenv("HTTPS_PROXY", secured.url.replace("//", f"//{sign_in}"))
        async with HttpTransport() as transport:
            answer = await transport.send(HttpRequest("GET", "http://azure.invalid/a?b=c"))
            assert (answer.status_code, plain.line) == (204, "GET http://azure.invalid/a?b=c")
            assert plain.header("Proxy-Authorization") == sent
            with pytest.raises(AzureError) as refused:
                await transport.send(HttpRequest("GET", "https://azure.invalid/a", headers={"Authorization": BEARER}))
            assert secured.line == "CONNECT azure.invalid:443"
            assert secured.header("Proxy-Authorization") == sent
            assert BEARER not in secured.heads[-1]
            assert "anna" not in str(refused.value)


async def test_a_proxy_may_be_named_without_its_scheme(monkeypatch: pytest.MonkeyPatch) -> None:
    async with listening(Heard()) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url.removeprefix("http://"))
        async with HttpTransport() as transport:
            await transport.send(HttpRequest("GET", "http://azure.invalid/a"))
    assert proxy.line == "GET http://azure.invalid/a"


async def test_a_host_without_proxy_is_asked_directly(monkeypatch: pytest.MonkeyPatch) -> None:
    async with listening(Heard()) as heard, listening(Heard("403 Forbidden")) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        monkeypatch.setenv("NO_PROXY", "example.com,127.0.0.1")
        async with HttpTransport() as transport:
            answer = await transport.send(HttpRequest("GET", f"{heard.url}/a"))
    assert (answer.status_code, heard.line, proxy.heads) == (204, "GET /a", [])
