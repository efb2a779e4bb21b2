"""A rule by organization, project, repository or branch applies to a push, however the address is written."""

from __future__ import annotations

from typing import Final
from uuid import UUID

import pytest

from changes.approval_request import RequiredApprover
from changes.plan import Plan
from changes.preview import Preview
from changes.rule import Rule
from changes.rules import Rules
from identity.access import Access
from tools.workspace.repository_places import places_of

ADDRESSES: Final = {
    "in the cloud": "https://dev.azure.com/acme/Web/_git/oven",
    "in other case": "https://dev.azure.com/ACME/web/_GIT/OVEN",
    "encoded": "https://dev.azure.com/%61cme/W%65b/_git/ov%65n",
    "with a collection": "https://dev.azure.com/acme/DefaultCollection/Web/_git/oven",
    "of a team": "https://dev.azure.com/acme/Web/Bakers/_git/oven",
    "with few of its files": "https://dev.azure.com/acme/Web/_git/_optimized/oven",
    "with all of its files": "https://dev.azure.com/acme/Web/_git/_full/oven",
    "by the former name": "https://acme.visualstudio.com/Web/_git/oven",
    "by the former name, with a collection": "https://acme.visualstudio.com/DefaultCollection/Web/_git/oven",
    "on premises": "https://tfs.example.com/acme/Web/_git/oven",
    "on premises, in a folder": "https://tfs.example.com/tfs/acme/Web/_git/oven",
    "on premises, of a team": "https://tfs.example.com/tfs/acme/Web/Bakers/_git/oven",
    "by ids": f"https://dev.azure.com/acme/{UUID(int=1)}/_git/{UUID(int=2)}",
}
RULES: Final = {"organization": "acme", "project": "Web", "repository": "oven", "branch": "main", "environment": "prod"}


def asked(rule: Rule, url: str) -> RequiredApprover:
    preview = Preview(what="a push", places={**places_of(url), "branch": "main"}, destroys=False)
    return Rules([rule]).need(Plan.of("workspace", "git_push", "write", {}, preview), Access.WRITE).asks


@pytest.mark.parametrize("url", ADDRESSES.values(), ids=ADDRESSES)
@pytest.mark.parametrize("place", RULES)
def test_a_rule_asks_for_a_push_to_its_place(url: str, place: str) -> None:
    assert asked(Rule(RequiredApprover.ANOTHER, places={place: [RULES[place]]}), url) is RequiredApprover.ANOTHER


@pytest.mark.parametrize("place", ["organization", "project", "repository"])
@pytest.mark.parametrize("name", ["in the cloud", "by the former name", "with a collection", "of a team"])
def test_a_rule_for_another_place_does_not_ask(name: str, place: str) -> None:
    assert asked(Rule(RequiredApprover.ANOTHER, places={place: ["Other"]}), ADDRESSES[name]) is RequiredApprover.NOBODY


@pytest.mark.parametrize(
    "url",
    [
        "https://dev.azure.com/acme/_git/Web",
        "https://acme.visualstudio.com/_git/Web",
        "https://acme.visualstudio.com/DefaultCollection/_git/Web",
        "https://tfs.example.com/tfs/acme/_git/Web",
    ],
)
def test_a_project_that_is_left_out_has_the_name_of_its_repository(url: str) -> None:
    assert asked(Rule(RequiredApprover.ANOTHER, places={"project": ["Web"]}), url) is RequiredApprover.ANOTHER


@pytest.mark.parametrize("place", ["project", "organization", "environment", "subscription"])
def test_elsewhere_no_rule_for_a_place_spares_the_question(place: str) -> None:
    rules = Rules([Rule(RequiredApprover.NOBODY, places={place: ["*"]}), Rule(RequiredApprover.CALLER)])
    preview = Preview(what="a push", places=places_of("https://github.com/acme/oven.git"))
    assert (
        rules.need(Plan.of("workspace", "git_push", "write", {}, preview), Access.WRITE).asks is RequiredApprover.CALLER
    )


@pytest.mark.parametrize("name", ["oven", "https://github.com/acme/*", "https://github.com/acme/oven.git"])
def test_a_repository_elsewhere_goes_by_its_address_or_name(name: str) -> None:
    assert (
        asked(Rule(RequiredApprover.ANOTHER, places={"repository": [name]}), "https://github.com/acme/oven.git")
        is RequiredApprover.ANOTHER
    )
    assert (
        asked(Rule(RequiredApprover.ANOTHER, places={"repository": ["x"]}), "https://github.com/acme/oven.git")
        is RequiredApprover.NOBODY
    )
