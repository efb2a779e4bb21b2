"""A new option is a parameter of the template: what azd passes on is written from it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from scripts import deployment_options, generated_parts

SETTINGS = {"MCP_NOTICE": "${MCP_NOTICE}"}


def _parameters(folder: Path, *lines: str) -> dict[str, Any]:
    path = folder / "main.bicep"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    text = deployment_options.parameters(deployment_options.read_template(path), {"settings": SETTINGS})
    written: dict[str, Any] = json.loads(f"{{{text}}}")
    return {name: entry["value"] for name, entry in written.items()}


@pytest.mark.parametrize(
    ("declared", "placeholder"),
    [
        ("param storageUndeleteDays int = 7", "${STORAGE_UNDELETE_DAYS=7}"),
        ("param logDailyQuotaGb int = -1", "${LOG_DAILY_QUOTA_GB=-1}"),
        ("param instanceMemoryMB int = 0", "${INSTANCE_MEMORY_MB=0}"),
        ("param vnetEnabled bool = false", "${VNET_ENABLED=false}"),
        ("param alertEmail string = ''", "${ALERT_EMAIL}"),
        ("param updateStrategy string = 'Recreate'", "${UPDATE_STRATEGY=Recreate}"),
        ("param location string", "${LOCATION}"),
    ],
)
def test_an_option_has_the_name_and_the_default_of_its_parameter(
    declared: str, placeholder: str, tmp_path: Path
) -> None:
    assert list(_parameters(tmp_path, declared).values()) == [placeholder]


def test_a_parameter_can_name_its_variable(tmp_path: Path) -> None:
    written = _parameters(tmp_path, "@metadata({ variable: 'OWN_OPENAI_ID' })", "param ownOpenAiId string = ''")
    assert written == {"ownOpenAiId": "${OWN_OPENAI_ID}"}


def test_an_object_gets_the_values_that_are_computed_for_it(tmp_path: Path) -> None:
    assert _parameters(tmp_path, "param settings object = {}") == {"settings": SETTINGS}


def test_a_template_with_an_error_is_not_written_as_one_without_parameters(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=re.escape("main.bicep has an error in line ")):
        _parameters(tmp_path, "param storageUndeleteDays int =", "param other int = 1")


def test_a_part_that_is_not_found_is_an_error() -> None:
    part = generated_parts.GeneratedPart("docs/deploying.md", re.compile("no such table"), str)
    with pytest.raises(ValueError, match=re.escape("docs/deploying.md")):
        part.replaced("| option | default |\n")
