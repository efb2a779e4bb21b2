"""Who acts: a person, an agent for a person, or an agent for itself. What tokens say of it is read strictly."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clients.azure_devops.reach import EVERYTHING, DevOpsReach, ReachLock
from identity.access import Access
from identity.admission import Admission
from identity.caller import Acting, Agent, Caller, CallerKind
from identity.claims import OF_AGENTS, caller_of
from identity.denial import Denial
from identity.platform_sign_in import PlatformSignIn
from identity.roles import Roles
from refusal import Refusal
from tests.fakes.issuer import CLIENT, SCOPE, TENANT, USER, Issuer
from tests.identity.agents import (
    ACCOUNT,
    AGENT,
    BLUEPRINT,
    BY_ITS_ACCOUNT,
    FOR_A_PERSON,
    FOR_ITSELF,
    OTHER_AGENT,
    PERSON,
    Claims,
    with_claims,
)
from tests.identity.agents_told_apart import BAD, GOOD, both_versions
from tests.identity.denials import denied
from tests.identity.forging import bearing
from tests.identity.principals import principal_headers

pytestmark = pytest.mark.anyio

TOOLS = {"notes": ["find", "write", "burn"], "doors": ["look", "open", "brick_up"]}
ROLES = """
signed-in: {notes: read}
roles:
  Reader: {all: read}
  Writer: {notes: write, notes/burn: none, doors: read}
  Admin: {all: destroy}
scopes:
  api://app/doors: {doors: write}
"""
# Of what agents may do for people: nothing said, everything, less for all and more for one, and single tools.
AGENTS = [
    "",
    "agents: {for-people: {all: destroy}}",
    f"agents: {{for-people: {{notes: read}}, {AGENT}: {{all: write}}}}",
    "agents: {for-people: {notes: destroy, notes/write: none, doors/open: write}}",
]


def roles_with(agents: str = "") -> Roles:
    return Roles.read(ROLES + agents, "roles.yaml", TOOLS)


def opened(roles: Roles, caller: Caller) -> set[tuple[str, Access]]:
    grants = roles.grants_of(caller)
    names = [(toolset, tool) for toolset, tools in TOOLS.items() for tool in tools]
    return {(tool, access) for (toolset, tool), access in product(names, Access) if grants.allow(toolset, tool, access)}


each_good = pytest.mark.parametrize(("claims", "acts"), GOOD.values(), ids=GOOD)
each_bad = pytest.mark.parametrize(("claims", "reason"), BAD.values(), ids=BAD)


@both_versions
@each_good
def test_a_sign_in_tells_who_acts(claims: Claims, acts: Acting, write: Any) -> None:
    caller = caller_of(write(claims), "token")
    assert caller.acts is acts
    assert caller.is_person is caller.can_agree is (acts is Acting.PERSON)
    is_agents = acts in {Acting.FOR_A_PERSON, Acting.AGENT}
    assert caller.agent == (Agent(AGENT) if is_agents else None)


@both_versions
@each_bad
def test_what_is_wrong_of_an_agent_is_refused(claims: Claims, reason: str, write: Any) -> None:
    with pytest.raises(Denial, match=reason) as refused:
        caller_of(write(claims), "token")
    assert refused.value.status == 401
    assert len(str(refused.value)) < 200


def test_who_acts_is_named_with_its_blueprint_by_which_nothing_is_decided() -> None:
    caller = caller_of(FOR_A_PERSON, "token")
    assert caller.agent is not None
    assert (caller.agent.id, caller.agent.blueprint) == (AGENT, BLUEPRINT)
    assert caller.agent == Agent(AGENT, "another")
    assert (caller.subject, caller_of(BY_ITS_ACCOUNT, "token").subject) == (USER, ACCOUNT)


def test_an_agent_is_the_same_in_capitals() -> None:
    assert caller_of(with_claims(FOR_A_PERSON, azp=AGENT.upper()), "").agent == Agent(AGENT)


def test_an_agent_for_a_person_is_counted_and_remembered_apart_from_them() -> None:
    people = [caller_of(claims, "") for claims in (PERSON, with_claims(PERSON, azp=AGENT), FOR_A_PERSON)]
    assert people[0].person == people[1].person != people[2].person
    assert len({caller.principal for caller in people}) == len(people)


def platform(claims: Claims) -> dict[str, str]:
    entries = [{"typ": name, "val": value} for name, value in claims.items()]
    return principal_headers({"auth_typ": "aad", "claims": entries, "name_typ": "name", "role_typ": "roles"})


PLATFORM = PlatformSignIn(Admission.of([], SCOPE, [TENANT]), is_on=True)
OFFLINE = Issuer("https://login.example.com")


@each_good
async def test_app_service_tells_who_acts(claims: Claims, acts: Acting) -> None:
    roles = {"roles": "Reader"} if "scp" not in claims else {}
    assert (await PLATFORM.caller(platform(claims | roles))).acts is acts


@each_bad
async def test_what_app_service_passes_of_an_agent_is_read_as_strictly(claims: Claims, reason: str) -> None:
    assert reason in str(await denied(PLATFORM.caller(platform(claims))))


LEFT_OUT = {
    "who acts": ["xms_act_fct"],
    "the subject": ["xms_sub_fct"],
    "all facets": ["xms_act_fct", "xms_sub_fct"],
    "all that tells of agents": [*OF_AGENTS],
}


@pytest.mark.parametrize("claims", [FOR_A_PERSON, BY_ITS_ACCOUNT], ids=["for a person", "by its account"])
@pytest.mark.parametrize("names", LEFT_OUT.values(), ids=LEFT_OUT)
async def test_what_app_service_leaves_out_makes_nobody_a_person(claims: Claims, names: list[str]) -> None:
    """The token itself still says it."""
    header = platform(with_claims(claims, **dict.fromkeys(names)))
    token = OFFLINE.sign(claims)
    caller = await PLATFORM.caller({**header, **bearing(token)})
    assert caller.acts is caller_of(claims, token).acts
    kept = await PLATFORM.caller({**header, "x-ms-token-aad-access-token": token})
    assert kept.acts is caller.acts


async def test_a_token_that_says_nothing_of_agents_takes_away_nothing_that_app_service_said() -> None:
    token = OFFLINE.sign(PERSON)
    assert (await PLATFORM.caller({**platform(FOR_A_PERSON), **bearing(token)})).acts is Acting.FOR_A_PERSON


async def test_an_access_token_may_say_more_than_the_sign_in_of_a_browser() -> None:
    token = OFFLINE.sign(with_claims(PERSON, xms_sub_fct="3", xms_act_fct="3 9"))
    browser = with_claims(PERSON, scp=None, azp=None)
    caller = await PLATFORM.caller({**platform(browser), "x-ms-token-aad-access-token": token})
    assert caller.is_person


@pytest.mark.parametrize("name", OF_AGENTS[:3])
async def test_app_service_and_the_token_that_differ_about_agents_are_refused(name: str) -> None:
    token = OFFLINE.sign(FOR_A_PERSON)
    other = with_claims(FOR_A_PERSON, **{name: "3 7"})
    assert "not belong to the signed-in caller" in str(
        await denied(PLATFORM.caller({**platform(other), **bearing(token)}))
    )


async def test_an_agent_needs_the_scope_that_a_browser_does_not() -> None:
    denial = await denied(PLATFORM.caller(platform(with_claims(FOR_A_PERSON, scp=None))))
    assert denial.status == 401


# --- what each may do


def test_for_a_person_an_agent_may_do_what_they_may_and_asks_before_each_change() -> None:
    roles, admin = roles_with(), {"roles": ["Admin"]}
    person, agent = caller_of(PERSON | admin, ""), caller_of(FOR_A_PERSON | admin, "")
    assert len(opened(roles, person)) == 18
    assert opened(roles, agent) == opened(roles, person)
    assert roles.has_to_ask(agent)
    assert not roles.has_to_ask(person)


def test_an_agent_need_not_ask_only_where_its_line_says_so() -> None:
    for line, has_to_ask in (
        ("{all: write}", True),
        ("{all: write, changes: asked}", True),
        ("{all: write, changes: unasked}", False),
    ):
        roles = roles_with(f"agents: {{{AGENT.upper()}: {line}}}")
        assert roles.has_to_ask(caller_of(FOR_A_PERSON, "")) is has_to_ask
        assert roles.has_to_ask(caller_of(with_claims(FOR_A_PERSON, azp=OTHER_AGENT), ""))
    all_others = roles_with(f"agents: {{for-people: {{changes: unasked}}, {AGENT}: {{all: read}}}}")
    assert all_others.has_to_ask(caller_of(FOR_A_PERSON, ""))
    assert not all_others.has_to_ask(caller_of(with_claims(FOR_A_PERSON, azp=OTHER_AGENT), ""))
    assert not all_others.has_to_ask(caller_of(FOR_ITSELF, ""))
    with pytest.raises(Refusal, match="changes of an agent must be one of asked, unasked"):
        roles_with(f"agents: {{{AGENT}: {{changes: never}}}}")


def test_for_itself_an_agent_may_do_what_its_roles_say_and_nothing_that_is_for_all_people() -> None:
    roles = roles_with()
    for claims in (FOR_ITSELF, BY_ITS_ACCOUNT):
        assert opened(roles, caller_of(claims, "")) == set()
        reader = caller_of({**claims, "roles": ["Reader"]}, "")
        assert {access for _, access in opened(roles, reader)} == {Access.READ}


def test_no_scope_opens_anything_to_an_account_of_an_agent() -> None:
    scoped = {"scp": f"{SCOPE} doors"}
    assert ("open", Access.WRITE) in opened(roles_with(), caller_of(PERSON | scoped, ""))
    assert opened(roles_with(), caller_of(BY_ITS_ACCOUNT | scoped, "")) == set()


def test_one_agent_may_be_given_more_for_people_than_all_others() -> None:
    roles = roles_with(AGENTS[2])
    writer = {"roles": ["Writer"]}
    assert ("write", Access.WRITE) in opened(roles, caller_of(FOR_A_PERSON | writer, ""))
    other = caller_of(with_claims(FOR_A_PERSON, azp=OTHER_AGENT) | writer, "")
    assert opened(roles, other) == {(tool, Access.READ) for tool in TOOLS["notes"]}
    # As its own line says, and not as that of all others says besides.
    less = roles_with(f"agents: {{for-people: {{all: destroy}}, {AGENT.upper()}: {{notes: read}}}}")
    assert opened(less, caller_of(FOR_A_PERSON | {"roles": ["Admin"]}, "")) == {
        (tool, Access.READ) for tool in TOOLS["notes"]
    }


def test_an_agent_reaches_no_further_than_both_it_and_its_person_do() -> None:
    file = """
roles:
  Web: {all: destroy, reach: {projects: [Web, Shop]}}
  Wide: {all: read}
agents: {for-people: {all: write, reach: {projects: [Shop, Bakery]}}}
"""
    roles = Roles.read(file, "roles.yaml", TOOLS)
    agent = roles.grants_of(caller_of(FOR_A_PERSON | {"roles": ["Web", "Wide"]}, ""))
    person = roles.grants_of(caller_of(PERSON | {"roles": ["Web", "Wide"]}, ""))
    web, most = ReachLock(projects=frozenset({"Web", "Shop"})), ReachLock(projects=frozenset({"Shop", "Bakery"}))
    assert person.reach("notes", "find", Access.READ).is_everything
    # To read, all that the agent may reach, because one role of the person reaches everything.
    assert agent.reach("notes", "find", Access.READ) == DevOpsReach.within(most) | DevOpsReach.within(web, most)
    assert agent.reach("notes", "find", Access.WRITE) == DevOpsReach.within(web, most)
    assert not agent.allow("notes", "burn", Access.DESTROY)


WEB = ReachLock(projects=frozenset({"Web"}))


@pytest.mark.parametrize(
    ("of_person", "of_agents", "reach"),
    [
        ("{all: read}", "{all: read}", EVERYTHING),
        ("{all: read, reach: {projects: [Web]}}", "{all: read}", DevOpsReach.within(WEB)),
        ("{all: read}", "{all: read, reach: {projects: [Web]}}", DevOpsReach.within(WEB)),
    ],
)
def test_a_reach_of_the_person_alone_or_of_agents_alone_limits(
    of_person: str, of_agents: str, reach: DevOpsReach
) -> None:
    roles = Roles.read(f"roles: {{A: {of_person}}}\nagents: {{for-people: {of_agents}}}", "r", TOOLS)
    grants = roles.grants_of(caller_of(FOR_A_PERSON | {"roles": ["A"]}, ""))
    assert grants.reach("notes", "find", Access.READ) == reach


@pytest.mark.parametrize(
    ("agents", "is_named"),
    [
        ("", False),
        ("agents: {for-people: {all: destroy}}", False),
        (f"agents: {{{AGENT}: {{notes: destroy}}}}", False),
        ("agents: {for-people: {all: read, notes/find: read}}", True),
        (f"agents: {{{AGENT}: {{notes/find: read}}}}", True),
    ],
)
def test_what_gives_secrets_an_agent_has_only_if_a_line_of_agents_names_it_too(agents: str, is_named: bool) -> None:
    roles = Roles.read("roles: {A: {all: destroy, notes/find: read}}\n" + agents, "r", TOOLS, [("notes", "find")])
    grants = [roles.grants_of(caller_of(claims | {"roles": ["A"]}, "")) for claims in (PERSON, FOR_A_PERSON)]
    assert [one.name("notes", "find") for one in grants] == [True, is_named]
    assert grants[1].allow("notes", "find", Access.READ) is is_named


def test_those_who_may_do_the_same_share_a_view() -> None:
    roles = roles_with()
    grants = [roles.grants_of(caller_of(FOR_A_PERSON | {"oid": f"o{number}"}, "")) for number in range(3)]
    others = [roles.grants_of(caller_of(with_claims(FOR_A_PERSON, azp=f"agent-{n}"), "")) for n in range(3)]
    assert len({*grants, *others}) == 1
    assert grants[0].are_personal


def test_toolsets_from_outside_are_used_for_people_where_they_are_listed() -> None:
    roles = Roles.read("external: [weather]\nroles: {A: {all: write}}", "roles.yaml", TOOLS)
    grants = roles.grants_of(caller_of(FOR_A_PERSON | {"roles": ["A"]}, ""))
    assert (grants.level("weather"), grants.level("hail")) == (Access.WRITE, None)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("agents: {everybody: {all: read}}", "line 1: 'everybody' must be for-people or the application"),
        ("agents:\n  for-people: {all: often}", "line 2: access must be one of"),
        (f"agents:\n  {AGENT}: {{nope: read}}", "line 2: unknown toolset 'nope'"),
        (f"agents:\n  {AGENT}: {{all: read}}\n  {AGENT.upper()}: {{all: write}}", "line 3: duplicate key .*"),
        ("agents: [for-people]", "line 1: agents must consist of"),
        (f"agents:\n  '{AGENT} ': {{all: read}}", "line 2: .* must be"),
    ],
)
def test_a_mistake_in_what_agents_may_do_is_told_with_its_line(text: str, told: str) -> None:
    with pytest.raises(Refusal, match=told):
        Roles.read(text, "roles.yaml", TOOLS)


# --- whatever a token says

texts = st.one_of(
    st.sampled_from(["11", "13", "3", "11 13", "9 11 3", "13 3", "", "x", "011", "110", " 11", "1 1"]),
    st.text(alphabet="0139 ,\u0661x", max_size=6),
    st.none(),
    st.integers(0, 20),
    st.lists(st.sampled_from(["11", "13"]), max_size=2),
)
any_claims = st.fixed_dictionaries(
    {"oid": st.sampled_from([USER, ACCOUNT, CLIENT, AGENT])},
    optional={
        "sub": st.sampled_from(["pairwise", CLIENT, AGENT, ACCOUNT]),
        "idtyp": st.sampled_from(["user", "app", "agent", ""]),
        "scp": st.sampled_from([SCOPE, f"{SCOPE} doors"]),
        "azp": st.sampled_from([CLIENT, AGENT, BLUEPRINT, AGENT.upper()]),
        "appid": st.sampled_from([CLIENT, AGENT]),
        "roles": st.lists(st.sampled_from(["Reader", "Writer", "Admin", "agents", "for-people"]), max_size=3),
        "xms_act_fct": texts,
        "xms_sub_fct": texts,
        "xms_par_app_azp": st.sampled_from([BLUEPRINT, AGENT, ""]),
        "XMS_ACT_FCT": st.just("11"),
        "act": st.sampled_from([{"sub": AGENT}, {}, "x", None]),
    },
)


def read(claims: Claims) -> Caller | None:
    try:
        return caller_of(claims, "token")
    except Denial:
        return None


@given(any_claims)
def test_nothing_but_a_persons_own_sign_in_agrees_to_anything(claims: Claims) -> None:
    caller = read(claims)
    if caller is None or not (caller.is_person or caller.can_agree):
        return
    assert caller.kind is CallerKind.USER
    assert claims.get("idtyp", "user") == "user"
    numbers = [int(number) for name in OF_AGENTS[:2] for number in claims.get(name, "").split()]
    assert not {11, 13} & {*numbers}
    assert not {"xms_par_app_azp", "act"} & claims.keys()


@given(any_claims, st.sampled_from(AGENTS))
def test_what_tells_of_an_agent_only_takes_away(claims: Claims, agents: str) -> None:
    roles = roles_with(agents)
    caller = read(claims)
    without = read({name: value for name, value in claims.items() if name.lower() not in OF_AGENTS})
    if caller is None:
        return
    assert without is not None
    assert opened(roles, caller) <= opened(roles, without)
    if caller.agent:
        assert not caller.can_agree
