"""Marks sample updates wherever they are shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from updates.searching.search import FoundUpdate

NOTICE: Final = (
    "INVENTED SAMPLE DATA: none of these updates is real, because Microsoft's feed has not been read yet. Tell"
    " the user so first, and do not base decisions on these updates."
)
_MARK: Final = "[INVENTED] "


def noticed(document: Mapping[str, Any], *, is_sample: bool) -> dict[str, Any]:
    """Return the document. If the updates are samples, the document starts with a notice."""
    return {"notice": NOTICE, **document} if is_sample else dict(document)


@dataclass(frozen=True, slots=True)
class FileHeading:
    """The notes above the updates in a file: a note if the updates are samples, and the operator's notice."""

    is_sample: bool
    sentence: str = ""

    @property
    def notice(self) -> str:
        return " ".join(part for part in (self.sentence, NOTICE if self.is_sample else "") if part)


def title_of(found: FoundUpdate) -> str:
    """Return a title that marks the update as a sample, for places that show no notice."""
    return f"{_MARK}{found.title}" if found.is_invented else found.title
