"""What an issuer answers to a request for tokens, and what each answer means."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from extensions.sign_in.outgoing import IssuerReply, Outgoing
from extensions.sign_in.registering import RegisteredClient
from extensions.sign_in.tokens import DeclinedError, NoTokensError, TokenEndpoint, Tokens

URL = "https://issuer.example.com/token"
PUBLIC = RegisteredClient("client-1", "", "none", "https://mcp.example.com/back")
GOOD: dict[str, Any] = {"access_token": "a.b-c", "token_type": "Bearer"}
DAY = 24 * 3600


@dataclass
class Issuer:
    status: int = 200
    document: dict[str, Any] = field(default_factory=lambda: dict(GOOD))
    sent: list[tuple[str, Mapping[str, str], Mapping[str, str]]] = field(default_factory=list)

    async def post(
        self, url: str, *, is_private: bool, form: Mapping[str, str], headers: Mapping[str, str]
    ) -> IssuerReply:
        assert not is_private
        self.sent.append((url, form, headers))
        return IssuerReply(self.status, json.dumps(self.document).encode())


def endpoint(issuer: Issuer, client: RegisteredClient = PUBLIC) -> TokenEndpoint:
    return TokenEndpoint(
        "docs", URL, "https://docs.example.com/mcp", client, cast("Outgoing", issuer), is_private=False
    )


@pytest.mark.parametrize(
    ("more", "tokens"),
    [
        ({}, Tokens("a.b-c", 3600)),
        ({"expires_in": 0}, Tokens("a.b-c", 0)),
        ({"expires_in": 60}, Tokens("a.b-c", 60)),
        ({"expires_in": 30 * DAY}, Tokens("a.b-c", 30 * DAY)),
        ({"expires_in": 30 * DAY + 1}, Tokens("a.b-c", 30 * DAY)),
        ({"refresh_token": "r 1"}, Tokens("a.b-c", 3600, "r 1")),
        ({"refresh_token": ""}, Tokens("a.b-c", 3600)),
        ({"refresh_token": "r" * 5000}, Tokens("a.b-c", 3600, "r" * 5000)),
        ({"access_token": "a" * 5000}, Tokens("a" * 5000, 3600)),
    ],
    ids=lambda value: str(value)[:60],
)
async def test_an_answer_contains_tokens_and_how_long_they_last(more: dict[str, Any], tokens: Tokens) -> None:
    assert await endpoint(Issuer(document={**GOOD, **more})).renew("r") == tokens


@pytest.mark.parametrize(
    "more",
    [
        {"access_token": ""},
        {"access_token": "a b"},
        {"access_token": "a\n"},
        {"access_token": "ä"},
        {"access_token": "a" * 5001},
        {"access_token": 5},
        {"refresh_token": "r" * 5001},
        {"refresh_token": "ä"},
        {"refresh_token": "r\n"},
        {"expires_in": -1},
        {"expires_in": "soon"},
        {"token_type": "mac"},
    ],
    ids=lambda value: str(value)[:60],
)
async def test_an_answer_with_anything_else_contains_no_tokens(more: dict[str, Any]) -> None:
    with pytest.raises(NoTokensError, match="answered with an invalid token"):
        await endpoint(Issuer(document={**GOOD, **more})).renew("r")


@pytest.mark.parametrize(
    ("status", "error", "expected"),
    [
        (400, "invalid_grant", "Sign in again."),
        (400, "interaction_required", "Sign in again."),
        (401, "consent_required", "Sign in again."),
        (499, "login_required", "Sign in again."),
        (400, "invalid_client", "Tell an operator."),
        (400, "", "Tell an operator."),
    ],
)
async def test_an_error_says_who_can_help(status: int, error: str, expected: str) -> None:
    with pytest.raises(DeclinedError) as declined:
        await endpoint(Issuer(status, {"error": error})).renew("r")
    assert str(declined.value).endswith(f"declined to issue a token. {expected}")
    assert declined.value.is_final is (expected == "Sign in again.")


@pytest.mark.parametrize(
    ("status", "document"),
    [
        (399, {"error": "invalid_grant"}),
        (500, {"error": "invalid_grant"}),
        (400, {"error": 5}),
        (400, {}),
        (201, GOOD),
        (400, GOOD),
    ],
)
async def test_another_answer_is_no_error_of_the_protocol(status: int, document: dict[str, Any]) -> None:
    with pytest.raises(NoTokensError):
        await endpoint(Issuer(status, document)).renew("r")


@pytest.mark.parametrize(
    ("client", "form", "authorization"),
    [
        (PUBLIC, {"client_id": "client-1"}, None),
        (
            RegisteredClient("client-1", "s", "client_secret_post", ""),
            {"client_id": "client-1", "client_secret": "s"},
            None,
        ),
        (RegisteredClient("c:1", "s/ 2", "client_secret_basic", ""), {}, b"c%3A1:s%2F+2"),
    ],
    ids=["public", "post", "basic"],
)
async def test_a_client_proves_itself(
    client: RegisteredClient, form: dict[str, str], authorization: bytes | None
) -> None:
    issuer = Issuer()
    await endpoint(issuer, client).redeem("c", "v", "https://mcp.example.com/back")
    await endpoint(issuer, client).own("files")
    await endpoint(issuer, client).own("")
    assert await endpoint(issuer, client).revoke(f"{URL}/revoke", "t")
    resource = {"resource": "https://docs.example.com/mcp"}
    code = {"code": "c", "code_verifier": "v", "redirect_uri": "https://mcp.example.com/back"}
    headers = {"Authorization": f"Basic {b64encode(authorization).decode()}"} if authorization else {}
    assert issuer.sent == [
        (URL, {"grant_type": "authorization_code", **code, **resource, **form}, headers),
        (URL, {"grant_type": "client_credentials", "scope": "files", **resource, **form}, headers),
        (URL, {"grant_type": "client_credentials", **resource, **form}, headers),
        (f"{URL}/revoke", {"token": "t", **form}, headers),
    ]


@pytest.mark.parametrize(("status", "is_revoked"), [(200, True), (201, False), (400, False)])
async def test_a_token_is_revoked_if_the_issuer_confirms_it(status: int, *, is_revoked: bool) -> None:
    assert await endpoint(Issuer(status)).revoke(URL, "t") is is_revoked
