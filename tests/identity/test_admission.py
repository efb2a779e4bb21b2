"""Whom the server admits, by tenant, application, scope and role."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import pytest

from identity.admission import Admission, full_scope
from identity.caller import Agent, Caller, CallerKind
from identity.claims import values_of
from identity.denial import Denial

TERMS = Admission.of(["api://app"], "access", ["Home", "office"], ["Desk", "phone"])
ADA = Caller(CallerKind.USER, "home", "ada", "desk", scopes=frozenset({"access"}))
PROGRAM = replace(ADA, kind=CallerKind.APP, scopes=frozenset(), roles=frozenset({"Reader"}))


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"tenant": "HOME"},
        {"tenant": "office"},
        {"client": "DESK"},
        {"client": "phone"},
        {"scopes": {"api://app/access", "other"}},
        {"roles": {"Reader"}},
    ],
    ids=str,
)
def test_who_meets_all_conditions_is_admitted(changed: dict[str, Any]) -> None:
    caller = replace(ADA, **changed)
    assert TERMS.admit(caller) is caller


@pytest.mark.parametrize(
    ("caller", "changed", "error", "reason"),
    [
        (ADA, {"tenant": "elsewhere"}, "invalid_token", "a tenant that this server does not serve"),
        (ADA, {"tenant": ""}, "invalid_token", "a tenant that this server does not serve"),
        (ADA, {"client": "stranger"}, "insufficient_scope", "an application that this server does not serve"),
        (ADA, {"client": ""}, "insufficient_scope", "an application that this server does not serve"),
        (ADA, {"scopes": frozenset()}, "invalid_token", "no scope or role"),
        (ADA, {"scopes": frozenset(), "roles": {"Reader"}}, "invalid_token", "no scope or role"),
        (ADA, {"scopes": {"Access"}}, "insufficient_scope", "does not include the scope"),
        (ADA, {"scopes": {"api://other/access"}}, "insufficient_scope", "does not include the scope"),
        (PROGRAM, {"tenant": "elsewhere"}, "invalid_token", "a tenant that this server does not serve"),
        (PROGRAM, {"client": "stranger"}, "insufficient_scope", "an application that this server does not serve"),
        (PROGRAM, {"roles": frozenset()}, "insufficient_scope", "has no role for this server"),
        (PROGRAM, {"roles": frozenset(), "scopes": {"access"}}, "insufficient_scope", "has no role for this server"),
    ],
)
def test_who_fails_one_condition_is_denied(caller: Caller, changed: dict[str, Any], error: str, reason: str) -> None:
    with pytest.raises(Denial, match=reason) as denied:
        TERMS.admit(replace(caller, **changed))
    assert denied.value.error == error


def test_a_program_needs_a_role_and_no_scope() -> None:
    assert TERMS.admit(PROGRAM) is PROGRAM


def test_without_lists_all_tenants_and_applications_are_admitted() -> None:
    anyone = replace(ADA, tenant="elsewhere", client="")
    assert Admission.of(["api://app"], "access").admit(anyone) is anyone


DEMANDING: Final = Admission.of(
    ["api://app"], "access", claims=[("acct", "0"), ("team", "red"), ("team", "blue"), ("Team", "red")]
)
MEMBER: Final = replace(ADA, claims=values_of({"acct": 0, "team": ["green", "blue"], "Team": "red"}))


def test_a_user_needs_each_claim_with_one_of_its_values() -> None:
    assert DEMANDING.admit(MEMBER) is MEMBER


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("acct", 1),
        ("acct", None),
        ("acct", "00"),
        ("acct", [0, None]),
        ("team", "green"),
        ("team", "Red"),
        ("team", []),
        ("Team", "blue"),
    ],
)
def test_without_one_of_the_claims_a_user_is_denied(name: str, value: object) -> None:
    claims = {**MEMBER.claims, name: frozenset(), **values_of({name: value})}
    for check in (DEMANDING.admit, DEMANDING.check_sign_in):
        with pytest.raises(Denial, match=f"because the claim `{name}` is missing or has the wrong value") as denied:
            check(replace(MEMBER, claims=claims))
        assert denied.value.error == "insufficient_scope"


def test_an_agent_that_acts_for_a_user_needs_the_claims_and_an_application_does_not() -> None:
    for agent in (Agent("agent"), None):
        with pytest.raises(Denial, match="claim `acct`"):
            DEMANDING.admit(replace(ADA, agent=agent))
    assert DEMANDING.admit(PROGRAM) is PROGRAM


@pytest.mark.parametrize(
    ("scope", "audiences", "full"),
    [
        ("access", ["app"], "access"),
        ("access", ["https://team.example.com"], "access"),
        ("access", ["app", "api://app"], "api://app/access"),
        ("access", ["api://b", "api://a"], "api://a/access"),
        ("api://other/access", ["api://app"], "api://other/access"),
    ],
)
def test_a_scope_is_requested_in_full(scope: str, audiences: list[str], full: str) -> None:
    assert full_scope(scope, audiences) == full
