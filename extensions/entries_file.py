"""Reads the extensions file. The file is validated before this server handles requests. Error messages contain the line
number in the file.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from shutil import which
from typing import Any, Final

import yaml

from extensions.entry import Entry
from extensions.entry_values import EntryValues
from extensions.installing.package import PackagedServer, PackageKind, constrained, package_in
from extensions.ready_made import NAME, ready_made
from extensions.sign_in.methods import check_sign_in
from extensions.upstream.connecting import checked
from extensions.upstream.process import Command
from identity.toolset_names import INSTALLED, PACKS, is_installed, problem_of_external
from refusal import Refusal

_MOST_ENTRIES: Final = 50
_SECTION: Final = "extensions"
_READY_MADE: Final = "ready-made"
_PACKS: Final = "packs"
_UNTRIED: Final = "untried"
# The keys that define how this server reaches an extension's server. Each entry has exactly one of these keys.
_WAYS: Final = ("url", "command", "package")
_OF_A_PACKAGE: Final = ("hash", "with", "program", "arguments")
_OF_A_PROCESS: Final = ("environment", "passed", "folder")
_HASH: Final = re.compile("sha256:[0-9a-f]{64}")
_SIGN_IN: Final = "sign-in"
# Maps the declared fields of an entry to their keys and parsers.
_DECLARED: Final = {one.name: one.metadata for one in fields(Entry) if one.metadata}
# Error messages list the keys in this order.
_KEYS: Final = tuple(
    dict.fromkeys(["description", *_WAYS, *_OF_A_PACKAGE, *_OF_A_PROCESS, *(one["key"] for one in _DECLARED.values())])
)
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_NO_CHILDREN: Final = "processes may be started only on a laptop, unless EXTENSIONS_CHILDREN is true"


def entries_in(
    text: str, name: str, own: Collection[str], environment: Mapping[str, str] | None = None
) -> tuple[Entry, ...]:
    """Parse the text of an extensions file. `own` contains the names of this server's own toolsets.

    If `environment` is None, no process may be started. A process gets only those variables of `environment` that the
    file lists for it.

    Raises:
        Refusal: The file is invalid. The message contains the line number.
    """
    file = _File(name, own, environment)
    document = file.document(text, ". If you use no extensions, leave EXTENSIONS_FILE unset.")
    sections = dict(file.entries(document, "the file", [_SECTION, _READY_MADE, _PACKS]))
    if not sections:
        raise Refusal(f"{name} has no section {_SECTION!r}.")
    own_ones = file.entries(sections[_SECTION], _SECTION) if _SECTION in sections else ()
    entries = [file.entry(key, node) for key, node in own_ones]
    entries += file.switched_on(sections[_READY_MADE], entries) if _READY_MADE in sections else []
    entries += file.packed(sections[_PACKS], entries) if _PACKS in sections else []
    if len(entries) > _MOST_ENTRIES:
        raise Refusal(f"{name} has more than {_MOST_ENTRIES} extensions.")
    return tuple(entries)


@dataclass(frozen=True, slots=True)
class _File(EntryValues):
    own: Collection[str]
    environment: Mapping[str, str] | None = field(repr=False)
    # Additional keys that an entry in the extensions file may have.
    more: tuple[str, ...] = ()

    def switched_on(self, node: yaml.Node, besides: Sequence[Entry]) -> list[Entry]:
        """Return the ready-made extensions that the file lists by name."""
        known = ready_made()
        taken = {entry.name for entry in besides}
        entries: list[Entry] = []
        for name in self.words(node):
            if name not in known:
                self.fail(node, f"unknown ready-made extension {name!r}. Valid: {', '.join(known)}")
            if name in taken:
                self.fail(node, f"{name!r} appears twice in this file")
            taken.add(name)
            entries.append(self.ready_made(name))
        return entries

    def packed(self, node: yaml.Node, besides: Sequence[Entry]) -> list[Entry]:
        """Return the extensions in the listed packs, except those with their own entry in the file."""
        if unknown := [pack for pack in self.words(node) if pack not in PACKS]:
            self.fail(node, f"unknown pack {unknown[0]!r}. Valid: {', '.join(PACKS)}")
        parts = dict.fromkeys(part for pack in self.words(node) for part in PACKS[pack] if part in ready_made())
        return [self.ready_made(part) for part in parts if part not in {entry.name for entry in besides}]

    def ready_made(self, name: str) -> Entry:
        return replace(self, name=NAME, more=(_UNTRIED,)).entry(name, ready_made()[name])

    def entry(self, name: str, node: yaml.Node) -> Entry:
        if problem := problem_of_external(name, self.own):
            self.fail(node, f"{name!r} {problem}")
        if name == INSTALLED or is_installed(name):
            self.fail(node, f"{name!r} is reserved for extensions installed by a tool")
        said = dict(self.entries(node, name, (*_KEYS, *self.more)))
        if "description" not in said:
            self.fail(node, f"{name} has no description")
        if sum(way in said for way in _WAYS) != 1:
            self.fail(node, f"{name} must have exactly one of {', '.join(_WAYS)}")
        self.check_way(said)
        entry = Entry(
            name=name,
            description=self.text(said["description"]),
            command=self.command(said) if "command" in said else None,
            package=self.package(said) if "package" in said else None,
            **self.declared(said),
            untried=self.text(said[_UNTRIED]) if _UNTRIED in said else "",
        )
        if "url" in said:
            self.refused(said["url"], lambda: checked(entry.url, is_private=entry.is_private))
        if _SIGN_IN in said:
            if not entry.url:
                self.fail(
                    said[_SIGN_IN],
                    f"{_SIGN_IN!r} requires `url`; pass the secrets of a local process in its environment",
                )
            self.refused(said[_SIGN_IN], lambda: check_sign_in(entry))
        return entry

    def declared(self, said: Mapping[str, yaml.Node]) -> dict[str, Any]:
        """Parse the declared keys in an entry. The fields of missing keys keep their defaults."""
        given = {name: one for name, one in _DECLARED.items() if one["key"] in said}
        return {name: one["parse"](self, said[one["key"]]) for name, one in given.items()}

    def command(self, said: Mapping[str, yaml.Node]) -> Command:
        environment = self.surroundings(said, said["command"])
        words = self.words(said["command"])
        program = which(words[0])
        if program is None:
            self.fail(said["command"], f"program {words[0]!r} not found")
        return Command(words=(program, *words[1:]), environment=environment, folder=self.folder(said))

    def check_way(self, said: Mapping[str, yaml.Node]) -> None:
        """If an entry has a URL, reject settings that apply only to packages or processes."""
        for key in _OF_A_PACKAGE if "package" not in said else ():
            if key in said:
                self.fail(said[key], f"{key!r} requires `package`")
        for key in _OF_A_PROCESS if "url" in said else ():
            if key in said:
                self.fail(said[key], f"{key!r} requires `command` or `package`")

    def folder(self, said: Mapping[str, yaml.Node]) -> str:
        """Parse the working folder of a process."""
        if "folder" not in said:
            return "/"
        path = Path(self.text(said["folder"]))
        if not path.is_absolute() or not path.is_dir():
            self.fail(said["folder"], "folder must be the absolute path of an existing folder")
        return str(path)

    def package(self, said: Mapping[str, yaml.Node]) -> PackagedServer:
        node = said["package"]
        environment = self.surroundings(said, node)
        digest = self.text(said["hash"]) if "hash" in said else ""
        if digest and not _HASH.fullmatch(digest):
            self.fail(said["hash"], "hash must be `sha256:` followed by 64 hexadecimal digits")
        package = self.refused(node, lambda: package_in(self.text(node)))
        if "with" in said:
            package = self.refused(said["with"], lambda: constrained(package, self.words(said["with"])))
        if package.kind is PackageKind.AZD and "program" in said:
            self.fail(said["program"], "an archive cannot have `program`, because its source sets the program")
        return PackagedServer(
            package=package,
            digest=digest,
            program=self.text(said["program"]) if "program" in said else "",
            arguments=tuple(self.words(said["arguments"])) if "arguments" in said else (),
            environment=environment,
            folder=self.folder(said),
        )

    def surroundings(self, said: Mapping[str, yaml.Node], node: yaml.Node) -> dict[str, str]:
        """Parse the environment variables of a process."""
        if self.environment is None:
            self.fail(node, _NO_CHILDREN)
        given = self.entries(said["environment"], "environment") if "environment" in said else ()
        environment = {self.variable(key, value): self.text(value, 2000) for key, value in given}
        for variable in self.words(said["passed"]) if "passed" in said else ():
            self.variable(variable, said["passed"])
            if variable in self.environment:
                environment[variable] = self.environment[variable]
        return environment

    def variable(self, name: str, node: yaml.Node) -> str:
        if not _VARIABLE.fullmatch(name):
            self.fail(node, f"{name!r} is not a valid variable name")
        return name
