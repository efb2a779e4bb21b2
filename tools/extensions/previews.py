"""Previews changes to the tools of extensions."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from changes.preview import Edit, Fact, Preview
from changes.undo import never

if TYPE_CHECKING:
    from extensions.entry import Entry
    from extensions.installer import Proposal
    from extensions.pins import PinCheck, Said

UNTOLD: Final = "the offered tools, because a package does not run before its installation is approved"
_UNDO: Final = never("the previously approved tools are not stored, and the server may no longer offer them")
_SHOWN: Final = ("title", "description", "inputSchema", "outputSchema", "annotations")


def let_in(name: str, before: Entry, look: PinCheck, newer: Proposal | None) -> Preview:
    """Preview the differences between the approved tools and the tools that the extension's server offers now."""
    facts: dict[str, Fact] = {
        "its server": look.entry.place,
        "unchanged tools": len(look.compared.offered),
        "changed": list(look.compared.changed),
        "new": list(look.compared.new),
        "gone": list(look.compared.gone),
    }
    edits = [*_differences(look), *(_newer_version(before, newer) if newer else ())]
    return Preview(
        what=f"The tools of the extension {name!r}", sentence=_sentence(name), facts=facts, edits=edits, undo=_UNDO
    )


def _newer_version(before: Entry, newer: Proposal) -> list[Edit]:
    moved = [Edit("address", before.place, newer.entry.place)] if before.place != newer.entry.place else []
    return [Edit("version", version_of(before), newer.record.version), *moved]


def let_in_untried(name: str, before: Entry, newer: Proposal | None) -> Preview:
    """Preview an update to a newer package, with the facts that are known before the new package runs."""
    if newer is None or newer.lock is None:
        raise ValueError("only a package's tools are unknown before its installation")
    facts: dict[str, Fact] = {"packages it requires": newer.lock.count}
    if newer.lock.address:
        facts["archive"] = newer.lock.address
    return Preview(
        what=f"The tools of the extension {name!r}",
        sentence=_sentence(name),
        facts={**facts, "hash of the lock": newer.record.hash},
        edits=[
            Edit("version", version_of(before), newer.record.version),
            Edit("package", before.place, newer.entry.place),
        ],
        missing=[UNTOLD],
        undo=_UNDO,
    )


def version_of(entry: Entry) -> str:
    return entry.installed.version if entry.installed else ""


def _sentence(name: str) -> str:
    return f"Update the extension {name!r} to the tools that its server offers now"


def _differences(look: PinCheck) -> list[Edit]:
    edits = [edit for tool in look.compared.changed for edit in _edits(tool, look.pinned[tool], look.seen[tool])]
    edits += [Edit(tool, None, _text(look.seen[tool])) for tool in look.compared.new]
    return edits + [Edit(tool, _text(look.pinned[tool]), None) for tool in look.compared.gone]


def _edits(tool: str, before: Said, after: Said) -> list[Edit]:
    parts = [part for part in _SHOWN if before.get(part) != after.get(part)]
    return [Edit(f"{tool}: {part}", _text(before.get(part)), _text(after.get(part))) for part in parts]


def _text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)
