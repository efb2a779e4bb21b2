"""What previews show of the tools of other servers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from changes.preview import Edit

if TYPE_CHECKING:
    from extensions.pins import Look, Said

_SHOWN: Final = ("title", "description", "inputSchema", "outputSchema", "annotations")


def differences(look: Look) -> list[Edit]:
    """What differs between what was let in and what its server says now."""
    edits = [edit for tool in look.compared.changed for edit in _edits(tool, look.pinned[tool], look.seen[tool])]
    edits += [Edit(tool, None, _text(look.seen[tool])) for tool in look.compared.new]
    return edits + [Edit(tool, _text(look.pinned[tool]), None) for tool in look.compared.gone]


def _edits(tool: str, before: Said, after: Said) -> list[Edit]:
    parts = [part for part in _SHOWN if before.get(part) != after.get(part)]
    return [Edit(f"{tool}: {part}", _text(before.get(part)), _text(after.get(part))) for part in parts]


def _text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)
