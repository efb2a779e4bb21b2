"""Reads the options of a deployment from the parameters of infra/main.bicep, and writes the parameters for azd."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from bicep_checker.shapes import OBJECT
from bicep_checker.template import Declaration, Template, read
from bicep_checker.values import Values

_INFRA: Final = Path(__file__).parent.parent / "infra"
_START_OF_WORD: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
# Defaults are literals, so there are no names to look up.
_VALUES: Final = Values(dict[str, Any]().__getitem__, _INFRA)


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


def _entry(parameter: Declaration, objects: Mapping[str, Mapping[str, str]]) -> str:
    if parameter.shape != OBJECT:
        return f'"{parameter.name}": {{ "value": "{_placeholder(parameter)}" }}'
    value = json.dumps({"value": objects[parameter.name]}, indent=2).replace("\n", "\n    ")
    return f'"{parameter.name}": {value}'


def _placeholder(parameter: Declaration) -> str:
    metadata = _decorated(parameter, "metadata") or {}
    variable, default = metadata.get("variable") or _upper_snake(parameter.name), _default(parameter)
    return f"${{{variable}={default}}}" if default else f"${{{variable}}}"


def _default(parameter: Declaration) -> str:
    value = _VALUES.of(parameter.value) if parameter.value else ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _decorated(parameter: Declaration, name: str) -> Any:
    call = parameter.decorated(name)
    return _VALUES.of(call.arguments[0]) if call else None


def _upper_snake(name: str) -> str:
    return _START_OF_WORD.sub("_", name).upper()
