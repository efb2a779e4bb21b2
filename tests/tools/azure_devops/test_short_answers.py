"""What the tools answer in golden cases names people and branches as people do, and leaves out what says nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import pytest

from tests.tools.azure_devops.golden import cases
from tests.tools.golden import Case

ANSWERED: Final = [case for case in cases() if case.answer is not None]
# What other tools take as the id of a person stands beside the name.
WITH_IDS: Final = frozenset({"get_team_members"})
DEFAULTS: Final = {"draft": False, "isDraft": False, "inReplyTo": 0, "parentCommentId": 0}


@pytest.mark.parametrize("case", ANSWERED, ids=lambda case: case.name)
def test_an_answer_of_azure_devops_says_nothing_in_vain(case: Case) -> None:
    told = dict(fields_in(case.answer))
    people = {name for exchange in case.exchanges for name in addresses_in(exchange.get("reply"))}
    assert not [path for path, value in told.items() if value is None]
    assert not [path for path, value in told.items() if is_default(path, value)]
    # A file or a policy may well be about a ref.
    assert not [path for path, value in told.items() if path.endswith(("branch", "source", "target")) and is_ref(value)]
    assert case.tool in WITH_IDS or not [path for path, value in told.items() if value in people]


def fields_in(told: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Each value that is no collection, by its place."""
    if isinstance(told, dict | list):
        for name, value in told.items() if isinstance(told, dict) else enumerate(told):
            yield from fields_in(value, f"{path}.{name}")
    else:
        yield path, told


def addresses_in(reply: Any) -> Iterator[str]:
    """What stands for people whose names are known."""
    if isinstance(reply, dict) and "displayName" in reply:
        yield from (str(reply[name]) for name in ("uniqueName", "id", "mailAddress", "descriptor") if reply.get(name))
    if isinstance(reply, dict | list):
        for value in reply.values() if isinstance(reply, dict) else reply:
            yield from addresses_in(value)


def is_default(path: str, value: Any) -> bool:
    name = path.rpartition(".")[2]
    return name in DEFAULTS and value == DEFAULTS[name]


def is_ref(value: Any) -> bool:
    return isinstance(value, str) and value.startswith("refs/heads/")
