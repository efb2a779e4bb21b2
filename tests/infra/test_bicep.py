"""The templates fit together and fit Azure's types and services; and the check that says so finds mistakes."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bicep_checker.check import check
from bicep_checker.resource_types import ResourceTypes
from bicep_checker.subject import Files, full_type
from bicep_checker.template import read
from tests.infra.mistakes import MISTAKES, Mistake
from tests.infra.unseen_mistakes import NOT_FOUND, UNSEEN
from tests.sweeps import Sweep

INFRA: Final = Path(__file__).parents[2] / "infra"
FILES: Final = sorted(INFRA.rglob("*.bicep"))
PLANTED: Final = {**MISTAKES, **UNSEEN}
# The nightly workflow checks more corrupted templates.
CORRUPTED: Final = int(os.environ.get("FUZZ_TEMPLATES", "8"))
WORD: Final = re.compile(r"'[^'\n]*'|\b\w+\b|\{[^{}]*\}|\[[^\[\]]*\]")
# Where there is a newer stable version than the one that is used, and nothing of it is needed: a newer one is not in
# every region at once. Of diagnosticSettings, no stable version knows names and groups of categories.
OLDER_ON_PURPOSE: Final = {
    "Microsoft.Insights/diagnosticSettings@2021-05-01-preview",
    "Microsoft.Insights/scheduledQueryRules@2023-12-01",
    "Microsoft.KeyVault/vaults@2024-11-01",
    "Microsoft.Network/privateEndpoints/privateDnsZoneGroups@2024-07-01",
    "Microsoft.Network/privateEndpoints@2024-07-01",
    "Microsoft.Network/virtualNetworks/subnets@2024-07-01",
    "Microsoft.Network/virtualNetworks@2024-07-01",
    "Microsoft.OperationalInsights/workspaces@2025-02-01",
    "Microsoft.Storage/storageAccounts/blobServices/containers@2025-01-01",
    "Microsoft.Storage/storageAccounts/blobServices@2025-01-01",
    "Microsoft.Storage/storageAccounts/queueServices/queues@2025-01-01",
    "Microsoft.Storage/storageAccounts/queueServices@2025-01-01",
    "Microsoft.Storage/storageAccounts/tableServices/tables@2025-01-01",
    "Microsoft.Storage/storageAccounts/tableServices@2025-01-01",
    "Microsoft.Storage/storageAccounts@2025-01-01",
    "Microsoft.Web/serverfarms@2024-11-01",
    "Microsoft.Web/sites/basicPublishingCredentialsPolicies@2024-11-01",
    "Microsoft.Web/sites/config@2024-11-01",
    "Microsoft.Web/sites@2024-11-01",
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("copies") / "infra"


@pytest.fixture
def copy(place: Path) -> Path:
    """A copy to make mistakes in, always at the same path, so that unchanged files are parsed once."""
    shutil.rmtree(place, ignore_errors=True)
    return Path(shutil.copytree(INFRA, place))


def test_the_templates_have_no_mistake_that_can_be_found_here(resource_types: ResourceTypes) -> None:
    assert check(INFRA / "main.bicep", resource_types) == []


def test_every_file_is_part_of_what_is_deployed() -> None:
    assert set(FILES) == set(Files.of((INFRA / "main.bicep").resolve()).read)


def test_newer_stable_versions_are_known_and_left_on_purpose(resource_types: ResourceTypes) -> None:
    used = {full_type(file, found) for file in map(read, FILES) for found in file.resources.values()}
    newest = {(kind, version): resource_types.newest_stable(kind) for kind, version in used}
    assert {
        f"{kind}@{version}" for (kind, version), new in newest.items() if new and new != version
    } == OLDER_ON_PURPOSE


@Sweep("mistake", PLANTED.values(), every=12, ids=list(PLANTED))
def test_a_mistake_is_found(mistake: Mistake, copy: Path, resource_types: ResourceTypes) -> None:
    _make(mistake, copy)
    told = [str(problem) for problem in check(copy / "main.bicep", resource_types)]
    assert [text for text in told if mistake.told in text], told


@pytest.mark.parametrize("mistake", NOT_FOUND.values(), ids=NOT_FOUND.keys())
def test_what_cannot_be_found_is_named(mistake: Mistake, copy: Path, resource_types: ResourceTypes) -> None:
    _make(mistake, copy)
    assert check(copy / "main.bicep", resource_types) == []


def _make(mistake: Mistake, copy: Path) -> None:
    path = copy / mistake.file
    text = path.read_text(encoding="utf-8")
    assert mistake.old in text
    path.write_text(text.replace(mistake.old, mistake.new), encoding="utf-8")


def test_what_is_silenced_is_not_told_by_that_code(copy: Path, resource_types: ResourceTypes) -> None:
    """And what no type knows is known here, or is told as that."""
    path = copy / "modules" / "app.bicep"
    text = path.read_text(encoding="utf-8")
    changes = {
        text.replace("      #disable-next-line BCP037\n", ""): ["BCP037"],
        text.replace("BCP037", "BCP036"): ["BCP037"],
        text.replace("siteUpdateStrategy", "siteUpdateStrategi"): ["value"],
        text.replace("{ type: updateStrategy }", "{ type: 'Rolling${updateStrategy}' }"): ["service"] * 2,
    }
    for changed, codes in changes.items():
        path.write_text(changed, encoding="utf-8")
        assert [problem.code for problem in check(copy / "main.bicep", resource_types)] == codes


@given(data=st.data())
@settings(max_examples=CORRUPTED, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_a_file_says_the_check_ends_with_an_answer(
    data: st.DataObject, copy: Path, resource_types: ResourceTypes
) -> None:
    path = copy / data.draw(st.sampled_from([file.relative_to(INFRA) for file in FILES]))
    text = (INFRA / path.relative_to(copy)).read_text(encoding="utf-8")
    place = data.draw(st.integers(0, len(text) - 1))
    changed = text[:place] + data.draw(st.sampled_from([*"{}[]()':,.?=x1 \n", ""])) + text[place + 1 :]
    path.write_text(changed, encoding="utf-8")
    try:
        assert all(problem.text for problem in check(copy / "main.bicep", resource_types))
    finally:
        path.write_text(text, encoding="utf-8")


@given(data=st.data())
@settings(max_examples=CORRUPTED, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_stands_in_the_place_of_something_else_the_check_ends_with_an_answer(
    data: st.DataObject, copy: Path, resource_types: ResourceTypes
) -> None:
    path = copy / data.draw(st.sampled_from([file.relative_to(INFRA) for file in FILES]))
    text = (INFRA / path.relative_to(copy)).read_text(encoding="utf-8")
    words = list(WORD.finditer(text))
    place = data.draw(st.sampled_from(words))
    other = data.draw(st.sampled_from([*sorted({word[0] for word in words}), "'x'", "5", "null", "[]", "{}", "[null]"]))
    path.write_text(text[: place.start()] + other + text[place.end() :], encoding="utf-8")
    try:
        assert all(problem.text for problem in check(copy / "main.bicep", resource_types))
    finally:
        path.write_text(text, encoding="utf-8")
