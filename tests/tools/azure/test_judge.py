"""Every golden request to Resource Manager is one that the official specification knows, in the opinion of others."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.mcp_server.caller import Caller
from tests.sweeps import only_with
from tests.tools.azure.data import SPECIFICATION, with_data
from tests.tools.azure.golden import Case, Scripted, Sent, cases
from tests.tools.prism import Judge, judging

pytestmark = with_data

# Of storage accounts there is no specification here.
UNSPECIFIED = (".core.windows.net",)
CASES = [case for case in cases() if case.exchanges]


@pytest.fixture(scope="session")
def judge() -> Iterator[Judge]:
    with judging(SPECIFICATION) as someone:
        yield someone


@only_with("FUZZ_OPENAPI")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
async def test_prism_accepts_every_request(case: Case, judge: Judge, scripted: Scripted, player: Caller) -> None:
    scripted.play(case)
    await player.call(case.tool, **case.arguments)
    assert len(scripted.sent) == len(case.exchanges)
    # What goes side by side comes in any order.
    is_published = {exchange["request"]: exchange.get("published", True) for exchange in case.exchanges}
    for sent in scripted.sent:
        if sent.host.endswith(UNSPECIFIED):
            continue
        verdict = judge.verdict(_as_specified(sent))
        published = is_published[sent.line]
        assert verdict.is_published is published, sent.line
        assert not (published and verdict.objection), verdict.objection


def _as_specified(sent: Sent) -> Sent:
    """The path in the letters that the specification has: Azure itself makes no difference."""
    return replace(sent, path=re.sub("/resourcegroups(?=/|$)", "/resourceGroups", sent.path, flags=re.IGNORECASE))
