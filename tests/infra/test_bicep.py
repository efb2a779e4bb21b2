"""The templates fit together and fit Azure's schemas; and the check that says so finds mistakes."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.infra.bicep import resource_types as types_module
from tests.infra.bicep.check import check, full_type
from tests.infra.bicep.resource_types import ResourceTypes
from tests.infra.bicep.template import read
from tests.infra.mistakes import MISTAKES, NOT_FOUND, Mistake

INFRA: Final = Path(__file__).parents[2] / "infra"
FILES: Final = sorted(INFRA.rglob("*.bicep"))


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return Path(shutil.copytree(INFRA, tmp_path / "infra"))


def test_the_templates_have_no_mistake_that_can_be_found_here(resource_types: ResourceTypes) -> None:
    assert check(INFRA / "main.bicep", resource_types) == []


def test_every_file_is_part_of_what_is_deployed() -> None:
    used = {INFRA / module.reference for module in read(INFRA / "main.bicep").of_kind("module").values()}
    assert set(FILES) == used | {INFRA / "main.bicep"}


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES.keys())
def test_a_mistake_is_found(mistake: Mistake, copy: Path, resource_types: ResourceTypes) -> None:
    _make(mistake, copy)
    told = [str(problem) for problem in check(copy / "main.bicep", resource_types)]
    assert [text for text in told if mistake.told in text and Path(mistake.file).name in text], told


@pytest.mark.parametrize("mistake", NOT_FOUND.values(), ids=NOT_FOUND.keys())
def test_what_cannot_be_found_is_named(mistake: Mistake, copy: Path, resource_types: ResourceTypes) -> None:
    _make(mistake, copy)
    assert check(copy / "main.bicep", resource_types) == []


def _make(mistake: Mistake, copy: Path) -> None:
    path = copy / mistake.file
    text = path.read_text(encoding="utf-8")
    assert mistake.old in text
    path.write_text(text.replace(mistake.old, mistake.new), encoding="utf-8")


def test_schemas_by_hand_are_only_for_what_azure_s_tool_lacks(resource_types: ResourceTypes) -> None:
    by_hand = yaml.safe_load(types_module.BY_HAND.read_text(encoding="utf-8"))
    used = {"@".join(full_type(file, found)) for file in map(read, FILES) for found in file.resources.values()}
    assert by_hand.keys() <= used
    resource_types.prepare(kind.partition("@")[0] for kind in used)
    known = {name for name, found in resource_types.read.items() if found}
    # The dashboard's type is there in an older version, without the definition that makes it useful.
    assert known & {kind.partition("@")[0] for kind in by_hand} <= {"Microsoft.Dashboard/dashboards"}


@given(data=st.data())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
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
