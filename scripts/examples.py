"""The examples of how people ask for each tool, a file for each toolset in tools/examples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Final

import yaml

from understanding.learned import NOTHING

FOLDER: Final = Path(__file__).parent.parent / "tools" / "examples"
# What no tool does.
_NOTHING: Final = "nothing"


def read_examples(folder: Path = FOLDER) -> Mapping[str, Sequence[str]]:
    """The sentences that ask for each tool, by `toolset/tool`, and those that ask for what no tool does."""
    read = {file.stem: yaml.load(file.read_bytes(), yaml.CSafeLoader) for file in sorted(folder.glob("*.yaml"))}
    nothing = read.pop(_NOTHING)
    asked = {f"{toolset}/{tool}": said for toolset, tools in read.items() for tool, said in tools.items()}
    return {**asked, NOTHING: nothing}


def digest_of(folder: Path = FOLDER) -> str:
    """Tells whether something was learned from just these examples."""
    files = sorted(folder.glob("*.yaml"))
    return sha256(b"\0".join(part for file in files for part in (file.name.encode(), file.read_bytes()))).hexdigest()
