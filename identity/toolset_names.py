"""Names of toolsets, and which of them external toolsets may use."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Final

ALL: Final = "all"
# Words in the roles file that look like toolset names but are not.
REACH: Final = "reach"
# The separator between toolset and tool name.
OF_A_TOOL: Final = "/"
# The one name with which the roles file opens all toolsets installed by a tool; their names start with it.
INSTALLED: Final = "installed"
# The tools that reach all others; no toolset may be mistaken for them.
_WAYS: Final = ("azure", "azure-change")
# Packs: toolsets and ready-made extensions that belong together. The name of a pack means all that exist.
PACKS: Final[Mapping[str, tuple[str, ...]]] = {
    "governance": ("policy", "roles", "cost", "advisor", "quota", "microsoft-resource-manager"),
    "documentation": ("documents", "azure-updates", "microsoft-learn", "microsoft-releases"),
    "localization": ("translation", "documents", "microsoft-learn"),
}
_FORM: Final = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_LONGEST: Final = 40


def is_or_holds(name: str, toolset: str) -> bool:
    """Whether the name means this toolset: its own name, its group (`devops` for `devops-git`), its pack, or `all`."""
    return name in (ALL, toolset) or toolset.startswith(f"{name}-") or toolset in PACKS.get(name, ())


def is_installed(name: str) -> bool:
    """Whether a toolset with this name was installed by a tool."""
    return name.startswith(f"{INSTALLED}-")


def opened_as(toolset: str) -> str:
    """The name of this toolset in roles and rules: those installed by a tool share one."""
    return INSTALLED if is_installed(toolset) else toolset


def is_about(name: str, external: Collection[str]) -> bool:
    """Whether the name means one of these toolsets, their group, or one of their tools."""
    return name != ALL and any(
        is_or_holds(name, toolset) or name.startswith(f"{toolset.replace('-', '_')}_") for toolset in external
    )


def problem_of_external(name: str, own: Collection[str]) -> str:
    """Why an external toolset may not use this name; empty if it may."""
    if not _FORM.fullmatch(name) or len(name) > _LONGEST:
        return f"is not a valid name: use lowercase words joined by hyphens, at most {_LONGEST} characters"
    if name in (ALL, *_WAYS, REACH):
        return "is a reserved word"
    if name in own:
        return "is a built-in toolset"
    group = name.partition("-")[0]
    if group in PACKS:
        return f"would belong to {group!r}, which is a pack"
    # Otherwise a role that opens the group would silently open the external toolset, too.
    if joined := [toolset for toolset in own if toolset.partition("-")[0] == group]:
        return f"would belong to the group {group!r} of {joined[0]!r}, which is built in"
    return ""
