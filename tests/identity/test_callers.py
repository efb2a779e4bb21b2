"""Who somebody is, and what of a sign-in makes no difference and is told to nobody."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest

from identity.caller import Acting, Agent, Caller, CallerKind
from identity.claims import caller_of

ADA = Caller(CallerKind.USER, "home", "ada", "desk", "issuer")
OTHERS: dict[str, Any] = {
    "kind": CallerKind.APP,
    "tenant": "office",
    "subject": "grace",
    "client": "phone",
    "issuer": "another",
    "roles": frozenset({"Reader"}),
    "scopes": frozenset({"access"}),
    "agent": Agent("agent"),
    "is_agents_account": True,
}
BESIDES: dict[str, Any] = {
    "token": "a.b.marked",
    "token_id": "one",
    "name": "Ada",
    "claims": {"dept": frozenset({"marked"})},
    "signed_in_at": 5.0,
}


def test_every_field_is_one_or_the_other() -> None:
    assert {field.name for field in fields(Caller)} == {*OTHERS, *BESIDES}


@pytest.mark.parametrize("name", OTHERS)
def test_who_differs_in_this_is_another_caller(name: str) -> None:
    assert replace(ADA, **{name: OTHERS[name]}) != ADA


@pytest.mark.parametrize("name", BESIDES)
def test_who_differs_in_this_is_the_same_caller(name: str) -> None:
    same = replace(ADA, **{name: BESIDES[name]})
    assert same == ADA
    assert hash(same) == hash(ADA)
    assert "marked" not in repr(same)


def test_an_agent_is_who_it_is_by_whichever_blueprint() -> None:
    assert Agent("agent", "one") == Agent("agent", "another") != Agent("other", "one")


@pytest.mark.parametrize(
    ("changed", "acts", "can_agree"),
    [
        ({}, Acting.PERSON, True),
        ({"kind": CallerKind.ANONYMOUS}, Acting.ANONYMOUS, True),
        ({"kind": CallerKind.KEY}, Acting.KEY, True),
        ({"kind": CallerKind.APP}, Acting.APPLICATION, False),
        ({"agent": Agent("agent")}, Acting.FOR_A_PERSON, False),
        ({"agent": Agent("agent"), "is_agents_account": True}, Acting.AGENT, False),
        ({"agent": Agent("agent"), "kind": CallerKind.APP}, Acting.AGENT, False),
    ],
)
def test_who_acts_and_whether_a_person_can_agree(changed: dict[str, Any], acts: Acting, can_agree: bool) -> None:
    caller = replace(ADA, **changed)
    assert (caller.acts, caller.is_person, caller.can_agree) == (acts, acts is Acting.PERSON, can_agree)


def test_a_caller_is_the_same_person_with_any_client() -> None:
    phone = replace(ADA, client="phone")
    assert phone.person == ADA.person
    assert phone.principal != ADA.principal


@pytest.mark.parametrize("name", ["kind", "tenant", "subject", "issuer", "agent"])
def test_who_differs_in_this_is_another_person(name: str) -> None:
    other = replace(ADA, **{name: OTHERS[name]})
    assert other.person != ADA.person
    assert other.principal != ADA.principal


@pytest.mark.parametrize(
    ("claims", "kind"),
    [
        ({"sub": "app", "azp": "app"}, CallerKind.APP),
        ({"sub": "app", "appid": "app"}, CallerKind.APP),
        ({"sub": "principal", "oid": "principal", "azp": "app"}, CallerKind.APP),
        ({"sub": "principal", "oid": "principal"}, CallerKind.USER),
        ({"sub": "pairwise", "oid": "ada", "azp": "app"}, CallerKind.USER),
        ({"oid": "ada", "azp": "app"}, CallerKind.USER),
        ({"oid": "app", "azp": "app"}, CallerKind.USER),
        ({"sub": "app", "azp": "app", "scp": "access"}, CallerKind.USER),
        ({"sub": "app", "azp": "app", "idtyp": "user"}, CallerKind.USER),
        ({"sub": "pairwise", "oid": "ada", "azp": "app", "idtyp": "app"}, CallerKind.APP),
    ],
)
def test_an_application_is_told_apart_without_a_claim_of_its_kind(claims: dict[str, str], kind: CallerKind) -> None:
    caller = caller_of(claims, "a.b.c")
    assert (caller.kind, caller.token) == (kind, "a.b.c" if kind is CallerKind.USER else "")


NAMES = ["preferred_username", "upn", "unique_name", "email", "name"]


@pytest.mark.parametrize("first", range(len(NAMES)))
def test_a_person_is_shown_by_the_first_of_their_names(first: int) -> None:
    claims = {"sub": "ada", **{name: f"by {name}" for name in reversed(NAMES[first:])}}
    assert caller_of(claims, "").name == f"by {NAMES[first]}"
    assert caller_of(claims | {NAMES[first]: ["Ada"]}, "").name == (f"by {NAMES[first + 1]}" if first < 4 else "")
