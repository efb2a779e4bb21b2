"""What permissions allow is what their patterns say, whichever role says it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clients.azure.permissions import Permissions

texts = st.text(alphabet="ab/", max_size=8)
patterns = st.text(alphabet="ab/*", max_size=8)


def permissions(*actions: str) -> Permissions:
    return Permissions.of([{"actions": list(actions)}])


@given(patterns, texts)
def test_a_star_stands_for_anything_and_everything_else_for_itself(pattern: str, action: str) -> None:
    meant = re.compile(".*".join(map(re.escape, pattern.split("*"))), re.DOTALL)
    assert permissions(pattern).allow(action) == bool(meant.fullmatch(action))


def test_letters_compare_without_their_case() -> None:
    assert permissions("microsoft.web/SITES/*").allow("Microsoft.Web/sites/Restart/action")


def test_what_a_role_leaves_out_another_may_allow() -> None:
    contributor = {"actions": ["*"], "notActions": ["Microsoft.Authorization/*/Write"]}
    granter = {"actions": ["Microsoft.Authorization/roleAssignments/write"]}
    assert not Permissions.of([contributor]).is_granting
    assert Permissions.of([contributor, granter]).is_granting
    assert Permissions.of([contributor, {"actions": ["Microsoft.Authorization/*"]}]).left_out == []


def test_rights_on_data_are_none_on_the_resource() -> None:
    found = Permissions.of([{"dataActions": ["*"], "notDataActions": ["*/delete"]}])
    assert (found.reading, found.changing, found.is_granting) == ("nothing", "nothing", False)
    assert found.allow("Microsoft.KeyVault/vaults/secrets/getSecret/action")
    assert not found.allow("Microsoft.KeyVault/vaults/secrets/delete")
    assert found.data_left_out == ["*/delete"]


@pytest.mark.parametrize(
    ("actions", "reading", "changing"),
    [
        (["*"], "everything", "everything"),
        (["*/read"], "everything", "nothing"),
        (["Microsoft.Web/*"], "some", "some"),
        (["Microsoft.Web/sites/read"], "some", "nothing"),
        (["Microsoft.Web/sites/restart/action"], "nothing", "some"),
        (["*/read", "*/write", "*/delete", "*/action"], "everything", "everything"),
        ([], "nothing", "nothing"),
    ],
)
def test_how_far_one_may_read_and_change_is_told_in_a_word(actions: list[str], reading: str, changing: str) -> None:
    found = permissions(*actions)
    assert (found.reading, found.changing) == (reading, changing)
