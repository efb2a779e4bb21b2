"""The toolsets that find out which retirements affect the team's resources and code, and that plan the resulting
work.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mcp_server.declarations.toolset import Part, Toolset
from tools.azure.access import AZURE
from tools.azure_devops.access import AZURE_DEVOPS
from tools.retirements.access import RETIREMENTS


def _parts() -> Sequence[Part]:
    from tools.retirements import code, here

    return (here.part, code.part)


def _work() -> Sequence[Part]:
    from tools.retirements import fixing, plan

    return (plan.part, fixing.part)


toolset: Final = Toolset(
    "retirements",
    "Which of your resources Azure retires.",
    needs=(AZURE, RETIREMENTS),
    parts=_parts,
)

# This is an Azure DevOps toolset, so roles that allow Azure DevOps also allow this toolset.
work: Final = Toolset(
    "devops-retirements",
    "Plan Azure DevOps work items for Azure retirements, and fix code.",
    needs=(AZURE, AZURE_DEVOPS, RETIREMENTS),
    parts=_work,
)
