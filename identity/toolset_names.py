"""Names of toolsets, and which of them a toolset from outside may have."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Final

ALL: Final = "all"
# What stands in the roles file among the names of toolsets, and is none.
REACH: Final = "reach"
# What stands between the names of a toolset and of one of its tools.
OF_A_TOOL: Final = "/"
# Under this one name the roles file opens all toolsets that were installed by a tool, whose names begin with it.
INSTALLED: Final = "installed"
# The tools that reach all others, which no toolset may be mistaken for.
_WAYS: Final = ("azure", "azure-change")
# Toolsets and ready-made extensions that go together: the name of a pack means all of them that are there.
PACKS: Final[Mapping[str, tuple[str, ...]]] = {
    "governance": ("policy", "roles", "cost", "advisor", "quota", "microsoft-resource-manager"),
    "documentation": ("documents", "azure-updates", "microsoft-learn", "microsoft-releases"),
    "localization": ("translation", "documents", "microsoft-learn"),
}
_FORM: Final = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_LONGEST: Final = 40


def is_or_holds(name: str, toolset: str) -> bool:
    """Whether the name means this toolset: its own, that of its group (`devops` of `devops-git`) or pack, or `all`."""
    return name in (ALL, toolset) or toolset.startswith(f"{name}-") or toolset in PACKS.get(name, ())


def is_installed(name: str) -> bool:
    """Whether a toolset of this name was installed by a tool."""
    return name.startswith(f"{INSTALLED}-")


def opened_as(toolset: str) -> str:
    """The name by which roles and rules mean this toolset: what was installed by a tool is opened together."""
    return INSTALLED if is_installed(toolset) else toolset


def is_about(name: str, external: Collection[str]) -> bool:
    """Whether the name means one of these toolsets, their group, or a tool by its name and theirs."""
    return name != ALL and any(
        is_or_holds(name, toolset) or name.startswith(f"{toolset.replace('-', '_')}_") for toolset in external
    )


def problem_of_external(name: str, own: Collection[str]) -> str:
    """Why a toolset from outside may not have this name beside those of this server's own; nothing if it may."""
    if not _FORM.fullmatch(name) or len(name) > _LONGEST:
        return f"is not a valid name: use lowercase words joined by hyphens, at most {_LONGEST} characters"
    if name in (ALL, *_WAYS, REACH):
        return "means something else here"
    if name in own:
        return "is a toolset of this server itself"
    group = name.partition("-")[0]
    if group in PACKS:
        return f"would belong to {group!r}, which is a pack"
    # A role that opens the group would open the toolset from outside with it, and nobody would have said so.
    if joined := [toolset for toolset in own if toolset.partition("-")[0] == group]:
        return f"would belong to the group {group!r} of {joined[0]!r}, which is built in"
    return ""
