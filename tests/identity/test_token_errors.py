"""What a caller can do about each error code with which Entra ID rejects a token exchange."""

from __future__ import annotations

import json
from typing import Any

import pytest

from identity.denial import Denial
from identity.token_errors import UNAVAILABLE, exchange_failure
from refusal import Refusal

# See https://learn.microsoft.com/entra/identity-platform/reference-error-codes.
SIGN_IN_AGAIN = (
    *(16000, 50013, 50027, 50058, 50072, 50074, 50076, 50078, 50079, 50132, 50133, 50158, 50173, 70008),
    *(70043, 70044, 500132, 500133, 500137, 700082, 700084, 5000224),
)
CONSENT = (65001, 65004, 90094)
CREDENTIALS = (
    *(50012, 70002, 700016, 700024, 700027, 7000112, 7000215, 7000222, 7002381, 700211, 700212, 700213),
    *(700222, 700223, 700231, 90002, 900023),
)


def failure(*codes: object, error: object = "invalid_grant", agent: str = "", **more: object) -> Denial | Refusal:
    answer = {"error": error, "error_codes": [*codes], **more}
    return exchange_failure(answer, "api://vault", "client-1", agent)


@pytest.mark.parametrize("code", SIGN_IN_AGAIN)
def test_the_caller_signs_in_again(code: int) -> None:
    found = failure(code)
    assert isinstance(found, Denial)
    assert f"Your sign-in has expired. Sign in again (AADSTS{code})." in str(found)


@pytest.mark.parametrize(
    ("codes", "said"),
    [
        *(((code,), "not allowed to call api://vault on your behalf yet") for code in CONSENT),
        *(((code,), "rejected the credentials of this server's application client-1") for code in CREDENTIALS),
        ((7000114,), "The token belongs to an application"),
        ((53003,), "issued no token for api://vault on your behalf"),
        ((65001, 7000114, 50012), "not allowed to call"),
        ((7000114, 50012), "belongs to an application"),
        ((), "issued no token for api://vault on your behalf"),
    ],
)
def test_an_administrator_learns_what_to_check(codes: tuple[int, ...], said: str) -> None:
    found = failure(*codes)
    assert isinstance(found, Refusal)
    assert said in str(found)
    reference = f" ({', '.join(f'AADSTS{code}' for code in sorted(codes))})" if codes else ""
    assert str(found).endswith(f"{reference}.")


def test_for_an_agent_the_refusal_names_the_agent() -> None:
    assert "Agent a-1 acts for a person" in str(failure(53003, agent="a-1"))
    assert "belongs to an application" in str(failure(7000114, agent="a-1"))


@pytest.mark.parametrize(
    ("error", "codes", "is_denial"),
    [
        ("interaction_required", (), True),
        ("login_required", (), True),
        ("interaction_required", (53003,), False),
        ("interaction_required", (50076,), True),
        ("invalid_grant", (), False),
    ],
)
def test_without_a_code_the_error_says_whether_to_sign_in(
    error: str, codes: tuple[int, ...], *, is_denial: bool
) -> None:
    assert isinstance(failure(*codes, error=error), Denial) is is_denial


@pytest.mark.parametrize(
    "answer",
    [None, [], "error", {}, {"error": 5}, {"error": "temporarily_unavailable"}, {"error": "server_error"}],
    ids=json.dumps,
)
def test_without_a_valid_error_the_service_counts_as_unavailable(answer: Any) -> None:
    assert str(exchange_failure(answer, "api://vault", "client-1")) == UNAVAILABLE


@pytest.mark.parametrize(
    ("more", "end"),
    [
        ({"trace_id": "a" * 36}, f"(AADSTS53003, trace {'a' * 36})."),
        ({"trace_id": "a" * 37}, "(AADSTS53003)."),
        ({"trace_id": ""}, "(AADSTS53003)."),
        ({"trace_id": 5}, "(AADSTS53003)."),
        ({"error_codes": "53003", "trace_id": "ab"}, "(trace ab)."),
        ({"error_codes": None}, "can look up the reason."),
    ],
)
def test_only_codes_and_the_trace_are_repeated(more: dict[str, Any], end: str) -> None:
    assert str(failure(53003, **more)).endswith(end)


def test_claims_that_a_policy_requires_are_passed_on() -> None:
    assert isinstance(failure(53003, claims='{"access_token": {}}'), Denial)
    for claims in ("none", 5, None):
        assert isinstance(failure(53003, claims=claims), Refusal)
