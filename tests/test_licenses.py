"""What ships with the app may be passed on under its license, and the notices name all of it."""

from __future__ import annotations

import os
import re
import sys
from importlib.metadata import Distribution, distribution
from pathlib import Path
from typing import Final

import pytest
from packaging.requirements import Requirement

from scripts import pythons

ROOT: Final = Path(__file__).parent.parent
NOTICES: Final = ROOT / "THIRD-PARTY-NOTICES.txt"
MEND: Final = "run UPDATE_SNAPSHOTS=1 scripts/test unit -k notices, and review what it wrote"
_HEAD: Final = (
    "Azure Team MCP is deployed with the packages below, which others wrote. The text of each license\n"
    "is in the package's own folder, beside its code.\n\n"
)
# What is carried in this repository, with its license beside it.
_CARRIED: Final = (
    "\nIt carries parts of a font, Noto Sans (Copyright 2015-2020 Google LLC), for reports as PDF:\n"
    "updates/showing/report/fonts/OFL.txt has its license, the SIL Open Font License 1.1.\n"
)
# Each may be part of a larger work under another license, if its own text goes with it.
_PERMITTED: Final = frozenset({"Apache", "BSD", "ISC", "MIT", "MIT-0", "MPL", "PSF"})


def _shipped() -> dict[str, Distribution]:
    """The packages of the deployed app, with all that these need."""
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    waiting = [Requirement(line) for line in lines if re.match(r"\w", line)]
    found: dict[str, Distribution] = {}
    while waiting:
        wanted = waiting.pop()
        name = re.sub(r"[-_.]+", "-", wanted.name).lower()
        if name in found or (wanted.marker and not wanted.marker.evaluate({"extra": ""})):
            continue
        found[name] = distribution(wanted.name)
        waiting += map(Requirement, found[name].requires or ())
    return dict(sorted(found.items()))


def _license(package: Distribution) -> str:
    """As the package tells it: in one of three fields, of which some hold the whole text."""
    fields = package.metadata
    told = next((fields[name].strip() for name in ("License-Expression", "License") if name in fields), "")
    classified = [line.rpartition("::")[2].strip() for line in fields.get_all("Classifier", []) if "License ::" in line]
    return told if told and "\n" not in told else ", ".join(classified)


def _is_permitted(told: str) -> bool:
    """Whether one of its alternatives asks for nothing more than to be named."""
    alternatives = (re.findall(r"[A-Za-z]+(?:-0)?", one) for one in re.split(r"\bOR\b", told))
    names = {"Mozilla": "MPL", "Python": "PSF"}
    return any(
        bool(_PERMITTED & {names.get(word, word) for word in words}) and not {"GPL", "LGPL", "AGPL"} & set(words)
        for words in alternatives
    )


def test_every_license_of_what_ships_permits_that() -> None:
    wrong = {name: _license(package) for name, package in _shipped().items() if not _is_permitted(_license(package))}
    assert wrong == {}


def test_a_license_that_asks_for_more_is_found() -> None:
    assert not _is_permitted("GPL-2.0-or-later")
    assert not _is_permitted("")
    assert not _is_permitted("MIT AND GPL-3.0-only")
    assert _is_permitted("Apache-2.0 OR GPL-2.0-or-later")


@pytest.mark.skipif(pythons.deployed() != sys.version_info[:2], reason="Other packages are deployed than run here")
def test_the_notices_name_each_license_of_what_ships() -> None:
    text = _HEAD + "".join(f"{name} {package.version}: {_license(package)}\n" for name, package in _shipped().items())
    text += _CARRIED
    if os.environ.get("UPDATE_SNAPSHOTS"):
        NOTICES.write_text(text, encoding="utf-8")
    assert NOTICES.read_text(encoding="utf-8") == text, MEND
