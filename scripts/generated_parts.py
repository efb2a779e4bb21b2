"""Generates parts of files that are otherwise written by hand, from the code: settings, options of a deployment, file
formats and forms of notices.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Final

from bicep_checker.template import Template
from notifying.forms import CHANNELS, FORMS, WEBHOOK, NoticeForm
from scripts import deployment_options
from settings import OWN_GROUPS
from tools import PROVIDERS
from updates.showing.exports import LABELS

_ROOT: Final = Path(__file__).parent.parent


@dataclass(frozen=True)
class GeneratedPart:
    """A part of a file: the pattern that matches the part, and the function that writes it."""

    file: str
    pattern: re.Pattern[str]
    write: Callable[[], str]

    def replaced(self, text: str) -> str:
        """Return the text with the current part. The rest stays unchanged."""
        replaced, count = self.pattern.subn(lambda _: self.write(), text, count=1)
        if not count:
            raise ValueError(f"{self.file} has no text that matches {self.pattern.pattern!r}")
        return replaced


def files() -> dict[str, str]:
    return with_parts(_PARTS)


def with_parts(parts: Iterable[GeneratedPart]) -> dict[str, str]:
    """Return the files of these parts with all current parts, by name. A file can have several parts."""
    texts: dict[str, str] = {}
    for part in parts:
        text = texts.get(part.file) or (_ROOT / part.file).read_text(encoding="utf-8")
        texts[part.file] = part.replaced(text)
    return texts


@cache
def _template() -> Template:
    return deployment_options.read_template()


def _parameters() -> str:
    settings = {name: f"${{{name}}}" for name in _names_of_settings()}
    objects = {"ownNames": deployment_options.names_of_resources(), "settings": settings}
    return deployment_options.parameters(_template(), objects)


def _options() -> str:
    return deployment_options.rows(_template())


def _values_of_hooks() -> str:
    return deployment_options.rows_of_hooks(_template())


def _names_of_settings() -> Iterable[str]:
    """The settings that operators set with `azd env set`. Secrets come from the vault instead."""
    groups = [*OWN_GROUPS.values(), *(provider.settings for provider in PROVIDERS)]
    declared = [entry for group in groups for entry in fields(group)]
    return [entry.metadata["name"] for entry in declared if entry.repr and entry.metadata["set_by"] == "operator"]


def _public_paths() -> str:
    return "".join(f"            '/updates.{form}'\n" for form in sorted(LABELS))


def _formats() -> str:
    return "".join(f"| `/updates.{form}` | {label} |\n" for form, label in LABELS.items())


def _targets() -> str:
    return "".join(_target(name, form) for name, form in FORMS.items())


def _target(name: str, form: NoticeForm) -> str:
    entry = f"<name> {name} <address>"
    if not form.permission:
        return f"| {form.label} | `{entry}` | the URL of {form.url} | {form.arrives} |\n"
    url = f"the URL of {form.url}; the token must be allowed to {form.permission}"
    return f"| {form.label} | `{entry} <token>` | {url} | {form.arrives} |\n"


def _channels() -> str:
    return "".join(_channel(name, form) for name, form in CHANNELS.items())


def _channel(name: str, form: NoticeForm) -> str:
    secret = "a `secret` of at least 24 bytes, and " if name == WEBHOOK else ""
    return f"| `{name}` | {secret}the `url` of {form.url} | {form.arrives} |\n"


_PARTS: Final = (
    # The values that azd gives the parameters of the template.
    GeneratedPart(
        "infra/main.parameters.json",
        re.compile(r'(?<="parameters": \{\n).*(?=  \}\n\}\n)', re.DOTALL),
        _parameters,
    ),
    # The table of options. The rows after the first setting are written by hand.
    GeneratedPart(
        "docs/deploying.md",
        re.compile(r"(?<=\| option \| default \| meaning \|\n\|---\|---\|---\|\n)(?:\|.*\n)*?(?=\| `TASKS_SCOPES` )"),
        _options,
    ),
    # The table of values that a hook sets.
    GeneratedPart(
        "docs/deploying.md",
        re.compile(r"(?<=\| value \| default \| meaning \|\n\|---\|---\|---\|\n)(?:\|.*\n)*"),
        _values_of_hooks,
    ),
    # The paths of files in the list of paths that need no sign-in.
    GeneratedPart("infra/modules/authentication.bicep", re.compile(r"(?: +'/updates\.\w+'\n)+"), _public_paths),
    # The table of file formats.
    GeneratedPart("docs/updates.md", re.compile(r"(?:\| `/updates\.\w+` \|.*\n)+"), _formats),
    # The table of targets in NOTIFY_PLACES.
    GeneratedPart("docs/changes.md", re.compile(r"(?:\| [^|\n]+ \| `<name> [a-z-]+ <address>.*\n)+"), _targets),
    # The table of the destinations that users can enter for their watches.
    GeneratedPart("docs/watches.md", re.compile(r"(?:\| `[a-z-]+` \| .*the `url` of .*\n)+"), _channels),
)
