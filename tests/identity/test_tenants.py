"""To which tenant of the data a caller belongs, as the roles file says it."""

from __future__ import annotations

import json
from base64 import b64encode
from typing import Any

import pytest

from identity.caller import Agent, Caller, CallerKind
from identity.claims import caller_of, values_of
from identity.platform_sign_in import _values
from identity.tenants import NO_TENANTS
from identity.tenants_file import tenants_in
from refusal import Refusal

FILE = """
roles: {Admin: {all: read}, Staff: {all: read}, Support: {all: read}}
tenants:
  claim: customer
  subjects: {ada: contoso}
  roles: {Staff: fabrikam}
  across: [Support]
"""
TENANTS = tenants_in(FILE, "roles.yaml", {}, ["Admin", "Staff", "Support"])


def person(subject: str = "bob", *roles: str, agent: Agent | None = None, **claims: str) -> Caller:
    return Caller(CallerKind.USER, "t", subject, roles=frozenset(roles), agent=agent, claims=values_of(claims))


def test_a_claim_a_role_or_a_line_for_the_subject_says_it() -> None:
    assert TENANTS.of(person(customer="contoso")) == "contoso"
    assert TENANTS.of(person("bob", "Staff")) == TENANTS.of(person("bob", "Staff", "Admin")) == "fabrikam"
    assert TENANTS.of(person("bob", "Staff", customer="fabrikam")) == "fabrikam"
    assert TENANTS.of(person("ada", "Staff", customer="else")) == "contoso"


def test_where_nothing_says_it_there_is_none() -> None:
    assert TENANTS.of(person(tenant="contoso", Customer="contoso")) == ""
    nameless = Caller(CallerKind.USER, claims=values_of({"": "contoso", "customer": "contoso"}))
    assert NO_TENANTS.of(nameless) == ""


def test_the_name_of_a_tenant_has_up_to_200_characters() -> None:
    tenants = tenants_in(f"tenants: {{roles: {{Staff: {'x' * 200}}}}}", "roles.yaml", {}, ["Staff"])
    assert tenants.of(person("bob", "Staff")) == "x" * 200


def test_who_would_belong_to_two_belongs_to_none() -> None:
    with pytest.raises(Refusal, match="several tenants"):
        TENANTS.of(person("bob", "Staff", customer="contoso"))


def test_only_a_role_crosses_and_never_an_agent_for_a_person() -> None:
    assert TENANTS.may_cross(person("bob", "Support"))
    assert not TENANTS.may_cross(person("bob", "Admin"))
    assert not TENANTS.may_cross(person("bob", "Support", agent=Agent("a")))
    assert not tenants_in("tenants: {claim: customer}", "roles.yaml", {}, []).may_cross(person("bob", "Support"))


@pytest.mark.parametrize(
    ("value", "values"),
    [
        ("contoso", {"contoso"}),
        (["contoso"], {"contoso"}),
        (["contoso", "fabrikam"], {"contoso", "fabrikam"}),
        (["contoso", "contoso"], {"contoso"}),
        (0, {"0"}),
        (True, {"true"}),
        ([str(number) for number in range(200)], {str(number) for number in range(200)}),
        ([str(number) for number in range(201)], set()),
        ("x" * 201, set()),
        (["contoso", "x" * 201], set()),
        (["contoso", None], set()),
        (["contoso", ["fabrikam"]], set()),
        (["contoso", ""], set()),
        ("a\nb", set()),
        ("", set()),
        ([], set()),
        (None, set()),
        (1.5, set()),
        ({"contoso": 1}, set()),
    ],
)
def test_of_a_claim_all_values_count_or_none(value: object, values: set[str]) -> None:
    caller = caller_of({"oid": "o", "customer": value}, "token")
    assert caller.claims.get("customer", set()) == values
    assert caller.claim("customer") == ("".join(values) if len(values) == 1 else "")


def test_a_claim_that_the_platform_repeats_has_several_values() -> None:
    entries: list[dict[str, Any]] = [
        {"typ": "customer", "val": "contoso"},
        {"typ": "customer", "val": "fabrikam"},
        {"typ": "team", "val": "a"},
        {"typ": "team", "val": "a"},
        {"typ": "number", "val": 3},
        {"typ": "http://schemas.microsoft.com/claims/authnmethodsreferences", "val": "pwd"},
        {"typ": "http://schemas.microsoft.com/claims/authnmethodsreferences", "val": "mfa"},
        {"typ": "http://schemas.microsoft.com/claims/authnclassreference", "val": "1"},
        {"typ": "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress", "val": "ada@example.net"},
        {"typ": "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/upn", "val": "ada@example.com"},
        {"typ": "odd", "val": "a"},
        {"typ": "odd", "val": None},
    ]
    principal = b64encode(json.dumps({"auth_typ": "aad", "claims": entries}).encode()).decode()
    assert _values(principal) == {
        "customer": {"contoso", "fabrikam"},
        "team": {"a"},
        "number": {"3"},
        "amr": {"pwd", "mfa"},
        "acr": {"1"},
        "email": {"ada@example.net"},
        "upn": {"ada@example.com"},
    }


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("tenants: {claims: a}", "unknown key 'claims'"),
        ("tenants: {claim: []}", "a string of 1"),
        ("tenants: {claim: [a]}", "a string of 1"),
        ("tenants: {roles: {Nobody: a}}", "unknown role 'Nobody'"),
        ("tenants: {across: [Nobody]}", "unknown role 'Nobody'"),
        ("tenants: {across: Admin}", "`- name` lines"),
        ("tenants: {subjects: {a: ''}}", "a string of 1"),
        ('tenants: {subjects: {a: "b\\n"}}', "a string of 1"),
        (f"tenants: {{roles: {{Admin: {'x' * 201}}}}}", "a string of 1 to 200 characters"),
        ("tenants: [a]", "`name: value` lines"),
    ],
)
def test_a_line_that_cannot_be_right_is_named(lines: str, words: str) -> None:
    with pytest.raises(Refusal, match=f"line 2: .*{words}"):
        tenants_in(f"# roles\n{lines}", "roles.yaml", {}, ["Admin"])
