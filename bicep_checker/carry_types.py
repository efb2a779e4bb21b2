"""Generates the checker's type files from Bicep's public type libraries, one file per resource provider.

python -m bicep_checker.carry_types FOLDER

FOLDER contains the files of Azure/bicep-types-az. For each resource type, the file `index.json` in FOLDER lists the
versions, the file of each version, and the newest stable version. The other files in FOLDER are lists of types, in
which `{"$ref": "#/12"}` refers to the item at index 12.
"""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any, Final

CARRIED: Final = Path(__file__).parent / "types"


def carry(folder: Path) -> dict[str, bytes]:
    """Return the generated files: one file per provider, and the index. Equal input always produces equal files."""
    index = _read(folder / "index.json")
    files = sorted({file for entry in index.values() for file in entry["files"].values()})
    carried: dict[str, dict[str, Any]] = {"index": index}
    for file in files:
        carried.setdefault(Path(file).parent.name, {})[file] = _read(folder / file)
    return {f"{name}.json.gz": _packed(content) for name, content in carried.items()}


def _packed(content: Any) -> bytes:
    return gzip.compress(json.dumps(content, sort_keys=True, separators=(",", ":")).encode(), mtime=0)


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


if __name__ == "__main__":
    for name, packed in carry(Path(sys.argv[1])).items():
        (CARRIED / name).write_bytes(packed)
