"""Nobody is sent with a code to where the client did not say, or where nobody may be sent."""

from __future__ import annotations

from secrets import token_urlsafe

import pytest

from tests.identity.bridge.bench import ORIGIN, Bench, authorize_url

pytestmark = pytest.mark.anyio

OWN = "https://client.example.net/oauth/callback"

ALMOST = [
    "https://client.example.net/oauth/callback/",
    "https://client.example.net/oauth/callback/more",
    "https://client.example.net/oauth/callbac",
    "https://client.example.net/oauth",
    "https://client.example.net/oauth/",
    "https://client.example.net/",
    "https://client.example.net",
    "https://client.example.net/oauth/callback?x=1",
    "https://client.example.net/oauth/callback?",
    "https://client.example.net/oauth/callback#",
    "https://client.example.net/oauth/callback#code",
    "https://client.example.net/oauth/../oauth/callback",
    "https://client.example.net/oauth/./callback",
    "https://client.example.net/oauth/x/../callback",
    "https://client.example.net/oauth//callback",
    "https://client.example.net//oauth/callback",
    "https://client.example.net/oauth/%2e%2e/oauth/callback",
    "https://client.example.net/oauth%2Fcallback",
    "https://client.example.net/oauth/callb%61ck",
    "https://client.example.net/OAuth/callback",
    "https://CLIENT.example.net/oauth/callback",
    "HTTPS://client.example.net/oauth/callback",
    "https://client.example.net:443/oauth/callback",
    "https://client.example.net:8443/oauth/callback",
    "https://client.example.net:/oauth/callback",
    "https://client.example.net./oauth/callback",
    "https://client.example.net.evil.example/oauth/callback",
    "https://evil-client.example.net/oauth/callback",
    "https://evil.example/client.example.net/oauth/callback",
    "https://evil.example?https://client.example.net/oauth/callback",
    "https://client.example.net@evil.example/oauth/callback",
    "https://user@client.example.net/oauth/callback",
    "https://user:password@client.example.net/oauth/callback",
    "https://client.example.net\\@evil.example/oauth/callback",
    "https://client.example.net%00.evil.example/oauth/callback",
    "https://client.example.net/oauth/callback\r\nSet-Cookie: a=b",
    "https://client.example.net/oauth/callback%0d%0aSet-Cookie:%20a=b",
    "https://client.example.net/oauth/callback ",
    " https://client.example.net/oauth/callback",
    "\thttps://client.example.net/oauth/callback",
    "https://client.example.net/oauth/callback\x00",
    "https://client.example.net/oauth/callback\u202e",
    "https://cl\u0456ent.example.net/oauth/callback",
    "https://client\uff0eexample.net/oauth/callback",
    "http://client.example.net/oauth/callback",
    "//client.example.net/oauth/callback",
    "https:client.example.net/oauth/callback",
    "https:/client.example.net/oauth/callback",
    "https:///client.example.net/oauth/callback",
    "/oauth/callback",
    "javascript:alert(1)",
    "data:text/html,hello",
    "*",
    "null",
]

NEVER = [
    "http://client.example.net/callback",
    "http://127.0.0.1.evil.example/",
    "http://127.0.0.2/callback",
    "http://0.0.0.0/callback",
    "http://localhost.evil.example/callback",
    "http://127.0.0.1@evil.example/callback",
    "https://user@client.example.net/callback",
    "https://client.example.net/callback#fragment",
    "cursor://callback#",
    "javascript:alert(1)",
    "javascript://client.example.net/%0aalert(1)",
    "data:text/html,hello",
    "data://text/html,hello",
    "vbscript://x",
    "file:///etc/passwd",
    "file://server/share",
    "blob:https://client.example.net/1",
    "about:blank",
    "ftp://client.example.net/",
    "ws://client.example.net/",
    "wss://client.example.net/",
    "view-source:https://client.example.net/",
    "filesystem:https://client.example.net/",
    "intent://scan/#Intent;end",
    "ms-msdt:/id",
    "ms-settings://x",
    "search-ms://query",
    "mailto:someone@example.net",
    "cursor:callback",
    "applescript://com.apple.scripteditor?action=new&script=beep",
    "vscode://vscode.git/clone?url=https://evil.example/x.git",
    "vscode-insiders://x/y",
    "windsurf://windsurf-mcp-registry?serverName=x",
    "com.example.app:/callback",
    "cursor://anysphere.cursor-deeplink/mcp/install?name=x",
    "cursor://anysphere.cursor-mcp/oauth/callback?x=1",
    "cursor://anysphere.cursor-mcp/oauth/callback/../../x",
    "http://[::1]evil.example/callback",
    "http://[::1].evil.example/callback",
    "http://[::1]:80.evil.example/callback",
    "http://evil.example[::1]/callback",
    "http://[::1%25lo]/callback",
    "http://[::2]/callback",
    "http://[::ffff:127.0.0.1]/callback",
    "http://[v1.x]/callback",
    "https://[::1]evil.example/callback",
    "https://evil.example%2f.client.example.net/callback",
    "cursor://",
    "https://client.example.net/" + "a" * 500,
]

PORTS = [
    ("http://127.0.0.1:1234/callback", "http://127.0.0.1/callback", True),
    ("http://127.0.0.1:1234/callback", "http://127.0.0.1:80/callback", True),
    ("http://localhost/callback", "http://localhost:65535/callback", True),
    ("http://[::1]/callback", "http://[::1]:4321/callback", True),
    ("http://[::1]/callback", "http://[0:0:0:0:0:0:0:1]:4321/callback", True),
    ("http://[0::0001]:1/callback", "http://[::1]/callback", True),
    ("http://localhost/callback", "http://LOCALHOST:4321/callback", True),
    ("http://localhost/callback", "http://localhost:4321/CALLBACK", False),
    ("http://127.0.0.1:33418", "http://127.0.0.1:33418/", True),
    ("http://127.0.0.1/callback", "http://127.0.0.1:99999/callback", False),
    ("http://127.0.0.1/callback", "http://[/callback", False),
    ("http://127.0.0.1/callback", "http://127.0.0.1:1234/other", False),
    ("http://127.0.0.1/callback", "http://127.0.0.1:1234/callback?x=1", False),
    ("http://127.0.0.1/callback", "http://localhost:1234/callback", False),
    ("http://127.0.0.1/callback", "https://127.0.0.1:1234/callback", False),
    ("https://127.0.0.1/callback", "http://127.0.0.1:1234/callback", False),
    ("http://127.0.0.1/callback", "http://127.0.0.1:1234@evil.example/callback", False),
    ("http://127.0.0.1/callback", "http://127.0.0.1:1234/callback#x", False),
    ("https://client.example.net/callback", "https://client.example.net:8443/callback", False),
    ("cursor://anysphere.cursor-mcp/oauth/callback", "cursor://anysphere.cursor-mcp:1/oauth/callback", False),
    ("cursor://anysphere.cursor-mcp/oauth/callback", "CURSOR://anysphere.cursor-mcp/oauth/callback", False),
    ("warp://mcp/oauth2callback", "mcpjam://oauth/callback", False),
]


@pytest.mark.parametrize("almost", ALMOST)
async def test_what_is_almost_the_redirect_of_the_client_is_refused_without_going_there(
    bench: Bench, almost: str
) -> None:
    answer = await bench.http.get(authorize_url(await bench.register(OWN), redirect_uri=almost))
    assert answer.status_code == 400
    assert "location" not in answer.headers
    assert "evil" not in answer.text


@pytest.mark.parametrize("never", NEVER)
async def test_such_a_redirect_is_not_registered(bench: Bench, never: str) -> None:
    answer = await bench.http.post(f"{ORIGIN}/register", json={"redirect_uris": [OWN, never]})
    assert answer.status_code == 400
    assert answer.json()["error"] in {"invalid_redirect_uri", "invalid_client_metadata"}


async def test_who_registers_another_redirect_learns_which_ones_are_allowed(bench: Bench) -> None:
    answer = await bench.http.post(f"{ORIGIN}/register", json={"redirect_uris": ["http://client.example.net/"]})
    assert answer.json()["error_description"] == (
        "A redirect URI must be https, or http to localhost, 127.0.0.1 or [::1], without user info or a fragment."
        " Allowed custom schemes: com.raycast:/oauth?package_name=Extension, cursor://anysphere.cursor-mcp/oauth/callback,"
        " mcpjam://authkit/callback, mcpjam://oauth/callback, raycast://oauth?package_name=Extension,"
        " warp://mcp/oauth2callback."
    )


@pytest.mark.parametrize(("registered", "asked", "fits"), PORTS)
async def test_only_the_port_of_a_program_on_this_machine_may_differ(
    bench: Bench, registered: str, asked: str, fits: bool
) -> None:
    answer = await bench.http.get(authorize_url(await bench.register(registered), redirect_uri=asked))
    assert answer.status_code == (200 if fits else 400)


async def test_a_client_must_say_where_its_user_is_sent_back(bench: Bench) -> None:
    answer = await bench.http.get(authorize_url(await bench.register(), redirect_uri=""))
    assert answer.status_code == 400


async def test_a_client_registers_some_redirects_and_not_too_many(bench: Bench) -> None:
    for redirects in ([], [f"{OWN}/{number}" for number in range(11)]):
        answer = await bench.http.post(f"{ORIGIN}/register", json={"redirect_uris": redirects})
        assert answer.status_code == 400


async def test_a_registration_without_redirects_is_refused(bench: Bench) -> None:
    refused = await bench.http.post(f"{ORIGIN}/register", json={"redirect_uris": None})
    assert (refused.status_code, refused.json()["error"]) == (400, "invalid_redirect_uri")


async def test_a_registration_that_makes_a_long_id_is_refused(bench: Bench) -> None:
    redirects = [f"{OWN}/{token_urlsafe(300)}" for _ in range(10)]
    answer = await bench.http.post(f"{ORIGIN}/register", json={"redirect_uris": redirects})
    assert answer.status_code == 400
    assert "too long in total" in answer.json()["error_description"]
