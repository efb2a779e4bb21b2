"""Roles that reach for some organizations, projects and repositories only."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clients.azure_devops.reach import EVERYTHING, NOTHING, DevOpsReach, ReachLock
from identity.access import Access
from identity.caller import Caller, CallerKind
from identity.grants import UNLIMITED, Grants
from identity.roles import Roles
from refusal import Refusal

TOOLSETS = {"devops-git": ["list", "push"], "devops-wiki": ["read"], "firewall": ["new"]}


def grants(text: str, *roles: str) -> Grants:
    return Roles.read(text, "roles.yaml", TOOLSETS).grants_of(Caller(CallerKind.USER, roles=frozenset(roles)))


WEB_AND_ALL = """
roles:
  Writer:
    devops-git: write
    reach: {projects: [Web], organizations: [acme]}
  Reader:
    all: read
"""


def test_a_role_reaches_for_what_it_opens_itself() -> None:
    both = grants(WEB_AND_ALL, "Writer", "Reader")
    web = DevOpsReach.within(ReachLock(frozenset({"acme"}), frozenset({"Web"})))
    assert both.reach("devops-git", "push", Access.WRITE) == web
    assert both.reach("devops-git", "list", Access.READ) == EVERYTHING
    assert both.reach("devops-wiki", "read", Access.READ) == EVERYTHING
    assert grants(WEB_AND_ALL, "Writer").reach("devops-git", "list", Access.READ) == web


def test_what_is_not_opened_reaches_nowhere() -> None:
    assert grants(WEB_AND_ALL, "Writer").reach("devops-wiki", "read", Access.READ) == NOTHING
    assert grants(WEB_AND_ALL, "Reader").reach("devops-git", "push", Access.WRITE) == NOTHING
    assert UNLIMITED.reach("devops-git", "push", Access.DESTROY) == EVERYTHING


def test_a_single_tool_reaches_as_its_own_role_does() -> None:
    text = "roles:\n  A:\n    devops-git/push: write\n    reach: {projects: [Web]}\n  B:\n    devops-git: read\n"
    both = grants(text, "A", "B")
    assert both.reach("devops-git", "push", Access.WRITE) == DevOpsReach.within(ReachLock(None, frozenset({"Web"})))
    assert both.reach("devops-git", "push", Access.READ) == EVERYTHING


def test_a_reach_that_two_grants_have_in_common_is_that_of_the_access_in_common() -> None:
    web = grants("roles: {A: {devops-git: write, reach: {projects: [Web]}}}", "A")
    text = "roles: {A: {devops-git: write, reach: {projects: [Shop]}}, B: {devops-git: read}}"
    shop_or_read = grants(text, "A", "B")
    locks = [ReachLock(projects=frozenset({name})) for name in ("Web", "Shop")]
    in_both, in_web = DevOpsReach.within(*locks), DevOpsReach.within(locks[0])
    for both in (web & shop_or_read, shop_or_read & web):
        assert both.reach("devops-git", "push", Access.WRITE) == in_both
        assert both.reach("devops-git", "push", Access.READ) == in_both | in_web


def test_who_has_signed_in_and_scopes_may_have_a_reach_too() -> None:
    text = "signed-in:\n  all: read\n  reach: {repositories: [Web/oven]}\nscopes:\n  api://x/y:\n    all: read\n"
    reach = DevOpsReach.within(ReachLock(None, None, frozenset({"Web/oven"})))
    assert grants(text).reach("devops-git", "list", Access.READ) == reach


@pytest.mark.parametrize(
    ("reach", "told"),
    [
        ("all", "line 4: reach must consist of `name: value` lines"),
        ("{}", "line 4: reach is empty"),
        ("{teams: [x]}", "line 4: unknown key 'teams' in reach. Valid: organizations, projects, repositories"),
        ("{projects: Web}", "line 4: projects must be a non-empty list"),
        ("{projects: []}", "line 4: projects must be a non-empty list"),
        ("{projects: [[Web]]}", "line 4: projects must be a list of names or ids"),
        ("{projects: ['']}", "line 4: projects: a name is missing"),
        ("{projects: [a/b/c]}", "line 4: projects: a name can have at most 2 parts"),
        ("{repositories: [a/b/c, a/b/c/d]}", "line 4: repositories: a name can have at most 3 parts"),
        ("{organizations: [a/b]}", "line 4: organizations: a name cannot contain a slash"),
        ('{projects: ["a\\u202eb"]}', "line 4: projects: a name .* invisible characters"),
    ],
)
def test_a_reach_that_cannot_be_right_is_told_by_its_line(reach: str, told: str) -> None:
    with pytest.raises(Refusal, match=told.replace("[", r"\[")):
        grants(f"roles:\n  A:\n    all: read\n    reach: {reach}\n")


def test_no_toolset_from_outside_is_called_so() -> None:
    with pytest.raises(Refusal, match="is a reserved word"):
        grants("external: [reach]\nroles:\n  A:\n    all: read\n")


names = st.sets(st.sampled_from("abc"), min_size=1).map(frozenset)
reaches = st.lists(st.builds(ReachLock, st.none() | names, st.none() | names), min_size=1, max_size=3).map(
    lambda locks: DevOpsReach(frozenset(frozenset({lock}) for lock in locks))
)


def admits(reach: DevOpsReach, organization: str, project: str) -> bool:
    return any(
        all(
            lock.admits_organization([organization]) and (lock.projects is None or project in lock.projects)
            for lock in all_of
        )
        for all_of in reach.alternatives
    )


@given(reaches, reaches, st.sampled_from("abc"), st.sampled_from("abc"))
def test_both_reaches_hold_and_either_opens(
    one: DevOpsReach, other: DevOpsReach, organization: str, project: str
) -> None:
    place = organization, project
    assert admits(one & other, *place) == (admits(one, *place) and admits(other, *place))
    assert admits(one | other, *place) == (admits(one, *place) or admits(other, *place))
    assert admits(one.of_organization([organization]), *place) == admits(one, *place)
