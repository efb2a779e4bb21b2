"""The settings of retirements: the owners of affected resources, and the teams that get daily work items."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from settings import setting
from settings.forms import names

# The name of the table of claims. A claim records which process creates which work item.
PURPOSE: Final = "retirements"
# The name of the task that plans the work items of a team. Planning can take too long for a request.
PLAN: Final = "plan-retirements"
MOST_TEAMS: Final = 20


@dataclass(frozen=True, slots=True)
class Team:
    """The project and area for the work items of a team."""

    project: str
    area: str = ""

    @property
    def name(self) -> str:
        return self.area or self.project


def teams(text: str) -> tuple[Team, ...]:
    """Parse the teams. Each team is a project, or a project and an area."""
    found = tuple(_team(one) for one in re.split(r"[;\n]", text) if one.strip())
    if len(found) > MOST_TEAMS:
        raise ValueError(f"there are more than {MOST_TEAMS} teams")
    return found


def _team(text: str) -> Team:
    project, _, area = (part.strip() for part in text.partition(":"))
    if not project or (area and not f"{area}\\".lower().startswith(f"{project}\\".lower())):
        raise ValueError("a team must be a project, or a project and an area in it, for example Shop: Shop\\Web")
    return Team(project, area)


@dataclass(frozen=True, slots=True, kw_only=True)
class RetirementsSettings:
    """Retirements: the owners of retiring resources, and the teams that get daily work items."""

    owner_tags: tuple[str, ...] = setting(
        "RETIREMENTS_OWNER_TAGS",
        names,
        ("owner", "team", "contact"),
        "Tags that name the owner of a resource, separated by commas, most important first. If a resource has none of"
        " these tags, the tags of its resource group count.",
    )
    teams: tuple[Team, ...] = setting(
        "RETIREMENTS_TEAMS",
        teams,
        (),
        "Teams that get daily work items for retirements, separated by semicolons: `<project>` or `<project>:"
        " <area>`. The job uses the app's own identity to read the scopes in `TASKS_SCOPES`.",
    )
