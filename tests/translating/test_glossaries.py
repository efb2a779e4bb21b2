"""Glossaries are read strictly, and say which line is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from refusal import Refusal
from translating.glossary_files import read_glossaries
from translating.text import TranslatableText

GOOD = """
stay: [Contoso Bakery, azd]
terms:
  en:
    fr:
      pull request: demande de tirage
"""


def written(folder: Path, text: str, name: str = "team.yaml") -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_terms_hold_for_their_languages_and_words_stay_in_all(tmp_path: Path) -> None:
    written(tmp_path, "terms:\n  EN:\n    de:\n      oven: Ofen\n", "more.yaml")
    glossary = read_glossaries(written(tmp_path, GOOD))
    text = "A pull request of Contoso Bakery about the oven."
    (french,) = TranslatableText.of(text, glossary.of("en", "fr")).segments
    (german,) = TranslatableText.of(text, glossary.of("en", "de")).segments
    assert french.spans == ("demande de tirage", "Contoso Bakery")
    assert german.spans == ("Contoso Bakery", "Ofen")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "team.yaml is empty"),
        ("stay: [a", "team.yaml, line 1: this is not YAML"),
        ("stays: [a]", "line 1: unknown section 'stays'. Valid: stay, terms"),
        ("stay: azd", "line 1: stay must consist"),
        ("stay:\n- azd\n- [a]", "line 3: a term must have"),
        ("stay:\n- azd\n- '12'", "line 3: a term must have"),
        ("terms:\n  en: x", "line 2: terms from en must consist"),
        ("terms:\n  en:\n    fr:\n      a: ''", "line 4: a term must have"),
        ("terms:\n  en:\n    fr:\n      a: b\n      a: c", "line 5: duplicate key 'a'"),
        (f"stay: [{'x' * 101}]", "line 1: a term must have 1 to 100 characters"),
        ("\x00", "is not valid YAML"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(Refusal) as refused:
        read_glossaries(written(tmp_path, text))
    assert words in str(refused.value)


def test_two_files_may_not_contradict_each_other(tmp_path: Path) -> None:
    written(tmp_path, GOOD.replace("demande de tirage", "requête"), "other.yaml")
    with pytest.raises(Refusal, match=r"team.yaml, line 6: 'pull request' already has another translation, 'requête'"):
        read_glossaries(written(tmp_path, GOOD))


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(Refusal, match="TRANSLATION_GLOSSARIES"):
        read_glossaries(tmp_path / "none")
