"""Runs a small sentence model (all-MiniLM-L6-v2, Apache-2.0) with numpy alone, to create the word table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from safetensors.numpy import load_file
from tokenizers import Tokenizer

_LAYERS, _HEADS = 6, 12
_BATCH: Final = 512
_Table = Any


class SentenceModel:
    """Converts words to vectors. Words with similar meanings have vectors with similar directions."""

    def __init__(self, folder: Path) -> None:
        self._weights = {
            name: table.astype(np.float32) for name, table in load_file(folder / "model.safetensors").items()
        }
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()

    def vectors(self, words: Sequence[str]) -> _Table:
        tokens = [self._tokenizer.encode(word).ids for word in words]
        found = np.zeros((len(words), self._weights["embeddings.word_embeddings.weight"].shape[1]), np.float32)
        for length in sorted(set(map(len, tokens))):
            alike = [at for at, each in enumerate(tokens) if len(each) == length]
            for start in range(0, len(alike), _BATCH):
                batch = alike[start : start + _BATCH]
                found[batch] = self._encoded(np.array([tokens[at] for at in batch]))
        return found / np.linalg.norm(found, axis=1, keepdims=True)

    def _encoded(self, tokens: _Table) -> _Table:
        states = self._weights["embeddings.word_embeddings.weight"][tokens]
        states = states + self._weights["embeddings.position_embeddings.weight"][: tokens.shape[1]]
        states = self._normed(
            states + self._weights["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm"
        )
        for layer in range(_LAYERS):
            states = self._layer(states, f"encoder.layer.{layer}.")
        return states.mean(1)

    def _layer(self, states: _Table, name: str) -> _Table:
        attended = self._linear(self._attended(states, f"{name}attention.self."), f"{name}attention.output.dense")
        states = self._normed(attended + states, f"{name}attention.output.LayerNorm")
        inner = self._linear(states, f"{name}intermediate.dense")
        inner = inner * 0.5 * (1 + _erf(inner / np.sqrt(2)))
        return self._normed(self._linear(inner, f"{name}output.dense") + states, f"{name}output.LayerNorm")

    def _attended(self, states: _Table, name: str) -> _Table:
        count, length, width = states.shape
        split = count, length, _HEADS, width // _HEADS
        query, key, value = (
            self._linear(states, name + part).reshape(split).transpose(0, 2, 1, 3) for part in ("query", "key", "value")
        )
        likely = np.exp(query @ key.transpose(0, 1, 3, 2) / np.sqrt(width // _HEADS))
        shares = likely / likely.sum(-1, keepdims=True)
        return (shares @ value).transpose(0, 2, 1, 3).reshape(count, length, width)

    def _linear(self, states: _Table, name: str) -> _Table:
        return states @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]

    def _normed(self, states: _Table, name: str) -> _Table:
        mean = states.mean(-1, keepdims=True)
        spread = np.sqrt(((states - mean) ** 2).mean(-1, keepdims=True) + 1e-12)
        return (states - mean) / spread * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]


def _erf(value: _Table) -> _Table:
    """Compute the error function with approximation 7.1.26 of Abramowitz and Stegun."""
    near = 1 / (1 + 0.3275911 * np.abs(value))
    sums = (
        (((1.061405429 * near - 1.453152027) * near + 1.421413741) * near - 0.284496736) * near + 0.254829592
    ) * near
    return np.sign(value) * (1 - sums * np.exp(-value * value))
