"""The settings of the team's documents, and the names of the storage and the task for documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from refusal import Refusal
from settings import setting

if TYPE_CHECKING:
    from documents.sources.declaration import Declared


# The table and the container of the documents.
PURPOSE: Final = "library"
# The name of the task that reads new documents. Reading documents can take too long for a request.
IMPORT: Final = "read-documents"
_ROOT: Final = Path(__file__).parent.parent.parent


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentsSettings:
    """The team's own documents: their sources, and the times when they are read."""

    file: str = setting(
        "DOCUMENTS_FILE",
        str,
        "",
        "The file that lists the sources of documents and who may see each source, such as `documents.yaml`, relative"
        " to the app's folder. Without this file, the document tools are off.",
    )
    schedule: str = setting(
        "DOCUMENTS_SCHEDULE", str, "0 */20 * * * *", "When changes in the sources are read, as an NCRONTAB expression."
    )


def declared_in(file: str) -> Mapping[str, Declared]:
    """Read the sources in the documents file.

    Raises:
        Refusal: The file cannot be read or is invalid. The message contains the line number.
    """
    path = _ROOT / file
    try:
        return _declared(path.read_text(encoding="utf-8"), path.name)
    except (OSError, UnicodeError):
        raise Refusal(f"DOCUMENTS_FILE: {path.name} does not exist or is not UTF-8 text.") from None


@lru_cache(maxsize=4)
def _declared(text: str, name: str) -> Mapping[str, Declared]:
    from documents.sources_file import sources_in

    return sources_in(text, name)
