"""Reads glossary files: words that stay unchanged, and fixed translations for each pair of languages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import yaml

from refusal import Refusal
from translating.glossary import Glossary
from translating.spans import has_letters
from yaml_file import YamlFile

MOST_TERMS: Final = 2000
LONGEST_TERM: Final = 100
_LONGEST_FILE: Final = 200_000
_STAY, _TERMS = "stay", "terms"
_SECTIONS: Final = (_STAY, _TERMS)


def read_glossaries(folder: Path) -> Glossary:
    """Read and merge all glossary files in a folder. Raises Refusal with the line number if a file is invalid."""
    if not folder.is_dir():
        raise Refusal(f"The folder {folder} in TRANSLATION_GLOSSARIES does not exist.")
    stay: dict[str, None] = {}
    terms: dict[tuple[str, str, str], str] = {}
    for path in sorted(folder.glob("*.yaml")):
        _File(path.name).read(path, stay, terms)
    if len(stay) + len(terms) > MOST_TERMS:
        raise Refusal(f"The glossaries have {len(stay) + len(terms)} terms; the maximum is {MOST_TERMS}.")
    return Glossary(frozenset(stay), tuple((*key, translation) for key, translation in terms.items()))


@dataclass(frozen=True, slots=True)
class _File(YamlFile):
    def read(self, path: Path, stay: dict[str, None], terms: dict[tuple[str, str, str], str]) -> None:
        for section, node in self.entries(self._read(path), "the file"):
            if section not in _SECTIONS:
                self.fail(node, f"unknown section {section!r}. Valid: {', '.join(_SECTIONS)}")
            if section == _STAY:
                stay.update(dict.fromkeys(self._words(node)))
            else:
                self._add_terms(node, terms)

    def _add_terms(self, node: yaml.Node, terms: dict[tuple[str, str, str], str]) -> None:
        for source, targets in self.entries(node, _TERMS):
            for target, pairs in self.entries(targets, f"{_TERMS} from {source}"):
                for term, translation in self.entries(pairs, f"{_TERMS} from {source} to {target}"):
                    key = (source.lower(), target.lower(), self._word(term, pairs))
                    if terms.setdefault(key, self._word(_text(translation), translation)) != _text(translation):
                        self.fail(translation, f"{term!r} already has another translation, {terms[key]!r}")

    def _words(self, node: yaml.Node) -> Iterator[str]:
        if not isinstance(node, yaml.SequenceNode):
            self.fail(node, f"{_STAY} must consist of `- word` lines")
        for entry in node.value:
            yield self._word(_text(entry), entry)

    def _word(self, word: str, node: yaml.Node) -> str:
        if not has_letters(word) or len(word) > LONGEST_TERM or not word.isprintable() or word != word.strip():
            self.fail(node, f"a term must have 1 to {LONGEST_TERM} characters on one line; {word[:40]!r} is invalid")
        return word

    def _read(self, path: Path) -> yaml.Node:
        try:
            text = path.read_text(encoding="utf-8")
        except (UnicodeDecodeError, OSError):
            raise Refusal(f"{self.name} is not valid YAML.") from None
        return self.document(text, f". A glossary file has the sections {', '.join(_SECTIONS)}.", _LONGEST_FILE)


def _text(node: yaml.Node) -> str:
    return str(node.value) if isinstance(node, yaml.ScalarNode) else ""
