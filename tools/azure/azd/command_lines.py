"""Builds command lines for people to run. Only known commands and options are allowed, and values cannot break out of
their quotes.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from refusal import Refusal

_LONGEST: Final = 1000
# Characters that a shell interprets even in quotes. On Windows, cmd runs `az`, and does not support single quotes.
_SPECIAL: Final = re.compile(r"[\"`%&|<>^!\u2018-\u201f\u2032\u2033]")
_PLAIN: Final = re.compile(r"[A-Za-z0-9_/:.-]+")
_WORDS: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[\s-]+")

# Validates a value, and returns it in the format that the command expects.
Form = Callable[[str], str]


def matching(pattern: str, example: str) -> Form:
    """Return a validator for values that match a pattern completely."""
    form = re.compile(pattern)

    def checked(value: str) -> str:
        if not form.fullmatch(value):
            raise Refusal(f"must look like {example}.")
        return value

    return checked


def one_of(*values: str) -> Form:
    """Return a validator for an option that accepts only these values."""

    def checked(value: str) -> str:
        if value not in values:
            raise Refusal(f"must be {' or '.join(values)}.")
        return value

    return checked


def any_text(value: str) -> str:
    return value


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a command. Positional options have no `flag`, and switches have no value.

    If `file` is set, the value is written to that file, and the command line contains the file name instead.
    """

    flag: str
    form: Form = any_text
    is_required: bool = False
    is_switch: bool = False
    file: str = ""

    def parts(self, name: str, value: Any) -> list[str]:
        """Return the command line arguments for this option, if the value is valid."""
        if self.is_switch:
            if not isinstance(value, bool):
                raise Refusal(f"`{name}` must be true or false.")
            return [self.flag] if value else []
        if not isinstance(value, str):
            raise Refusal(f"`{name}` must be a string.")
        if self.file:
            return [self.flag, self.file]
        return [*([self.flag] if self.flag else []), _checked(name, value.strip(), self.form)]


@dataclass(frozen=True, slots=True)
class AzdCommand:
    """A command: its effect, its requirements, and how to check its result."""

    words: str
    does: str
    needs: str
    check: str
    options: Mapping[str, Option]
    always: Sequence[str] = ()
    # Maps an option's name in the public extensions to its name here, if the two names differ.
    renamed: Mapping[str, str] = field(default_factory=dict)
    # The reasons why certain options must not be used, by option name.
    refused: Mapping[str, str] = field(default_factory=dict)

    def line(self, given: Mapping[str, Any]) -> list[str]:
        """Return the command line as a list of words. Refuse options that are unknown, missing or unsafe."""
        named = self.named(given)
        for name, why in self.refused.items():
            if name in named:
                raise Refusal(why)
        unknown = sorted(named.keys() - self.options.keys())
        missing = [name for name, option in self.options.items() if option.is_required and named.get(name) is None]
        if unknown or missing:
            raise Refusal(f"{self._wrong(unknown, missing)} {self.takes}")
        parts = [part for name, one in self.options.items() if name in named for part in one.parts(name, named[name])]
        return [*self.words.split(" "), *parts, *self.always]

    def named(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the given values by option name."""
        return {self._named(name): value for name, value in given.items() if value is not None}

    def files(self, given: Mapping[str, Any]) -> dict[str, str]:
        """Return the names and contents of the files to create before the command runs."""
        named = self.named(given)
        return {
            one.file: one.form(str(named[name])) for name, one in self.options.items() if one.file and name in named
        }

    @property
    def takes(self) -> str:
        listed = [name if option.is_required else f"{name}?" for name, option in self.options.items()]
        if not listed:
            return f"`{self.words}` takes no parameters."
        return f"Parameters of `{self.words}` (? means optional): {', '.join(listed)}."

    def _named(self, name: str) -> str:
        plain = "_".join(word.lower() for word in _WORDS.split(name) if word)
        return self.renamed.get(name) or self.renamed.get(plain) or plain

    def _wrong(self, unknown: Sequence[str], missing: Sequence[str]) -> str:
        # Unknown option names are not repeated, because they may contain any text.
        parts = [f"Missing: {', '.join(missing)}."] if missing else []
        return " ".join([*parts, *([f"Unknown parameters: {len(unknown)}."] if unknown else [])])


def _checked(name: str, value: str, form: Form) -> str:
    if not value or len(value) > _LONGEST or not value.isprintable():
        raise Refusal(f"`{name}` must be one line of 1 to {_LONGEST} characters.")
    if _SPECIAL.search(value) or value[0] in "-@" or value.endswith("\\"):
        raise Refusal(
            f"`{name}` is not safe on a command line: it must not begin with - or @, must not end with a"
            " backslash, and must not contain quotes (double or typographic) or any of ` % & | < > ^ !."
        )
    try:
        return form(value)
    except Refusal as refusal:
        raise Refusal(f"`{name}` {refusal}") from None


def in_bash(line: Sequence[str]) -> str:
    return shlex.join(line)


def in_powershell(line: Sequence[str]) -> str:
    """Quote a command line for PowerShell, where a single quote inside single quotes is written twice."""
    return " ".join(part if _PLAIN.fullmatch(part) else "'" + part.replace("'", "''") + "'" for part in line)
