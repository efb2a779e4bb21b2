"""A new option is a parameter of the template: what azd passes on and the tables of the guide are written from it."""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from bicep_checker.template import Template
from scripts import deployment_options, generated_parts
from tests.infra.declared import MAIN

SETTINGS = {"MCP_NOTICE": "${MCP_NOTICE}"}


def _template(folder: Path, *lines: str) -> Template:
    path = folder / "main.bicep"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return deployment_options.read_template(path)


def _parameters(folder: Path, *lines: str) -> dict[str, Any]:
    text = deployment_options.parameters(_template(folder, *lines), {"settings": SETTINGS})
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


def test_the_guide_says_what_the_description_says(tmp_path: Path) -> None:
    template = _template(
        tmp_path,
        "@description('With VNET_ENABLED: the app\\'s port. See --help.')",
        "@metadata({ see: '[ports](ports.md)' })",
        "param appPort int = 0",
        "@description('Email address.')",
        "param alertEmail string = ''",
    )
    assert deployment_options.rows(template) == (
        "| `APP_PORT` | `0` | With `VNET_ENABLED`: the app's port. See `--help`. See [ports](ports.md). |\n"
        "| `ALERT_EMAIL` | | Email address. |\n"
    )


def test_every_option_has_a_description() -> None:
    declared = MAIN.of_kind("parameter").values()
    assert [parameter.name for parameter in declared if not parameter.decorated("description")] == []


def test_what_a_hook_sets_is_in_the_table_of_hooks_only(tmp_path: Path) -> None:
    by_a_hook = "@description('Whether it is there. Set by a hook before each provisioning.')"
    template = _template(tmp_path, by_a_hook, "param isThere bool = false", "param other int = 1")
    assert deployment_options.rows_of_hooks(template) == "| `IS_THERE` | `false` | Whether it is there. |\n"
    assert "IS_THERE" not in deployment_options.rows(template)


def test_what_azd_sets_and_what_people_bring_is_in_no_written_table(tmp_path: Path) -> None:
    of_azd = "@metadata({ variable: 'AZURE_LOCATION' })"
    template = _template(tmp_path, of_azd, "param location string", "param ownTags string = ''")
    assert deployment_options.rows(template) + deployment_options.rows_of_hooks(template) == ""


def test_a_part_that_is_not_found_is_an_error() -> None:
    part = generated_parts.GeneratedPart("docs/deploying.md", re.compile("no such table"), str)
    with pytest.raises(ValueError, match=re.escape("docs/deploying.md")):
        part.replaced("| option | default |\n")


def test_parts_of_the_same_file_are_all_written() -> None:
    patterns = {"# Deploying": re.compile("^# .*"), "## Before": re.compile("^## Prerequisites$", re.MULTILINE)}
    parts = [
        generated_parts.GeneratedPart("docs/deploying.md", pattern, partial(str, written))
        for written, pattern in patterns.items()
    ]
    written = generated_parts.with_parts(parts)["docs/deploying.md"]
    assert written.startswith("# Deploying\n")
    assert "\n## Before\n" in written
