"""The call that a preview names undoes the change: sent to Azure DevOps, it leaves everything as it was before."""

from __future__ import annotations

from tests.changes.exact.undoing import applied, asking, undone
from tests.fakes.azure_devops.service import Elsewhere
from tests.sweeps import Sweep
from tests.tools.azure_devops.everything import everything
from tests.tools.azure_devops.reaching import reaching
from tests.tools.azure_devops.undone_calls import BEFORE, OTHERWISE, UNDONE


@Sweep("tool", UNDONE, every=3)
async def test_a_change_is_undone_by_the_call_that_it_names(tool: str) -> None:
    there, approvals = await everything(), asking()
    async with there.serving() as url, reaching(Elsewhere(url), approvals=approvals) as caller:
        arguments = OTHERWISE.get(tool) or there.all_calls()[tool]
        if tool in BEFORE:
            first, given = BEFORE[tool]
            await applied(caller, approvals, first, {**(arguments if first == tool else {}), **given})
        changed, left = await undone(caller, approvals, tool, arguments, there)
    assert changed
    assert left == []
