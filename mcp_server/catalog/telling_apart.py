"""Checks that the names of tools in a catalog are unambiguous."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from mcp_server.catalog.right_call import WAYS
from mcp_server.declarations.names import folded, names_of
from mcp_server.declarations.toolset import Toolset
from refusal import Refusal

# The format of names that all clients accept.
_FORM: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")


def refuse_alike(toolsets: Sequence[Toolset]) -> None:
    """Reject names that would make a call ambiguous.

    Tools in different toolsets may have the same name, because callers also name the toolset, and lists contain the
    qualified name. The qualified name must not be the name of any other tool. Aliases must be unique, because an alias
    identifies a tool everywhere.

    Raises:
        Refusal: Two names conflict, or a name is invalid.
    """
    _refuse_twice((folded(toolset.name) for toolset in toolsets), "toolset")
    _refuse_twice((prompt.name for toolset in toolsets for prompt in toolset.prompts), "prompt")
    _refuse_twice((resource.uri for toolset in toolsets for resource in toolset.resources), "resource")
    # Hyphens, underscores and case do not count when command names are compared, so names must differ in other
    # characters.
    for toolset in toolsets:
        names = (folded(name) for tool in toolset.tools for name in names_of(tool))
        _refuse_twice(names, f"tool of {toolset.name!r}")
    own = Counter(tool.name for toolset in toolsets for tool in toolset.tools)
    further = [further.name for toolset in toolsets for tool in toolset.tools for further in tool.further_names]
    qualified = [tool.qualified_name for toolset in toolsets for tool in toolset.tools if own[tool.name] > 1]
    for name in (*WAYS, *own, *further, *qualified):
        if not _FORM.fullmatch(name):
            raise Refusal(f"{name[:100]!r} is not a valid tool name: use 1 to 64 letters, digits, _ and -.")
    _refuse_twice((folded(name) for name in (*WAYS, *set(map(folded, own)), *further, *qualified)), "tool")


def _refuse_twice(names: Iterable[str], what: str) -> None:
    if twice := [name for name, count in Counter(names).items() if count > 1]:
        raise Refusal(
            f"More than one {what} is named {twice[0]!r}, and nothing distinguishes them. Rename one of them."
        )
