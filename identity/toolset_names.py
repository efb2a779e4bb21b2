"""The names of toolsets, and the rules for names of external toolsets."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Final

ALL: Final = "all"
# A key of the roles file. External toolsets must not have this name.
REACH: Final = "reach"
# The separator between a toolset's name and a tool's name.
OF_A_TOOL: Final = "/"
# In the roles file, this name means all toolsets that were installed at run time. The names of these toolsets also
# start with `installed`.
INSTALLED: Final = "installed"
# The names of the tools that call all other tools. Toolsets must not have these names.
_WAYS: Final = ("azure", "azure-change")
# A pack consists of toolsets and ready-made extensions that belong together. The name of a pack means all toolsets of
# the pack that exist on this server.
PACKS: Final[Mapping[str, tuple[str, ...]]] = {
    "governance": ("policy", "roles", "cost", "advisor", "quota", "microsoft-resource-manager"),
    "documentation": ("documents", "azure-updates", "microsoft-learn", "microsoft-releases"),
    "localization": ("translation", "documents", "microsoft-learn"),
}
_FORM: Final = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_LONGEST: Final = 40


def is_or_holds(name: str, toolset: str) -> bool:
    """Check whether the name includes the toolset: the name is `all`, or the name of the toolset, its group or its
    pack.
    """
    return name in (ALL, toolset) or toolset.startswith(f"{name}-") or toolset in PACKS.get(name, ())


def is_installed(name: str) -> bool:
    """Whether the toolset was installed at run time, by a call of a tool."""
    return name.startswith(f"{INSTALLED}-")


def opened_as(toolset: str) -> str:
    """The name that represents this toolset in roles and rules. All installed toolsets share one name."""
    return INSTALLED if is_installed(toolset) else toolset


def is_about(name: str, external: Collection[str]) -> bool:
    """Whether this is the name of a toolset in `external`, of a tool in such a toolset, or of a group or pack that
    contains such a toolset.
    """
    return name != ALL and any(
        is_or_holds(name, toolset) or name.startswith(f"{toolset.replace('-', '_')}_") for toolset in external
    )


def problem_of_external(name: str, own: Collection[str]) -> str:
    """Explain why an external toolset must not have this name. The explanation is empty if the name is allowed."""
    if not _FORM.fullmatch(name) or len(name) > _LONGEST:
        return f"is not a valid name: use lowercase words joined by hyphens, at most {_LONGEST} characters"
    if name in (ALL, *_WAYS, REACH):
        return "is a reserved word"
    if name in own:
        return "is a built-in toolset"
    group = name.partition("-")[0]
    if group in PACKS:
        return f"would belong to {group!r}, which is a pack"
    # Reject names in a built-in group, because a role with access to the group would also give access to the external
    # toolset.
    if joined := [toolset for toolset in own if toolset.partition("-")[0] == group]:
        return f"would belong to the group {group!r} of the built-in toolset {joined[0]!r}"
    return ""
