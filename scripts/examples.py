"""Loads the example sentences for each tool, with one file per toolset in tools/examples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Final

import yaml

from understanding.learned import NOTHING

FOLDER: Final = Path(__file__).parent.parent / "tools" / "examples"
# The file of sentences that no tool can handle.
_NOTHING: Final = "nothing"


def read_examples(folder: Path = FOLDER) -> Mapping[str, Sequence[str]]:
    """Return example sentences by `toolset/tool`, and sentences that no tool can handle."""
    read = {file.stem: yaml.load(file.read_bytes(), yaml.CSafeLoader) for file in sorted(folder.glob("*.yaml"))}
    nothing = read.pop(_NOTHING)
    examples = {f"{toolset}/{tool}": sentences for toolset, tools in read.items() for tool, sentences in tools.items()}
    return {**examples, NOTHING: nothing}


def digest_of(folder: Path = FOLDER) -> str:
    """Return a digest of the examples. A model stores the digest of the examples with which it was trained."""
    files = sorted(folder.glob("*.yaml"))
    return sha256(b"\0".join(part for file in files for part in (file.name.encode(), file.read_bytes()))).hexdigest()
