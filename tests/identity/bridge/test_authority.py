"""What becomes of a sign-in when the authority declines, is gone or talks nonsense."""

from __future__ import annotations

import asyncio

import pytest
from aiohttp import ClientTimeout, web

from identity.bridge.authority import safe_description
from tests.identity.bridge.bench import LOOPBACK, ORIGIN, Bench, authorize_url, told

pytestmark = pytest.mark.anyio

TAIL = "Trace ID: 1-2 Correlation ID: 3-4 Timestamp: 2026-01-01 00:00:00Z"


@pytest.mark.parametrize(
    ("error", "description", "told_error", "told_description"),
    [
        ("access_denied", f"AADSTS65004: Declined. {TAIL}", "access_denied", "AADSTS65004: Declined."),
        ("consent_required", f"AADSTS65001: No consent. {TAIL}", "access_denied", "AADSTS65001: No consent."),
        ("interaction_required", f"AADSTS50105: No.\r\n{TAIL}", "access_denied", "AADSTS50105: No."),
        ("login_required", f"AADSTS50058: No session. {TAIL}", "access_denied", "AADSTS50058: No session."),
        ("temporarily_unavailable", "", "temporarily_unavailable", "The sign-in service declined."),
        ("server_error", "AADSTS90033: A transient error. " + TAIL, "server_error", "AADSTS90033: A transient error."),
        ("invalid_client", "AADSTS7000215: Invalid secret. " + TAIL, "server_error", "AADSTS7000215: Invalid secret."),
        ("<script>", "<script>alert(1)</script>", "server_error", "The sign-in service declined."),
        ("", "", "server_error", "The sign-in service declined."),
    ],
)  # fmt: skip
async def test_what_the_authority_answers_reaches_the_client_in_short(
    bench: Bench, error: str, description: str, told_error: str, told_description: str
) -> None:
    bench.page.failure = {"error": error, "error_description": description}
    answer = await bench.signed_in(await bench.register())
    assert answer == {
        "error": told_error,
        "error_description": told_description,
        "state": "of the client",
        "iss": ORIGIN,
    }


@pytest.mark.parametrize(("error", "is_noted"), [("access_denied", False), ("invalid_client", True), ("", True)])
async def test_operators_see_only_the_failures_that_users_do_not_cause(
    bench: Bench, error: str, is_noted: bool, caplog: pytest.LogCaptureFixture
) -> None:
    bench.page.failure = {"error": error, "error_description": f"AADSTS1: So it is. {TAIL}"}
    await bench.signed_in(await bench.register())
    assert ("The sign-in service rejected a sign-in: AADSTS1: So it is." in caplog.messages) == is_noted


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ('AADSTS1: Bad "thing" at a\\b. More.', "AADSTS1: Bad 'thing' at a'b."),
        ("AADSTS1: Mail of ada@example.com is unknown. More.", "AADSTS1: Mail of ada@example.com is unknown."),
        ("AADSTS1: \u00fc\u2028\x00 x", "AADSTS1: ''' x."),
        ("Error in secret abc", "The sign-in service declined."),
        ("AADSTS1: " + "x" * 400, "The sign-in service declined."),
        ("", "The sign-in service declined."),
    ],
)  # fmt: skip
def test_only_its_number_and_first_sentence_are_passed_on(text: str, safe: str) -> None:
    assert safe_description(text) == safe


@pytest.mark.parametrize("failure", [503, 500, 404, 302, None])
async def test_an_authority_that_is_gone_is_no_fault_of_the_client(
    bench: Bench, failure: int | None, caplog: pytest.LogCaptureFixture
) -> None:
    client_id = await bench.register()
    code = (await bench.signed_in(client_id))["code"]
    bench.issuer.fail(bench.issuer.token_path, failure)
    answer = await bench.redeem(client_id, code)
    assert (answer.status_code, answer.json()["error"]) == (503, "temporarily_unavailable")
    noted = "Cannot reach the sign-in service: Server" if failure is None else f"with status {failure}"
    assert [noted in said for said in caplog.messages] == [True]
    bench.issuer.heal()
    assert (await bench.redeem(client_id, code)).status_code == 200


async def test_an_authority_that_does_not_answer_is_not_waited_for_forever(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def hang(_form: dict[str, str]) -> web.Response:
        return await asyncio.Future()

    client_id = await bench.register()
    code = (await bench.signed_in(client_id))["code"]
    monkeypatch.setattr("identity.bridge.authority.PATIENCE", ClientTimeout(total=0.01))
    monkeypatch.setitem(bench.issuer.grants, "authorization_code", hang)
    answer = await bench.redeem(client_id, code)
    reason = "The sign-in service is unreachable. Try again in a minute."
    assert answer.status_code == 503
    assert answer.json() == {"error": "temporarily_unavailable", "error_description": reason}


@pytest.mark.parametrize(
    "garbage",
    [
        b"not JSON",
        b"[]",
        b"null",
        b"{}",
        b'{"access_token": 1}',
        b'{"access_token": null}',
        b"[" * 100_000,
        b"\xff\xfe",
    ],
)
async def test_an_authority_that_talks_nonsense_is_not_repeated(bench: Bench, garbage: bytes) -> None:
    client_id = await bench.register()
    code = (await bench.signed_in(client_id))["code"]
    bench.page.garbage = garbage
    answer = await bench.redeem(client_id, code)
    assert (answer.status_code, answer.json()["error"]) == (503, "temporarily_unavailable")


@pytest.mark.parametrize(
    ("failure", "status", "error"),
    [
        ({"error": "invalid_grant", "error_description": "AADSTS70008: Expired. " + TAIL}, 400, "invalid_grant"),
        ({"error": "interaction_required", "error_description": "AADSTS50076: MFA. x"}, 400, "invalid_grant"),
        ({"error": "consent_required"}, 400, "invalid_grant"),
        ({"error": "login_required"}, 400, "invalid_grant"),
        ({"error": "invalid_client"}, 503, "temporarily_unavailable"),
        ({"error": "unauthorized_client"}, 503, "temporarily_unavailable"),
        ({"error": "invalid_scope"}, 503, "temporarily_unavailable"),
        ({"error": ["x"]}, 503, "temporarily_unavailable"),
        # A token in a failure is none.
        ({"access_token": "a"}, 503, "temporarily_unavailable"),
    ],
)  # fmt: skip
async def test_a_client_begins_anew_only_where_that_helps(
    bench: Bench, failure: dict[str, str], status: int, error: str
) -> None:
    client_id = await bench.register()
    tokens = (await bench.redeem(client_id, (await bench.signed_in(client_id))["code"])).json()
    bench.page.token_failure = failure
    answer = await bench.renew(client_id, tokens["refresh_token"])
    assert (answer.status_code, answer.json()["error"]) == (status, error)
    assert "Trace ID" not in answer.text


@pytest.mark.parametrize(
    ("expires_in", "told_seconds"), [('"3599"', 3599), ("3599", 3599), ('"soon"', None), ("-1", None), ("null", None)]
)
async def test_minimal_tokens_are_tokens(bench: Bench, expires_in: str, told_seconds: int | None) -> None:
    client_id = await bench.register()
    code = (await bench.signed_in(client_id))["code"]
    bench.page.garbage = f'{{"access_token": "a", "expires_in": {expires_in}, "refresh_token": 7}}'.encode()
    tokens = (await bench.redeem(client_id, code)).json()
    assert (tokens["access_token"], tokens.get("expires_in"), "refresh_token" in tokens) == ("a", told_seconds, False)


async def test_a_resource_of_another_server_gets_no_token(bench: Bench) -> None:
    client_id = await bench.register()
    code = (await bench.signed_in(client_id))["code"]
    answer = await bench.redeem(client_id, code, resource="https://evil.example/mcp")
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_target")


async def test_a_redirect_of_the_token_endpoint_is_not_followed(bench: Bench) -> None:
    client_id = await bench.register()
    code = (await bench.signed_in(client_id))["code"]
    bench.page.moved_to = bench.issuer.token_path
    answer = await bench.redeem(client_id, code)
    assert (answer.status_code, answer.json()["error"]) == (503, "temporarily_unavailable")
    assert bench.issuer.count(bench.issuer.token_path) == 1


GONE = "The sign-in service cannot issue a token now. If this persists, contact the operator of this server."


@pytest.mark.parametrize(
    ("status", "told_status", "told_error", "reason"),
    [
        (400, 400, "invalid_grant", "AADSTS70008: Expired."),
        (401, 400, "invalid_grant", "AADSTS70008: Expired."),
        (402, 503, "temporarily_unavailable", GONE),
        (403, 503, "temporarily_unavailable", GONE),
        (500, 503, "temporarily_unavailable", GONE),
        (503, 503, "temporarily_unavailable", GONE),
    ],
)
async def test_an_error_of_the_grant_counts_only_with_the_status_of_one(
    bench: Bench, status: int, told_status: int, told_error: str, reason: str
) -> None:
    client_id = await bench.register()
    code = (await bench.signed_in(client_id))["code"]
    bench.page.token_failure = {"error": "invalid_grant", "error_description": f"AADSTS70008: Expired. {TAIL}"}
    bench.page.token_failure_status = status
    answer = await bench.redeem(client_id, code)
    assert answer.status_code == told_status
    assert answer.json() == {"error": told_error, "error_description": reason}


@pytest.mark.parametrize("query", ["", "?code=x", "?state=x", "?code=x&state=x", "?error=access_denied"])
async def test_who_comes_back_from_nowhere_goes_nowhere(bench: Bench, query: str) -> None:
    person = await bench.person()
    await person.visit(authorize_url(await bench.register()))
    answer = await person.visit(f"{ORIGIN}/callback{query}")
    assert (answer.status_code, "location" in answer.headers) == (400, False)


async def test_the_issuer_is_named_in_every_answer(bench: Bench) -> None:
    client_id = await bench.register(LOOPBACK)
    for asked in ({"scope": "none"}, {"resource": "none"}, {"response_type": "token"}):
        answer = await bench.http.get(authorize_url(client_id, redirect_uri=LOOPBACK, **asked))
        assert told(answer)["iss"] == ORIGIN
