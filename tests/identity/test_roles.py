"""The roles file: what it opens, and what is said of one that cannot be right."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from identity.access import Access
from identity.caller import Caller, CallerKind
from identity.grants import UNLIMITED, Grants
from identity.roles import Roles
from refusal import Refusal

TOOLS = {
    "azure-updates": ["search", "refresh"],
    "firewall": ["add_rule"],
    "devops-boards": ["list_items", "delete_item"],
    "devops-git": ["list_branches", "delete_branch"],
}
TOOLSETS = list(TOOLS)


def read(text: str) -> Roles:
    return Roles.read(text, "roles.yaml", TOOLS)


def user(*roles: str, scopes: tuple[str, ...] = ()) -> Caller:
    return Caller(CallerKind.USER, roles=frozenset(roles), scopes=frozenset(scopes))


def levels(roles: Roles, caller: Caller) -> dict[str, str]:
    grants = roles.grants_of(caller)
    return {name: level.label for name in TOOLSETS if (level := grants.level(name))}


def test_a_role_opens_toolsets_and_their_groups_and_the_more_exact_name_wins() -> None:
    roles = read("roles: {Dev: {devops-git: write, all: read, devops: destroy, firewall: none}}")
    assert levels(roles, user("Dev")) == {"azure-updates": "read", "devops-boards": "destroy", "devops-git": "write"}


@pytest.mark.parametrize("level", ["none", "read", "write", "destroy"])
@pytest.mark.parametrize("of_the_group", ["none", "read", "write", "destroy"])
def test_a_toolset_has_its_own_level_whatever_its_group_has(level: str, of_the_group: str) -> None:
    expected = {"devops-boards": of_the_group, "devops-git": level}
    for text in (f"devops-git: {level}, devops: {of_the_group}", f"devops: {of_the_group}, devops-git: {level}"):
        roles = read(f"roles: {{Dev: {{{text}}}}}")
        assert levels(roles, user("Dev")) == {name: one for name, one in expected.items() if one != "none"}


def test_a_pack_opens_what_goes_together_and_any_other_name_is_more_exact() -> None:
    tools: dict[str, list[str]] = {
        name: [] for name in ("policy", "roles", "documents", "translation", "azure-updates")
    }
    text = "roles: {Dev: {all: read, governance: destroy, roles: write, documentation: write, localization: none}}"
    grants = Roles.read(text, "roles.yaml", tools).grants_of(user("Dev"))
    assert {name: level.label for name in tools if (level := grants.level(name))} == {
        "policy": "destroy",
        "roles": "write",
        "azure-updates": "write",
    }


@pytest.mark.parametrize("level", ["none", "read", "write", "destroy"])
@pytest.mark.parametrize("of_the_other", ["none", "read", "write", "destroy"])
def test_of_two_packs_the_one_with_less_access_wins(level: str, of_the_other: str) -> None:
    text = f"roles: {{Dev: {{documentation: {level}, localization: {of_the_other}}}}}"
    access = Roles.read(text, "roles.yaml", {"documents": []}).grants_of(user("Dev")).level("documents")
    assert (access.label if access else "none") == min(
        level, of_the_other, key=["none", "read", "write", "destroy"].index
    )


def opened(roles: Roles, *held: str) -> set[str]:
    """Which tools these roles open as far as destroying."""
    grants = roles.grants_of(user(*held))
    return {tool for toolset, tools in TOOLS.items() for tool in tools if grants.allow(toolset, tool, Access.DESTROY)}


def test_a_tool_is_named_more_exactly_than_any_toolset() -> None:
    roles = read("roles: {Dev: {devops-git/delete_branch: none, devops: destroy, firewall/add_rule: destroy}}")
    assert opened(roles, "Dev") == {"list_items", "delete_item", "list_branches", "add_rule"}
    assert levels(roles, user("Dev")) == {"devops-boards": "destroy", "devops-git": "destroy"}
    assert roles.roles_for("devops-git", "delete_branch", Access.READ) == []
    assert roles.roles_for("firewall", "add_rule", Access.DESTROY) == ["Dev"]


@pytest.mark.parametrize(
    ("toolset", "tool", "is_named"),
    [
        ("firewall", "add_rule", True),
        ("firewall", "other", False),
        ("devops-boards", "add_rule", False),
        ("devops-git", "list_branches", False),
        ("devops-git", "delete_branch", False),
    ],
)
def test_a_tool_is_named_only_by_its_own_line_that_opens_it(toolset: str, tool: str, *, is_named: bool) -> None:
    roles = read("roles: {Dev: {devops: destroy, firewall/add_rule: read, devops-git/delete_branch: none}}")
    assert roles.grants_of(user("Dev")).name(toolset, tool) is is_named


@pytest.mark.parametrize(
    ("toolset", "is_open"),
    [("firewall", True), ("devops-git", False), ("devops-boards", True), ("azure-updates", False), ("other", False)],
)
def test_a_toolset_is_open_if_it_or_one_of_its_tools_is(toolset: str, *, is_open: bool) -> None:
    text = (
        "firewall/add_rule: read, devops-git/delete_branch: none, devops-boards: read, devops-boards/list_items: none"
    )
    assert read(f"roles: {{Dev: {{{text}}}}}").grants_of(user("Dev")).opens(toolset) is is_open


def test_a_line_of_a_tool_that_was_installed_is_that_of_each_installed_toolset() -> None:
    grants = read("external: [installed]\nroles: {A: {installed/echo: write}}").grants_of(user("A"))
    for toolset, is_open in {"installed-a": True, "installed-b": True, "install": False}.items():
        assert grants.opens(toolset) is grants.name(toolset, "echo") is is_open
        assert grants.allow(toolset, "echo", Access.WRITE) is is_open
        assert not grants.allow(toolset, "burn", Access.READ)


def test_what_one_role_makes_an_exception_of_another_may_open() -> None:
    roles = read(
        "roles: {A: {devops-git: destroy, devops-git/delete_branch: none}, B: {devops: destroy}, C: {all: read}}"
    )
    assert "delete_branch" not in opened(roles, "A")
    assert "delete_branch" not in opened(roles, "A", "C")
    assert "delete_branch" in opened(roles, "A", "B")


def test_a_tool_from_outside_may_be_named_before_it_is_there() -> None:
    roles = read("external: [github]\nroles: {A: {github/create_issue: write}}")
    grants = roles.grants_of(user("A"))
    assert grants.allow("github", "create_issue", Access.WRITE)
    assert not grants.allow("github", "create_issue", Access.DESTROY)
    assert not grants.allow("github", "list_issues", Access.READ)


def test_several_roles_open_what_any_of_them_opens() -> None:
    roles = read("roles: {A: {devops-git: read, firewall: write}, B: {devops-git: write, firewall: none}}")
    assert levels(roles, user("A", "B")) == {"devops-git": "write", "firewall": "write"}


def test_who_has_no_role_has_what_everybody_has_who_signed_in() -> None:
    roles = read("signed-in: {firewall: read}\nroles: {A: {firewall: destroy}}")
    assert levels(roles, user("Unknown")) == {"firewall": "read"}


def test_what_callers_see_is_not_cached_for_others_unless_all_see_the_same() -> None:
    roles = read("roles: {A: {firewall: destroy}}")
    for caller in (user("A"), user("Unknown")):
        assert roles.grants_of(caller).are_personal
    assert Grants(frozenset()).are_personal
    assert not UNLIMITED.are_personal


def test_a_scope_opens_toolsets_under_its_short_name() -> None:
    roles = read("scopes: {'api://app/boards': {devops-boards: write}}")
    assert levels(roles, user(scopes=("boards",))) == {"devops-boards": "write"}
    assert roles.scopes_for("devops-boards", "list_items", Access.READ) == ["api://app/boards"]
    assert roles.scopes_for("devops-boards", "list_items", Access.DESTROY) == []


def test_a_token_may_name_a_scope_in_full() -> None:
    roles = read("scopes: {'https://api.example.com/boards': {devops-boards: write}}")
    assert levels(roles, user(scopes=("https://api.example.com/boards",))) == {"devops-boards": "write"}
    assert levels(roles, user(scopes=("https://other.example.com/boards",))) == {}


def test_a_toolset_from_outside_is_opened_as_those_in_code_are_once_the_file_lists_it() -> None:
    roles = read(
        "roles: {All: {all: read}, Group: {gh: write}, One: {gh-issues: destroy}}\nexternal: [gh-issues, gh-wiki]"
    )
    assert roles.external == ("gh-issues", "gh-wiki")
    for name, opened in {
        "All": {"gh-issues": "read", "gh-wiki": "read", "gh-stray": None},
        "Group": {"gh-issues": "write", "gh-wiki": "write", "gh-stray": None},
        "One": {"gh-issues": "destroy", "gh-wiki": None, "gh-stray": None},
    }.items():
        grants = roles.grants_of(user(name))
        levels = {toolset: grants.level(toolset) for toolset in opened}
        assert {toolset: level.label if level else None for toolset, level in levels.items()} == opened
    assert roles.roles_for("gh-wiki", "x", Access.READ) == ["Group", "All"]


def test_an_empty_section_opens_nothing() -> None:
    assert levels(read("signed-in: {firewall: read}\nroles:\nscopes:"), user("A")) == {"firewall": "read"}


def test_a_role_is_no_scope_and_a_scope_no_role() -> None:
    roles = read("roles: {A: {all: destroy}}\nscopes: {b: {all: destroy}}")
    assert levels(roles, user("b", scopes=("A",))) == {}


def test_what_would_do_is_named_with_the_least_first() -> None:
    roles = read("roles: {Admin: {all: destroy}, Dev: {all: write}, Git: {devops-git: write}, Reader: {all: read}}")
    assert roles.roles_for("devops-git", "list_branches", Access.WRITE) == ["Git", "Dev", "Admin"]
    text = """
roles:
  Tools: {devops-git/list_branches: write, firewall/add_rule: write}
  Both: {devops-git: read, firewall/add_rule: read}
  Git: {devops-git: read, firewall/add_rule: none}
"""
    assert read(text).roles_for("devops-git", "list_branches", Access.READ) == ["Git", "Both", "Tools"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "roles.yaml is empty"),
        ("# nothing", "roles.yaml is empty"),
        (
            "roles:\n  A:\n    devops-bords: read",
            "line 3: unknown toolset 'devops-bords'. The toolsets are all, azure",
        ),
        ("roles:\n  A:\n    all: reed", "line 3: access must be one of none, read, write, destroy"),
        ("roles:\n  A:\n    all: [read]", "line 3: access must be one of"),
        ("roles:\n  A:\n    all:", "line 3: access must be one of"),
        ("roles:\n  A: read", "line 2: A must consist of `name: value` lines"),
        ("roles:\n  - A", "line 2: roles must consist of"),
        ("roles:\n  A:\n    all: read\n  A:\n    all: destroy", "line 4: duplicate key 'A'"),
        ("roles:\n  A: {all: read, all: write}", "line 2: duplicate key 'all'"),
        (
            "role:\n  A:\n    all: read",
            "unknown section 'role'. The sections are external, signed-in, roles, scopes",
        ),
        (
            "roles:\n  A:\n    devops-git/drop_branch: read",
            "line 3: the toolset 'devops-git' has no tool 'drop_branch'. Its tools are list_branches, delete_branch",
        ),
        ("roles:\n  A:\n    devops/list_items: read", "line 3: unknown toolset 'devops' in 'list_items'"),
        ("roles:\n  A:\n    all/list_items: read", "line 3: unknown toolset 'all'"),
        ("external: [gh]\nroles:\n  A:\n    gh/a/b: read", "line 4: 'a/b' is not a tool name"),
        ("external: {github: read}", "line 1: external must consist of `- name` lines"),
        ("external: github", "line 1: external must consist of `- name` lines"),
        ("external:\n- github\n- [x]", "line 3: '' is not a valid name"),
        ("external:\n- GitHub", "line 2: 'GitHub' is not a valid name: use lowercase words joined by hyphens"),
        (f"external: [{'x' * 41}]", "at most 40 characters"),
        ("external:\n- github\n- all", "line 3: 'all' is a reserved word"),
        ("external: [azure]", "'azure' is a reserved word"),
        ("external: [azure-change]", "'azure-change' is a reserved word"),
        ("external:\n- firewall", "line 2: 'firewall' is a built-in toolset"),
        (
            "external: [devops-wiki]",
            "'devops-wiki' would belong to the group 'devops' of the built-in toolset 'devops-boards'",
        ),
        ("external: [devops]", "'devops' would belong to the group 'devops' of the built-in toolset 'devops-boards'"),
        (
            "external: [firewall-eu]",
            "'firewall-eu' would belong to the group 'firewall' of the built-in toolset 'firewall'",
        ),
        ("external: [github, github]", "duplicate key 'github'"),
        (
            "external: [github]\nroles:\n  A:\n    githup: read",
            "line 4: unknown toolset 'githup'. The toolsets are all, azure-updates, firewall, devops-boards,"
            " devops-git, github; list other toolsets under external",
        ),
        ("- roles", "line 1: the file must consist of"),
        ("roles: {A: {all: read}", "roles.yaml, line 1: this is not YAML"),
        ("roles:\n\tA: {}", "roles.yaml, line 2: this is not YAML"),
        ("roles: *nobody", "roles.yaml, line 1: this is not YAML"),
        ("? [a]\n: b", "line 1: a name must be a word"),
        ("a\x00b", "roles.yaml is not valid YAML"),
        ("[" * 5000, "roles.yaml is not valid YAML"),
        (
            "scopes:\n  api://a/boards: {all: read}\n  api://b/boards: {all: read}",
            "line 3: two scopes end with 'boards', and a token contains only this part",
        ),
        ("roles: {}\n---\nroles: {}", "roles.yaml, line 2: this is not YAML"),
        ("#" * 200_000, "is longer than 100000 characters"),
    ],
)
def test_a_file_that_cannot_be_right_is_refused_with_the_line_at_fault(text: str, told: str) -> None:
    with pytest.raises(Refusal) as refused:
        read(text)
    assert told in str(refused.value)


@given(st.text(alphabet="roles:signed-in\n {}[]*&!?|>-'\"#,ABalredwit", max_size=200))
def test_no_text_breaks_the_reading(text: str) -> None:
    with suppress(Refusal):
        assert isinstance(read(text), Roles)


@pytest.mark.parametrize(
    ("of_one", "of_another", "level"),
    [
        ({}, {}, Access.WRITE),
        ({"firewall/add_rule": "none"}, {}, None),
        ({}, {"firewall/add_rule": "none"}, None),
        ({"firewall/add_rule": "read"}, {"firewall/add_rule": "destroy"}, Access.READ),
        ({"firewall": "none", "firewall/add_rule": "destroy"}, {}, Access.WRITE),
        ({}, {"firewall": "none", "firewall/add_rule": "read"}, Access.READ),
        ({"firewall": "none"}, {"firewall/add_rule": "read"}, None),
    ],
)
def test_of_a_tool_two_grants_have_the_lower_level_in_common(
    of_one: dict[str, str], of_another: dict[str, str], level: Access | None
) -> None:
    one = read(json.dumps({"roles": {"Dev": {"all": "destroy", **of_one}}})).grants_of(user("Dev"))
    another = read(json.dumps({"roles": {"Dev": {"all": "write", **of_another}}})).grants_of(user("Dev"))
    assert (one & another).of_tool("firewall", "add_rule") == level
    assert (another & one).of_tool("firewall", "add_rule") == level


def test_unlimited_grants_have_everything_in_common_with_others() -> None:
    some = Grants.of([("clock", Access.WRITE)])
    assert UNLIMITED & some == some & UNLIMITED == some
    assert UNLIMITED & UNLIMITED == UNLIMITED
    assert some & Grants.of([("clock", Access.READ)]) == Grants.of([("clock", Access.READ)])
