"""The names of toolsets, and the rules for names of external toolsets."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Final

ALL: Final = "all"
# Keys in the roles file that could be mistaken for toolset names.
REACH: Final = "reach"
# The separator between the names of a toolset and a tool.
OF_A_TOOL: Final = "/"
# The name that means all installed toolsets in the roles file. The names of installed toolsets start with this name.
INSTALLED: Final = "installed"
# The names of the tools that call all other tools. Toolsets must not have these names.
_WAYS: Final = ("azure", "azure-change")
# Packs are toolsets and ready-made extensions that belong together. A pack's name means all of its toolsets that exist.
PACKS: Final[Mapping[str, tuple[str, ...]]] = {
    "governance": ("policy", "roles", "cost", "advisor", "quota", "microsoft-resource-manager"),
    "documentation": ("documents", "azure-updates", "microsoft-learn", "microsoft-releases"),
    "localization": ("translation", "documents", "microsoft-learn"),
}
_FORM: Final = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_LONGEST: Final = 40


def is_or_holds(name: str, toolset: str) -> bool:
    """Whether this is the name of the toolset, of its group (`devops` for `devops-git`) or of its pack, or `all`."""
    return name in (ALL, toolset) or toolset.startswith(f"{name}-") or toolset in PACKS.get(name, ())


def is_installed(name: str) -> bool:
    """Whether the toolset was installed with a tool."""
    return name.startswith(f"{INSTALLED}-")


def opened_as(toolset: str) -> str:
    """The name of this toolset in roles and rules. All installed toolsets share one name."""
    return INSTALLED if is_installed(toolset) else toolset


def is_about(name: str, external: Collection[str]) -> bool:
    """Whether this is the name of one of these toolsets, of its group, or of one of its tools."""
    return name != ALL and any(
        is_or_holds(name, toolset) or name.startswith(f"{toolset.replace('-', '_')}_") for toolset in external
    )


def problem_of_external(name: str, own: Collection[str]) -> str:
    """Explain why an external toolset may not have this name. Empty if the name is allowed."""
    if not _FORM.fullmatch(name) or len(name) > _LONGEST:
        return f"is not a valid name: use lowercase words joined by hyphens, at most {_LONGEST} characters"
    if name in (ALL, *_WAYS, REACH):
        return "is a reserved word"
    if name in own:
        return "is a built-in toolset"
    group = name.partition("-")[0]
    if group in PACKS:
        return f"would belong to {group!r}, which is a pack"
    # A role that allows the group would otherwise also allow the external toolset.
    if joined := [toolset for toolset in own if toolset.partition("-")[0] == group]:
        return f"would belong to the group {group!r} of {joined[0]!r}, which is built in"
    return ""
