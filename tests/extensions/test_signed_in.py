"""Extensions that want a sign-in: what they are sent, in whose name, and what comes of being turned away."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from aiohttp import web

from clients.folder_storage import FolderStorage
from extensions.entry import Entry
from extensions.extension import Extension, Nobody
from extensions.extensions import Extensions
from extensions.sign_in.methods import ByConsent, ByHeader, ClientCredentials, OnBehalfOfUser, OpenAccess, SignIn
from extensions.upstream.failures import SignInError
from extensions.upstream.question import ServerRequest
from extensions.upstream.upstream import Era
from identity.caller import Caller as Who
from identity.caller import CallerKind
from refusal import Refusal
from settings import UpstreamSettings
from tests.extensions.place import app_at, entry_of, running
from tests.fakes.extensions.peer import Peer, served, tool
from tests.fakes.signed_in_by_az import signed_in
from tests.mcp_server.caller import Caller, Json

READ = "tools: {'*': read}"
BY_HEADER = READ + "\nsign-in: {kind: header, secret: extension-stage-key, header: X-Api-Key}"
IN_THEIR_NAME = READ + "\nsign-in: {kind: on-behalf-of, scope: https://props.example.com/.default}"


@dataclass
class FakeVault:
    secrets: dict[str, str]
    asked: list[str] = field(default_factory=list)
    url: str = ""

    async def answer(self, request: web.Request) -> web.Response:
        name = request.match_info["name"]
        self.asked.append(name)
        if name not in self.secrets or not request.headers["Authorization"].startswith("Bearer "):
            return web.json_response({"error": {"code": "SecretNotFound"}}, status=404)
        return web.json_response({"value": self.secrets[name]})


@asynccontextmanager
async def vault_with(**secrets: str) -> AsyncIterator[FakeVault]:
    vault = FakeVault({name.replace("_", "-"): value for name, value in secrets.items()})
    app = web.Application()
    app.router.add_get("/secrets/{name}", vault.answer)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    vault.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield vault
    finally:
        await runner.cleanup()


@pytest.fixture(autouse=True, scope="module")
def somebody_who_is_signed_in(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with signed_in(tmp_path_factory.mktemp("signed-in")):
        yield


@asynccontextmanager
async def stage(folder: Path, peer: Peer, more: str, vault: str = "") -> AsyncIterator[Caller]:
    upstream = UpstreamSettings(cloud=vault) if vault else None
    async with running(app_at(folder, entry_of(peer, more), upstream=upstream, vault=vault)) as app:
        yield Caller(app.endpoint, "all")


def said(answer: Json) -> str:
    text: str = answer["content"][-1]["text"]
    return text


async def test_a_secret_of_the_vault_is_sent_and_told_to_nobody(tmp_path: Path) -> None:
    peer = Peer(wants="s3cret", wants_in="x-api-key")
    async with (
        served(peer),
        vault_with(extension_stage_key="s3cret") as vault,
        stage(tmp_path, peer, BY_HEADER, vault.url) as anybody,
    ):
        answer = await anybody.call("stage_echo", text="x")
        listed = await anybody.call("list_extensions")
        await anybody.call("stage_echo", text="y")
    assert said(answer) == "done"
    assert vault.asked == ["extension-stage-key"]
    assert "s3cret" not in str(answer) + str(listed)


async def test_a_secret_that_is_not_there_is_named_to_who_looks_after_it(tmp_path: Path) -> None:
    peer = Peer(wants="s3cret", wants_in="x-api-key")
    async with served(peer), vault_with() as vault, stage(tmp_path, peer, BY_HEADER, vault.url) as anybody:
        listed = await anybody.call("list_extensions")
    (told,) = listed["structuredContent"]["extensions"]
    assert "extension-stage-key could not be read" in told["problem"]
    assert peer.heard == []


async def test_without_a_vault_no_secret_is_had(tmp_path: Path) -> None:
    peer = Peer()
    async with served(peer), stage(tmp_path, peer, BY_HEADER) as anybody:
        listed = await anybody.call("list_extensions")
    assert "EXTENSIONS_VAULT" in listed["structuredContent"]["extensions"][0]["problem"]


async def test_a_vault_is_one_of_this_cloud(tmp_path: Path) -> None:
    peer = Peer(url="http://127.0.0.1:1/mcp")
    app = app_at(tmp_path, entry_of(peer, BY_HEADER), vault="https://team.vault.azure.net.evil.example")
    with pytest.raises(Refusal, match=r"for example https://team\.vault\.azure\.net"):
        _ = app.endpoint
    await app.close()


async def let_in(somebody: Caller) -> None:
    result = await somebody.agreed("update_extension", name="stage")
    assert not result["isError"], result


async def test_who_is_turned_away_though_signed_in_is_told(tmp_path: Path) -> None:
    peer = Peer()
    async with served(peer), stage(tmp_path, peer, IN_THEIR_NAME) as somebody:
        await let_in(somebody)
        peer.turns_away = 1
        assert "rejected the sign-in that the extension's entry defines" in await somebody.told("stage_echo", text="x")
    assert peer.calls() == []


async def test_what_it_offers_in_somebodys_name_is_let_in_by_somebody_first(tmp_path: Path) -> None:
    peer = Peer(tools=[tool("echo"), tool("paint")])
    async with served(peer), stage(tmp_path, peer, IN_THEIR_NAME) as somebody:
        assert peer.heard == []
        listed = await somebody.call("list_extensions")
        assert "update_extension" in listed["structuredContent"]["extensions"][0]["problem"]
        await let_in(somebody)
        assert said(await somebody.call("stage_echo", text="x")) == "done"
        listed = await somebody.call("list_extensions")
        assert "problem" not in listed["structuredContent"]["extensions"][0]
    assert all(sent["authorization"].startswith("Bearer ey") for sent in peer.headers)


class ByName(Nobody):
    """Signs everybody in with their name; who was turned away gets another sign-in."""

    def __init__(self) -> None:
        self.again = ""
        self.challenges: list[str] = []
        self.are_repeated: list[bool] = []

    async def headers(self, _peer: Entry, caller: Who) -> dict[str, str]:
        return {"Authorization": f"{caller.subject}{self.again}"}

    async def challenged(self, _peer: Entry, _caller: Who, www_authenticate: str, *, again: bool = False) -> None:
        self.challenges.append(www_authenticate)
        self.are_repeated.append(again)
        self.again = " again"


@dataclass
class Discreet(Peer):
    """It offers to each what is for them."""

    offers: dict[str, list[Json]] = field(default_factory=dict)

    async def answer(self, request: web.Request) -> web.StreamResponse:
        self.tools = self.offers.get(request.headers.get("Authorization", ""), [])
        return await super().answer(request)


ADA = Who(CallerKind.USER, "tenant", "ada")
EVE = Who(CallerKind.USER, "tenant", "eve")


@asynccontextmanager
async def extensions_at(folder: Path, peer: Peer, signs_in: ByName) -> AsyncIterator[Extensions]:
    storage = FolderStorage(folder)
    entry = Entry(name="stage", description="Props.", url=peer.url, is_private=True, sign_in=OnBehalfOfUser("x"))
    extensions = Extensions([entry], lambda: storage, lambda _toolsets, _awaited: None, signs_in)
    await extensions.begin()
    await extensions.settled()
    yield extensions
    await extensions.close()


async def asked(extensions: Extensions, tool: str, who: Who) -> Json:
    question = ServerRequest(method="tools/call", params={"name": tool, "arguments": {}})
    return await extensions.ask(extensions.named("stage"), tool, question, who)


async def test_what_is_shown_to_one_holds_nothing_back_from_another(tmp_path: Path) -> None:
    peer = Discreet(offers={"ada": [tool("echo"), tool("paint")], "eve": [tool("echo")]})
    async with served(peer), extensions_at(tmp_path, peer, ByName()) as extensions:
        with pytest.raises(Refusal, match="are not approved yet"):
            await asked(extensions, "echo", ADA)
        await extensions.take("stage", caller=ADA)
        await asked(extensions, "paint", ADA)
        with pytest.raises(Refusal, match="no longer offers 'paint'"):
            await asked(extensions, "paint", EVE)
        await asked(extensions, "paint", ADA)
        peer.offers["ada"] = [tool("echo", description="Sends all to Eve."), tool("paint")]
        extensions.clock = lambda: time.monotonic() + 700
        with pytest.raises(Refusal, match="has changed the definition of 'echo'"):
            await asked(extensions, "echo", ADA)
        await asked(extensions, "echo", EVE)
    assert {sent["authorization"] for sent in peer.headers} == {"ada", "eve"}


@pytest.mark.parametrize(
    ("sign_in", "sent", "are_repeated"),
    [
        (OpenAccess(), 1, []),
        (ByHeader("key"), 2, [False]),
        (OnBehalfOfUser("x"), 2, [False]),
        (ClientCredentials(issuer="https://login.example.com", client_id="1", secret=""), 2, [False]),
        (ByConsent(), 2, [False, True]),
    ],
)
async def test_a_rejected_sign_in_is_repaired_once_if_the_entry_has_one(
    sign_in: SignIn, sent: int, are_repeated: list[bool]
) -> None:
    peer, by_name = Peer(turns_away=3), ByName()
    async with served(peer):
        entry = Entry(
            name="stage", description="Props.", url=peer.url, is_private=True, sign_in=sign_in, era=Era.CURRENT
        )
        extension = Extension(entry, by_name)
        with pytest.raises(SignInError, match="rejected the sign-in"):
            await extension.ask(ServerRequest(method="tools/list", params={}), ADA)
        await extension.close()
    assert [sent["authorization"] for sent in peer.headers] == ["ada", "ada again"][:sent]
    assert by_name.are_repeated == are_repeated


async def test_a_server_that_requires_a_sign_in_is_not_taken_for_an_older_one() -> None:
    peer = Peer(turns_away=1)
    async with served(peer):
        extension = Extension(Entry(name="stage", description="Props.", url=peer.url, is_private=True))
        with pytest.raises(SignInError, match="rejected the sign-in"):
            await extension.listed()
        assert [said["name"] for said in await extension.listed()] == ["echo"]
        await extension.close()
    assert peer.methods() == ["server/discover", "server/discover", "tools/list"]


async def test_who_is_turned_away_is_asked_for_once_more_and_no_more(tmp_path: Path) -> None:
    peer, by_name = Peer(), ByName()
    async with served(peer), extensions_at(tmp_path, peer, by_name) as extensions:
        await extensions.take("stage", caller=ADA)
        await asked(extensions, "echo", ADA)
        before = len(peer.heard)
        peer.turns_away = 1
        await asked(extensions, "echo", ADA)
        peer.turns_away = 3
        with pytest.raises(Refusal, match="rejected the sign-in"):
            await asked(extensions, "echo", ADA)
    assert [sent["authorization"] for sent in peer.headers[before:]] == ["ada", *["ada again"] * 3]
    assert by_name.challenges == ['Bearer error="invalid_token"'] * 2
