"""The settings of retirements: who owns what retires, and for which teams work items are planned every day."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from settings import setting
from settings.forms import names

# The table of who makes which work item.
PURPOSE: Final = "retirements"
# Planning the work items of one team, which may take longer than a request may.
PLAN: Final = "plan-retirements"
MOST_TEAMS: Final = 20


@dataclass(frozen=True, slots=True)
class Team:
    """Where the work items of one team go."""

    project: str
    area: str = ""

    @property
    def name(self) -> str:
        return self.area or self.project


def teams(text: str) -> tuple[Team, ...]:
    """Each is a project, or a project and an area."""
    found = tuple(_team(one) for one in re.split(r"[;\n]", text) if one.strip())
    if len(found) > MOST_TEAMS:
        raise ValueError(f"there are more than {MOST_TEAMS} teams")
    return found


def _team(text: str) -> Team:
    project, _, area = (part.strip() for part in text.partition(":"))
    if not project or (area and not f"{area}\\".lower().startswith(f"{project}\\".lower())):
        raise ValueError("a team is a project, or a project and an area that begins with it: Shop: Shop\\Web")
    return Team(project, area)


@dataclass(frozen=True, slots=True, kw_only=True)
class RetirementsSettings:
    """Retirements: who owns what retires, and for which teams work items are planned every day."""

    owner_tags: tuple[str, ...] = setting(
        "RETIREMENTS_OWNER_TAGS",
        names,
        ("owner", "team", "contact"),
        "Tags that name the owner of a resource, separated by commas, the most important first. The tags of its"
        " resource group count where its own do not say it.",
    )
    teams: tuple[Team, ...] = setting(
        "RETIREMENTS_TEAMS",
        teams,
        (),
        "Teams for which work items about retirements are planned every day, separated by semicolons: `<project>` or"
        " `<project>: <area>`. It reads what `TASKS_SCOPES` lists, and acts with the app's own identity.",
    )
