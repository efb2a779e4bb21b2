"""Measures the contribution of each part of the intent model: for how many sentences the model still finds the right
tool without this part.

Variants of the model omit words, omit embeddings, or learn one toolset from only five examples per tool.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import yaml

from scripts.learning import labels_of, learned
from understanding.learned import Learned

_FOLDER: Final = Path(__file__).parent.parent / "tests" / "intents"
_FILES: Final = ("fresh_a", "fresh_b", "fresh_c")
_NEW: Final = ("storage", "roles", "servicebus", "devops-pull-requests", "devops-work-items")
_FEW: Final = 5
_PARTS: Final[Mapping[str, Mapping[str, bool]]] = {
    "words and meanings": {},
    "words only": {"meanings": False},
    "meanings only": {"words": False},
}

_Texts = Mapping[str, Sequence[str]]


def rows(examples: _Texts, described: _Texts) -> Iterator[str]:
    """Yield a table row for each variant of the model: how often it ranks the right tool first."""
    sentences = [each for file in _FILES for each in _sentences(file)]
    for name, parts in _PARTS.items():
        model = _model(examples, described, **parts)
        yield f"| {name} | {len(sentences)} | {_found(model, sentences)} |"
        if not parts:
            whole = model
    for toolset in _NEW:
        few = {label: said[:_FEW] if label.startswith(f"{toolset}/") else said for label, said in examples.items()}
        relevant = [each for each in sentences if any(label in few for label in _labels(each, toolset))]
        found = _found(_model(few, described), relevant), _found(whole, relevant)
        yield f"| `{toolset}` | {len(relevant)} | {found[0]} | {found[1]} |"


def _model(examples: _Texts, described: _Texts, **parts: bool) -> Learned:
    return Learned(learned(labels_of(examples, described), len(examples), **parts).kept(list(examples), ""))


def _sentences(file: str) -> list[dict[str, Any]]:
    sentences = yaml.safe_load((_FOLDER / f"{file}.yaml").read_text(encoding="utf-8"))
    return [each for each in sentences if each["tools"] and each["kind"] != "compound"]


def _labels(sentence: Mapping[str, Any], toolset: str) -> list[str]:
    return [f"{toolset}/{tool}" for tool in sentence["tools"]]


def _found(model: Learned, sentences: Sequence[Mapping[str, Any]]) -> int:
    return sum(_first(model, each["say"]) in each["tools"] for each in sentences)


def _first(model: Learned, sentence: str) -> str:
    probable = model.probabilities(sentence)
    return max((label for label in probable if label), key=probable.__getitem__).partition("/")[2]
