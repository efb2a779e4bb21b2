"""Reads the options of a deployment from the parameters of infra/main.bicep, and writes them as parameters for azd and
as rows of the tables in docs/deploying.md.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from bicep_checker.shapes import OBJECT
from bicep_checker.template import Declaration, Template, read
from bicep_checker.values import Values

_INFRA: Final = Path(__file__).parent.parent / "infra"
# Options with this ending are set by a hook, and are in a table of their own.
_BY_A_HOOK: Final = " Set by a hook before each provisioning."
# The names of azd's own variables, and of options whose tables are written by hand.
_NOT_IN_TABLES: Final = ("AZURE_", "OWN_")
_START_OF_WORD: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
# The words of a description that the tables show as code.
_CODE: Final = re.compile(r"\b[A-Z]+(?:_[A-Z]+)+\b|--[a-z]+\b")
# Defaults and the arguments of decorators are literals, so there are no names to look up.
_VALUES: Final = Values(dict[str, Any]().__getitem__, _INFRA)


@dataclass(frozen=True, slots=True)
class DeploymentOption:
    """A parameter of the template, and the variable with which operators set it. `see` is a link of the guide."""

    variable: str
    default: str
    description: str
    see: str = ""

    @property
    def placeholder(self) -> str:
        return f"${{{self.variable}={self.default}}}" if self.default else f"${{{self.variable}}}"

    @property
    def row(self) -> str:
        default = f" `{self.default}` " if self.default else " "
        text = _CODE.sub(r"`\g<0>`", self.description.removesuffix(_BY_A_HOOK))
        return f"| `{self.variable}` |{default}| {text}{f' See {self.see}.' if self.see else ''} |\n"


def read_template(path: Path = _INFRA / "main.bicep") -> Template:
    found = read(path)
    if found.flaws:
        line, _, problem = found.flaws[0]
        raise ValueError(f"{path.name} has an error in line {line}: {problem}")
    return found


def parameters(template: Template, objects: Mapping[str, Mapping[str, str]]) -> str:
    """Write an entry for each parameter of the template. `objects` has the values of parameters that are objects."""
    entries = [_entry(found, objects) for found in template.of_kind("parameter").values()]
    return ",\n".join(f"    {entry}" for entry in entries) + "\n"


def names_of_resources() -> dict[str, str]:
    """Map each kind of resource to the placeholder of its name, which operators can choose."""
    kinds = json.loads((_INFRA / "abbreviations.json").read_text(encoding="utf-8"))
    return {kind: f"${{{_upper_snake(kind)}_NAME}}" for kind in kinds}


def rows(template: Template) -> str:
    """Write the rows of the options that operators set."""
    return _rows(option for option in _options(template) if not option.description.endswith(_BY_A_HOOK))


def rows_of_hooks(template: Template) -> str:
    """Write the rows of the options that a hook sets."""
    return _rows(option for option in _options(template) if option.description.endswith(_BY_A_HOOK))


def _rows(options: Iterable[DeploymentOption]) -> str:
    return "".join(option.row for option in options if not option.variable.startswith(_NOT_IN_TABLES))


def _entry(parameter: Declaration, objects: Mapping[str, Mapping[str, str]]) -> str:
    if parameter.shape != OBJECT:
        return f'"{parameter.name}": {{ "value": "{_option(parameter).placeholder}" }}'
    value = json.dumps({"value": objects[parameter.name]}, indent=2).replace("\n", "\n    ")
    return f'"{parameter.name}": {value}'


def _options(template: Template) -> list[DeploymentOption]:
    declared = template.of_kind("parameter").values()
    return [_option(parameter) for parameter in declared if parameter.shape != OBJECT]


def _option(parameter: Declaration) -> DeploymentOption:
    metadata = _decorated(parameter, "metadata") or {}
    return DeploymentOption(
        variable=metadata.get("variable") or _upper_snake(parameter.name),
        default=_default(parameter),
        description=_decorated(parameter, "description") or "",
        see=metadata.get("see", ""),
    )


def _default(parameter: Declaration) -> str:
    value = _VALUES.of(parameter.value) if parameter.value else ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _decorated(parameter: Declaration, name: str) -> Any:
    call = parameter.decorated(name)
    return _VALUES.of(call.arguments[0]) if call else None


def _upper_snake(name: str) -> str:
    return _START_OF_WORD.sub("_", name).upper()
