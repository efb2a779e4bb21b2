"""Queries of one's own, confined to projects, and addresses read for the project into which they lead."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clients.azure_devops.confinement.addresses import OrganizationAddresses
from clients.azure_devops.confinement.wiql import confined
from clients.azure_devops.organization import Organization
from refusal import Refusal

AMONG = "[System.TeamProject] IN ('Web', 'Zoë''s')"


def within(query: str) -> str:
    return confined(query, ["Web", "Zoë's"], lambda name: name.lower() in {"web", "zoë's"})


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT [System.Id] FROM WorkItems", "SELECT [System.Id] FROM WorkItems WHERE AMONG"),
        (
            "select [a] from workitems where [b] = 'x' or [c] = 'where' order by [d] asc asof '2020-01-01'",
            "select [a] from workitems WHERE AMONG AND ([b] = 'x' or [c] = 'where') order by [d] asc asof '2020-01-01'",
        ),
        ("SELECT [from] FROM WorkItems", "SELECT [from] FROM WorkItems WHERE AMONG"),
        (
            "SELECT [a] FROM WorkItems WHERE TeamProject = 'Zoë''s' AND State = 'Vault' OR [Team Project] ="
            " \"Zoë's\" OR State = 'Vault'",
            "SELECT [a] FROM WorkItems WHERE AMONG AND (TeamProject = 'Zoë''s' AND State = 'Vault' OR [Team Project] ="
            " \"Zoë's\" OR State = 'Vault')",
        ),
        ("SELECT [a] FROM WorkItems ASOF '2020-01-01'", "SELECT [a] FROM WorkItems WHERE AMONG ASOF '2020-01-01'"),
        ("SELECT [a] FROM WorkItems ORDER BY [d]", "SELECT [a] FROM WorkItems WHERE AMONG ORDER BY [d]"),
        (
            "SELECT [a] FROM WorkItems WHERE [System.AreaPath] UNDER 'web\\x' AND [t] = 'it''s (Vault\\'",
            "SELECT [a] FROM WorkItems WHERE AMONG AND ([System.AreaPath] UNDER 'web\\x' AND [t] = 'it''s (Vault\\')",
        ),
        (
            "SELECT [a] FROM WorkItemLinks WHERE ([Source].[b] = 'x') AND ([Target].[c] <> '') MODE (MustContain)",
            "SELECT [a] FROM WorkItemLinks WHERE Source.AMONG AND Target.AMONG AND (([Source].[b] = 'x') AND"
            " ([Target].[c] <> '')) MODE (MustContain)",
        ),
    ],
)
def test_a_query_finds_only_what_is_within(query: str, expected: str) -> None:
    assert within(query) == expected.replace("AMONG", AMONG)


@pytest.mark.parametrize(
    "query",
    [
        "",
        "DELETE FROM WorkItems",
        "SELECT [a]",
        "SELECT [a] FROM",
        "SELECT [a] FROM Vault",
        "SELECT [a] FROM WorkItems WHERE [b] = from",
        "SELECT [a] FROM WorkItems WHERE [b] = 1) OR ([b] = 1",
        "SELECT [a] FROM WorkItems WHERE ([b] = 1",
        "SELECT [a] FROM WorkItems WHERE [b] = 'x",
        "SELECT [a] FROM WorkItems, WorkItemLinks",
        "SELECT [a] FROM WorkItems WHERE [b] = 1 -- '\n; SELECT",
        "SELECT [a] FROM WorkItems WHERE EVER [b] = 'x'",
        "SELECT [a] FROM WorkItems WHERE [System.TeamProject] = 'Vault'",
        "SELECT [a] FROM WorkItems WHERE [ system.teamproject ] <> 'Vault'",
        "SELECT [a] FROM WorkItems WHERE [Team Project] IN ('Web', 'Vault')",
        'SELECT [a] FROM WorkItems WHERE System.TeamProject = "Vault"',
        "SELECT [a] FROM WorkItemLinks WHERE [Target].[System.TeamProject] = 'Vault'",
        "SELECT [a] FROM WorkItemLinks WHERE Target.System.AreaPath UNDER 'Vault\\x'",
        "SELECT [a] FROM WorkItems WHERE [Iteration Path] UNDER 'Vault'",
        "SELECT [a] FROM WorkItems WHERE [System.IterationPath] UNDER 'Vault'",
        "SELECT [a] FROM WorkItems WHERE [System.AreaId] = 7",
        "SELECT [a] FROM WorkItems WHERE [Area ID] = 7",
        "SELECT [a] FROM WorkItems WHERE [System.IterationId] = 7",
        "SELECT [a] FROM WorkItems WHERE [Iteration ID] = 7",
        "SELECT [a] FROM WorkItems WHERE AreaId = 7",
        "SELECT [a] FROM WorkItems WHERE [b] = @CurrentIteration('[Vault]\\Team')",
        "SELECT [a] FROM WorkItems WHERE [b] \u2018x\u2019",
        "SELECT [a]\u00a0FROM WorkItems",
        "SELECT [a] FROM\u200bWorkItems",
        "SELECT [a] FROM WorkItems\u2028WHERE [b] = 1",
        "SELECT [a] FROM WorkItems\x1cWHERE [b] = 1",
        "SELECT [a] FROM WorkItems WHERE [System.Team\ufeffProject] = 'Vault'",
        "SELECT [a] FROM WorkItems WHERE [b] = 'x\0' OR [b] = 1",
        "SELECT [a] FROM WorkItems WHERE [b] = \u0661",
    ],
)
def test_a_query_that_reaches_further_is_refused(query: str) -> None:
    with pytest.raises(Refusal):
        within(query)


@given(st.text("SELECT FROMWorkItems WHERE()[]'\"=.,ab", max_size=60))
def test_whatever_is_asked_the_own_conditions_stay_in_their_brackets(rest: str) -> None:
    try:
        found = within("SELECT [a] FROM WorkItems WHERE REST".replace("REST", rest))
    except Refusal:
        return
    assert f"WHERE {AMONG}" in found


@pytest.mark.parametrize(
    ("text", "project"),
    [
        ("https://dev.azure.com/acme/Vault/_git/safe", "Vault"),
        ("https://DEV.azure.com/ACME/a%20b/_apis/build/builds/1", "a b"),
        ("https://vsrm.dev.azure.com/acme/Vault/_release", "Vault"),
        ("https://acme.visualstudio.com/Vault", "Vault"),
        ("https://acme.vsrm.visualstudio.com/Vault/_release", "Vault"),
        ("https://acme.visualstudio.com/DefaultCollection/Vault/_git/x", "Vault"),
        ("https://me@dev.azure.com/acme/Vault/_git/safe", "Vault"),
        ("git@ssh.dev.azure.com:v3/acme/Vault/safe", "Vault"),
        ("ssh://git@ssh.dev.azure.com/v3/ACM%45/a%20b/safe", "a b"),
        ("git@ssh.dev.azure.com:v3/beta/Vault/safe", None),
        ("acme@vs-ssh.visualstudio.com:v3/acme/Vault/safe", "Vault"),
        ("vstfs:///Git/PullRequestId/v1%2Fr1%2F7", "v1"),
        ("vstfs:///Git/Commit/v1/r1/abc", "v1"),
        ("vstfs:///Classification/TeamProject/v1\\Team", "v1"),
        ("vstfs:///Git/Commit/", "\0"),
        ("abcdefg://dev.azure.com/acme/Vault", "Vault"),
        ("abcdefgh://dev.azure.com/acme/Vault", None),
        ("https://dev.azure.com/acme/_apis/wit/workItems/5", None),
        ("https://dev.azure.com/acme", None),
        ("https://dev.azure.com", None),
        ("https://dev.azure.com/beta/Vault", None),
        ("https://evil-dev.azure.com/acme/Vault", None),
        ("https://acme.visualstudio.com", None),
        ("https://acmeother.visualstudio.com/Vault", None),
        ("https://acme.example.com/Vault", None),
        ("https:///acme/Vault", None),
        ("https://[/acme/Vault", None),
        ("https://example.com/acme/Vault", None),
        ("Vault", None),
    ],
)
def test_an_address_says_into_which_project_it_leads(text: str, project: str | None) -> None:
    assert OrganizationAddresses(Organization.at("https://dev.azure.com/acme")).project_in(text) == project


@pytest.mark.parametrize(
    ("text", "repository"),
    [
        ("https://dev.azure.com/acme/Web/_git/a%20door?path=/x", "a door"),
        ("https://dev.azure.com/acme/w1/_apis/git/repositories/r1/pullRequests/7", "r1"),
        ("git@ssh.dev.azure.com:v3/acme/Web/door", "door"),
        ("ssh://git@ssh.dev.azure.com/v3/acme/Web/a%20door", "a door"),
        ("vstfs:///Git/Ref/w1%2Fr1%2FGBmain", "r1"),
        ("vstfs:///Git/Ref/w1%2Fr1", "r1"),
        ("vstfs:///Git/Ref/w1", None),
        ("vstfs:///Wiki/WikiPage/w1%2Fr1%2FHome", None),
        ("abcdefg://dev.azure.com/acme/Web/_git/door", "door"),
        ("abcdefgh://dev.azure.com/acme/Web/_git/door", None),
        ("vstfs:///Build/Build/7", None),
        ("//dev.azure.com/acme/Web/_git/door", None),
        ("see https://dev.azure.com/acme/Web/_git/door", None),
        ("https://[/acme/Web/_git/door", None),
        ("https://dev.azure.com/acme/Web/_build/results?buildId=7", None),
    ],
)
def test_an_address_says_into_which_repository_it_leads(text: str, repository: str | None) -> None:
    assert OrganizationAddresses(Organization.at("https://dev.azure.com/acme")).repository_in(text) == repository


def test_a_collection_has_addresses_of_its_own() -> None:
    addresses = OrganizationAddresses(Organization.at("https://tfs.example.com/tfs/Main"))
    assert addresses.project_in("https://tfs.example.com/tfs/main/Vault/_git/x") == "Vault"
    assert addresses.project_in("https://TFS.example.com/TFS/Main/Vault") == "Vault"
    assert addresses.project_in("https://tfs.example.com/tfs/Other/Vault") is None
    assert addresses.project_in("https://other.example.com/tfs/Main/Vault") is None
    assert addresses.project_in("https://tfs.example.com/tfs") is None


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("https://dev.azure.com/acme/_apis/wit/workItems/5", 5),
        ("https://dev.azure.com/acme/_apis/wit/workItems/5/updates", 5),
        ("https://dev.azure.com/acme/Web/_workitems/edit/6", 6),
        ("https://dev.azure.com/acme/_apis/wit/workItems/5x", None),
        ("https://dev.azure.com/acme/_apis/wit/workItems/1234567890123456789", None),
    ],
)
def test_an_address_says_to_which_work_item_it_leads(text: str, number: int | None) -> None:
    assert OrganizationAddresses.work_item_in(text) == number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("vstfs:///Build/Build/7", 7),
        ("VSTFS:///build/build/7", 7),
        ("vstfs:///Build/Build/7?x", None),
        ("vstfs:///Build/Definition/7", None),
    ],
)
def test_a_link_says_to_which_build_it_leads(text: str, number: int | None) -> None:
    assert OrganizationAddresses.build_in(text) == number


@pytest.mark.parametrize(
    ("text", "may_lead_there"),
    [
        ("vstfs:///Wiki/WikiPage/w1%2Fr1%2FHome", True),
        ("vstfs:///ReleaseManagement/ReleaseEnvironment/1:2:3", True),
        ("vstfs:///CLASSIFICATION/TeamProject/w1", False),
        ("https://dev.azure.com/acme/Web/_wiki", False),
    ],
)
def test_a_link_may_lead_to_any_repository_of_a_project(text: str, *, may_lead_there: bool) -> None:
    assert OrganizationAddresses.may_lead_to_any_repository(text) is may_lead_there
