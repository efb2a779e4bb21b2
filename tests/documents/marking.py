"""Documents in which somebody marked the sentences that a reader would keep, and how much of these a summary keeps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import yaml

from documents.document import Document, DocumentSection
from documents.reading import texts
from documents.summarizing.prose import blocks, plain_of
from documents.summarizing.sentences import sentences
from documents.summarizing.stems import all_stems

FOLDER: Final = Path(__file__).parent / "marked"


@dataclass(frozen=True)
class Marked:
    document: Document
    kept: Sequence[str]

    @property
    def letters(self) -> int:
        """The length that every summary of it gets."""
        return len(" ".join(self.kept))

    @property
    def lead(self) -> str:
        """What a reader gets who reads from the start, up to that length."""
        told = [sentence for section in self.document.sections for sentence in _sentences_of(section)]
        return " ".join(told)[: self.letters]

    def recall(self, summary: str) -> float:
        """The share of the words marked that the summary has, as often as they are there."""
        wanted, told = Counter(all_stems(" ".join(self.kept))), Counter(all_stems(summary))
        return (wanted & told).total() / wanted.total()


def all_marked() -> list[Marked]:
    return [_read(path) for path in sorted(FOLDER.glob("*.md"))]


def document_of(markdown: str, path: str = "page.md") -> Document:
    return texts.document_of("tests", path, markdown.encode(), None, "")


def _read(path: Path) -> Marked:
    marks = yaml.safe_load(path.with_suffix(".yaml").read_text(encoding="utf-8"))
    told = marks["sentences"] if isinstance(marks, dict) else marks
    return Marked(document_of(path.read_text(encoding="utf-8"), path.name), [plain_of(str(one)) for one in told])


def _sentences_of(section: DocumentSection) -> list[str]:
    return [sentence for block in blocks(section.text) for sentence in sentences(block)]
