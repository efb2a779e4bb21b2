"""How a change can be undone, as its preview says it: judged by whether the call that it names can be sent."""

from __future__ import annotations

from typing import Final

from changes.preview import Preview
from changes.summary import Summary
from tools import TOOLSETS

TOOLS: Final = {tool.name: tool for toolset in TOOLSETS for tool in toolset.tools}


def check(preview: Preview) -> None:
    """That a preview says it, and that a call that it names is one of a tool that there is."""
    undo = preview.undo
    assert undo.line
    assert undo.line in Summary(preview).text
    if undo.tool:
        TOOLS[undo.tool].check(dict(undo.arguments))
