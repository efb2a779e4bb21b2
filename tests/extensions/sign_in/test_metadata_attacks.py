"""What a server and its issuer say of themselves leads to no other address, and is read within bounds."""

from __future__ import annotations

from typing import Any

import pytest
from aiohttp import web

from extensions.sign_in.methods import ByConsent
from extensions.sign_in.outgoing import LARGEST
from extensions.sign_in.sign_ins import ConsentNeededError
from tests.extensions.sign_in.attacking import ENTRY, METADATA, ODD, PRIVATE, RESOURCE, nobody_can_begin
from tests.extensions.sign_in.desk import ADA, Desk, Entry
from tests.fakes.oauth import ISSUER, LOGIN, MCP, URL


@pytest.mark.parametrize(
    "about",
    [
        {"resource": "https://evil.example.net/mcp"},
        {"resource": f"{URL}/deeper"},
        {"resource": f"https://{MCP}/mc"},
        {"resource": f"http://{MCP}/mcp"},
        {"resource": f"https://{MCP}.evil.example.net/mcp"},
        {"resource": "no address"},
        {"authorization_servers": []},
        {"authorization_servers": ["javascript:alert(1)"]},
        {"authorization_servers": ["http://login.example.com/tenant"]},
        {"authorization_servers": ["https://169.254.169.254/tenant"]},
        {"authorization_servers": [f"{ISSUER}?at=evil"]},
        {"authorization_servers": [f"{ISSUER}#evil"]},
        # The same to a reader, and not to a comparison.
        {"authorization_servers": [f"{ISSUER}/"]},
        {"authorization_servers": [f"{ISSUER}/../other"]},
        {"authorization_servers": [f"https://{LOGIN}/Tenant"]},
        {"authorization_servers": ["https://evil.example.net/tenant"]},
        {"scopes_supported": ['bake"><script>']},
        {"scopes_supported": ["x" * 1001]},
    ],
)
async def test_what_a_server_says_of_itself_is_held_to_it(desk: Desk, about: dict[str, Any]) -> None:
    desk.server.about_resource = about
    await nobody_can_begin(desk)


@pytest.mark.parametrize("more", ["?at=evil", "#evil"])
async def test_an_issuer_that_can_be_none_is_none_whatever_it_says_of_itself(desk: Desk, more: str) -> None:
    desk.server.about_resource = {"authorization_servers": [f"{ISSUER}{more}"]}
    desk.server.about_issuer = {"issuer": f"{ISSUER}{more}"}
    await nobody_can_begin(desk)


@pytest.mark.parametrize(
    "about",
    [
        {"issuer": "https://evil.example.net"},
        {"issuer": f"{ISSUER}/"},
        {"issuer": f"https://{LOGIN}"},
        {"issuer": f"https://{LOGIN}/other"},
        {"code_challenge_methods_supported": None},
        {"code_challenge_methods_supported": []},
        {"code_challenge_methods_supported": ["plain"]},
        {"token_endpoint": "https://tokens.example.org/token"},
        {"registration_endpoint": "https://evil.example.net/register"},
        {"revocation_endpoint": "https://evil.example.net/revoke"},
        {"authorization_endpoint": "https://evil.example.net/authorize"},
        {"authorization_endpoint": "javascript:alert(1)//"},
        {"authorization_endpoint": "data:text/html,hello"},
        {"authorization_endpoint": f"{ISSUER}/authorize#fragment"},
        *({"token_endpoint": url} for url in ODD),
        *({"authorization_endpoint": url} for url in PRIVATE),
    ],
)
async def test_what_an_issuer_says_of_itself_is_held_to_it(desk: Desk, about: dict[str, Any]) -> None:
    desk.server.about_issuer = about
    await nobody_can_begin(desk)


async def test_an_endpoint_elsewhere_is_asked_only_where_the_entry_names_its_host(desk: Desk) -> None:
    desk.server.about_issuer = {"token_endpoint": "https://tokens.example.org/token"}
    entry = Entry(ByConsent(hosts=frozenset({"tokens.example.org"})))
    assert (await desk.begun(desk.instance(), entry)).startswith(f"{ISSUER}/authorize?")


@pytest.mark.parametrize("where", [RESOURCE, METADATA])
@pytest.mark.parametrize("answer", ["redirected", "packed", "list", "deep", "broken"])
async def test_metadata_come_whole_from_where_they_were_asked_for(desk: Desk, where: str, answer: str) -> None:
    bodies = {"list": b"[]", "deep": b"[" * 60_000, "broken": b'{"issuer'}

    async def tell(_request: web.Request) -> web.StreamResponse:
        if answer == "redirected":
            return web.Response(status=307, headers={"location": "https://evil.example.net/metadata"})
        packed = {"Content-Encoding": "gzip"} if answer == "packed" else {}
        return web.Response(body=bodies.get(answer, b"\x1f\x8b{}"), headers=packed)

    desk.server.instead[where] = tell
    await nobody_can_begin(desk)
    assert not any("evil" in asked for asked in desk.server.asked)


@pytest.mark.parametrize("whose", ["about_resource", "about_issuer"])
async def test_metadata_that_are_too_long_are_not_read(desk: Desk, whose: str) -> None:
    setattr(desk.server, whose, {"more": "x" * LARGEST})
    await nobody_can_begin(desk)
    setattr(desk.server, whose, {"more": "x"})
    assert await desk.begun(desk.instance(), ENTRY)


@pytest.mark.parametrize(
    "metadata",
    ["https://evil.example.net/metadata", f"http://{MCP}/metadata", "https://10.0.0.1/m", "//x", "file:///x"],
)
async def test_a_challenge_leads_to_no_metadata_of_others(desk: Desk, metadata: str) -> None:
    house = desk.instance()
    with pytest.raises(ConsentNeededError):
        await house.challenged(ENTRY, ADA, f'Bearer resource_metadata="{metadata}"')
    await nobody_can_begin(desk)
    assert desk.server.asked == []


async def test_a_challenge_of_any_bytes_is_no_failure(desk: Desk) -> None:
    house = desk.instance()
    for said in ("", "\r\nX: y", "Bearer " + 'scope="' * 5000, 'Bearer scope="\u2028"', "Basic", "=" * 9000):
        with pytest.raises(ConsentNeededError):
            await house.challenged(ENTRY, ADA, said)
