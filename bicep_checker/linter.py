"""Implements the rules of Bicep's linter, at the levels in bicepconfig.json."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final

from bicep_checker.expressions import Call, Expression, If, Member, Name, Object, Property, Text
from bicep_checker.findings import WARNING
from bicep_checker.functions import EACH_TIME
from bicep_checker.subject import Subject
from bicep_checker.template import names_in

_HOSTS: Final = (
    *("api.loganalytics.io", "asazure.windows.net", "azuredatalakeanalytics.net", "azuredatalakestore.net"),
    *("batch.core.windows.net", "core.windows.net", "database.windows.net", "datalake.azure.net"),
    *("gallery.azure.com", "graph.windows.net", "login.microsoftonline.com", "management.azure.com"),
    *("management.core.windows.net", "servicebus.windows.net", "trafficmanager.net", "vault.azure.net"),
)
_OF_A_CLOUD: Final = re.compile(rf"(?<![\w-])({'|'.join(map(re.escape, _HOSTS))})(?![\w-])")
_SECRET_NAME: Final = re.compile(r"password|pwd|secret$|accountkey|acctkey", re.IGNORECASE)
_SECRET_READ: Final = re.compile(r"list\w*|getSecret")
_ID: Final = re.compile(r"\w+Id")
_USUAL: Final = {"no-unnecessary-dependson": WARNING, "no-unused-existing-resources": WARNING}


def check(subject: Subject) -> None:
    levels = _levels(subject.template.path)
    for rule in (_unused, _hosts, _outputs, _secure, _ids, _unstable, _needless):
        for line, code, text in rule(subject):
            level = levels.get(code, _USUAL.get(code, WARNING))
            if level != "off":
                subject.tell(line, code, text, level)


def _levels(path: Path) -> Mapping[str, str]:
    config = next((found for folder in path.parents if (found := folder / "bicepconfig.json").is_file()), None)
    return _read_levels(config) if config else {}


@cache
def _read_levels(config: Path) -> Mapping[str, str]:
    rules = json.loads(config.read_text(encoding="utf-8")).get("analyzers", {}).get("core", {}).get("rules", {})
    return {name: rule["level"] for name, rule in rules.items() if "level" in rule}


Found = Iterator[tuple[int, str, str]]


def _unused(subject: Subject) -> Found:
    names = {name for declaration in subject.template.declarations for _, name in subject.template.names(declaration)}
    codes = {"parameter": "no-unused-params", "variable": "no-unused-vars"}
    for declaration in subject.template.declarations:
        if declaration.kind in codes and declaration.name not in names:
            yield declaration.line, codes[declaration.kind], f"the {declaration.kind} {declaration.name} is never used"
    for entry in subject.declarations("resource"):
        if entry.existing and entry.name not in names and not entry.children:
            yield entry.line, "no-unused-existing-resources", f"the resource {entry.name} is never used"


def _hosts(subject: Subject) -> Found:
    for found in _expressions(subject):
        if isinstance(found, Text):
            for part in found.parts:
                if isinstance(part, str) and (host := _OF_A_CLOUD.search(part)):
                    text = f"{host[0]} is valid in one cloud only: use environment()"
                    yield found.line, "no-hardcoded-env-urls", text


def _outputs(subject: Subject) -> Found:
    secure = {name for name, found in subject.template.of_kind("parameter").items() if found.decorated("secure")}
    for output in subject.declarations("output"):
        parts = list(output.value.everything()) if output.value else []
        if "password" in output.name.lower() or any(_reads_a_secret(part, secure) for part in parts):
            yield output.line, "outputs-should-not-contain-secrets", f"the output {output.name} contains a secret"


def _reads_a_secret(part: Expression, secure: set[str]) -> bool:
    if isinstance(part, Call):
        return bool(_SECRET_READ.fullmatch(part.function))
    return isinstance(part, Name) and part.name in secure


def _secure(subject: Subject) -> Found:
    for parameter in subject.declarations("parameter"):
        value = parameter.value
        if not parameter.decorated("secure"):
            if _SECRET_NAME.search(parameter.name):
                yield parameter.line, "secure-secrets-in-params", f"the parameter {parameter.name} needs @secure()"
            continue
        empty = isinstance(value, Text) and value.literal == ""
        made = isinstance(value, Call) and value.function == "newGuid"
        nothing = isinstance(value, Object) and not value.properties
        if value and not (empty or made or nothing):
            yield parameter.line, "secure-parameter-default", f"the secure parameter {parameter.name} has a default"


def _ids(subject: Subject) -> Found:
    """Report resource IDs that are literal text or members of a loop variable. The linter does not recognize these as
    resource IDs.
    """
    for entry in subject.declarations("resource"):
        if entry.body is None or entry.existing:
            continue
        local = set(entry.loop.names) if entry.loop else set()
        for found in _properties(entry.body):
            value = found.value
            if isinstance(found.key, str) and _ID.fullmatch(found.key) and _picked(value, local):
                yield found.line, "use-resource-id-functions", f"{found.key} must be recognizable as an id"


def _picked(value: Expression, local: set[str]) -> bool:
    if isinstance(value, Text):
        return (value.literal or "").startswith("/subscriptions/")
    if not isinstance(value, Member) or value.name.lower() != "resourceid":
        return False
    return isinstance(value.of, Name) and value.of.name in local


def _unstable(subject: Subject) -> Found:
    """Report resource names that change with each deployment."""
    parameters = subject.template.of_kind("parameter")
    changing = {name for name, found in parameters.items() if found.value and _each_time(found.value)}
    for entry in subject.declarations("resource"):
        name = entry.body.named.get("name") if entry.body else None
        for line, used_name in names_in(name) if name else ():
            if used_name in changing:
                yield line, "use-stable-resource-identifiers", f"the name of {entry.name} changes with each deployment"


def _each_time(value: Expression) -> bool:
    return any(isinstance(part, Call) and part.function in EACH_TIME for part in value.everything())


def _needless(subject: Subject) -> Found:
    for entry in subject.declarations("resource", "module"):
        said = entry.body.named.get("dependsOn") if entry.body else None
        if entry.body is None or said is None:
            continue
        others = [found.value for found in entry.body.properties if found.key != "dependsOn"]
        inner = entry.loop.body if entry.loop else entry.value
        others += [inner.condition] if isinstance(inner, If) else []
        seen = {name for value in others for name in _followed(subject, value)}
        for line, name in names_in(said):
            declared = subject.template.symbols.get(name)
            if name in seen and declared and not declared.existing:
                yield line, "no-unnecessary-dependson", f"{entry.name} refers to {name}, so dependsOn is redundant"


def _followed(subject: Subject, value: Expression) -> Iterator[str]:
    """Yield the names that an expression uses, directly or through variables."""
    for _, name in names_in(value):
        yield name
        variable = subject.template.of_kind("variable").get(name)
        if variable and variable.value:
            yield from _followed(subject, variable.value)


def _properties(value: Object) -> Iterator[Property]:
    for found in value.everything():
        if isinstance(found, Object):
            yield from found.properties


def _expressions(subject: Subject) -> Iterator[Expression]:
    for declaration in subject.template.declarations:
        yield from subject.template.expressions(declaration)
