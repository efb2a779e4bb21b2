"""Reads the extensions file. The file is validated before this server handles requests. Error messages contain the line
number in the file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from shutil import which
from typing import Final, TypeVar

import yaml

from extensions.entry import DEFAULT_BYTES, DEFAULT_SECONDS, AccessRule, Entry
from extensions.installing.package import PackagedServer, PackageKind, constrained, package_in
from extensions.ready_made import NAME, ready_made
from extensions.sign_in.methods import (
    ANYBODY,
    ByConsent,
    ByHeader,
    ClientCredentials,
    OnBehalfOfUser,
    SignIn,
    check_sign_in,
)
from extensions.upstream.connecting import checked
from extensions.upstream.process import Command
from extensions.upstream.upstream import Era
from identity.access import Access
from identity.toolset_names import INSTALLED, PACKS, is_installed, problem_of_external
from refusal import Refusal
from yaml_file import YamlFile

T = TypeVar("T")
_MOST_ENTRIES: Final = 50
_MOST_RULES: Final = 300
_LONGEST_TEXT: Final = 300
_MOST_SECONDS: Final = 60
_MOST_BYTES: Final = 8 * 1024 * 1024
_LEAST_BYTES: Final = 1024
PATTERN: Final = re.compile(r"[A-Za-z0-9_./*?-]{1,128}")
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
_OF_A_PLACE: Final = (*_WAYS, *_OF_A_PACKAGE, *_OF_A_PROCESS, "era", "private", _SIGN_IN)
_OF_A_CLIENT: Final = ("issuer", "client-id", "secret", "scope")
# The required and optional keys of each kind of sign-in.
_SIGN_INS: Final[Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "header": (("secret",), ("header", "before")),
    "on-behalf-of": (("scope",), ()),
    "client": (_OF_A_CLIENT[:3], ("scope", "hosts")),
    "consent": ((), (*_OF_A_CLIENT, "hosts")),
}
_KEYS: Final = ("description", *_OF_A_PLACE, "tools", "offers", "seconds", "bytes", "owner")
_MOST_WORDS: Final = 50
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_NO_CHILDREN: Final = "processes may be started only on a laptop, or if EXTENSIONS_CHILDREN is true"
_OFFERS: Final = ("resources", "prompts")
_NONE: Final = "none"
_LEVELS: Final[Mapping[str, Access | None]] = {**{access.label: access for access in Access}, _NONE: None}


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
    document = file.document(text, ". Without extensions, leave EXTENSIONS_FILE unset.")
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
class _File(YamlFile):
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
            url=self.text(said["url"], 2000) if "url" in said else "",
            command=self.command(said) if "command" in said else None,
            package=self.package(said) if "package" in said else None,
            era=self.era(said["era"]) if "era" in said else None,
            is_private=self.truth(said["private"]) if "private" in said else False,
            sign_in=self.sign_in(said[_SIGN_IN]) if _SIGN_IN in said else ANYBODY,
            rules=tuple(self.rules(said["tools"])) if "tools" in said else (),
            offers=self.offers(said["offers"]) if "offers" in said else frozenset(),
            seconds=self.number(said["seconds"], 1, _MOST_SECONDS) if "seconds" in said else DEFAULT_SECONDS,
            largest=self.number(said["bytes"], _LEAST_BYTES, _MOST_BYTES) if "bytes" in said else DEFAULT_BYTES,
            owner=self.text(said["owner"]) if "owner" in said else "",
            untried=self.text(said[_UNTRIED]) if _UNTRIED in said else "",
        )
        if "url" in said:
            self.refused(said["url"], lambda: checked(entry.url, is_private=entry.is_private))
        if _SIGN_IN in said:
            if not entry.url:
                self.fail(said[_SIGN_IN], "a local process gets its secrets in its environment")
            self.refused(said[_SIGN_IN], lambda: check_sign_in(entry))
        return entry

    def sign_in(self, node: yaml.Node) -> SignIn:
        """Parse the sign-in settings for the extension's server: the `kind`, and the keys that this kind requires."""
        nodes = dict(self.entries(node, _SIGN_IN))
        kind = self.text(nodes.pop("kind")) if "kind" in nodes else ""
        if kind not in _SIGN_INS:
            self.fail(node, f"sign-in must have a kind. Valid: {', '.join(_SIGN_INS)}")
        needed, more = _SIGN_INS[kind]
        for name in needed:
            if name not in nodes:
                self.fail(node, f"a sign-in of the kind {kind!r} must have {name!r}")
        for name in nodes:
            if name not in needed + more:
                valid = ", ".join(needed + more)
                self.fail(node, f"a sign-in of the kind {kind!r} has no {name!r}. Valid: {valid}")
        hosts = frozenset(self.words(nodes.pop("hosts"))) if "hosts" in nodes else frozenset()
        words = {name: self.text(value) for name, value in nodes.items()}
        match kind:
            case "header":
                return ByHeader(words["secret"], words.get("header", "Authorization"), words.get("before", ""))
            case "on-behalf-of":
                return OnBehalfOfUser(words["scope"])
            case _:
                made = ClientCredentials if kind == "client" else ByConsent
                issuer, client, secret, scope = (words.get(name, "") for name in _OF_A_CLIENT)
                return made(issuer=issuer, client_id=client, secret=secret, scope=scope, hosts=hosts)

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
            self.fail(said["hash"], "hash must be sha256: and 64 hexadecimal digits")
        package = self.refused(node, lambda: package_in(self.text(node)))
        if "with" in said:
            package = self.refused(said["with"], lambda: constrained(package, self.words(said["with"])))
        if package.kind is PackageKind.AZD and "program" in said:
            self.fail(said["program"], "an archive has exactly one program, set by its source")
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

    def words(self, node: yaml.Node) -> list[str]:
        if not isinstance(node, yaml.SequenceNode) or not 0 < len(node.value) <= _MOST_WORDS:
            self.fail(node, f"must be a list of 1 to {_MOST_WORDS} words")
        return [self.text(word, 2000) for word in node.value]

    def variable(self, name: str, node: yaml.Node) -> str:
        if not _VARIABLE.fullmatch(name):
            self.fail(node, f"{name!r} is not a valid variable name")
        return name

    def rules(self, node: yaml.Node) -> Iterator[AccessRule]:
        for count, (pattern, value) in enumerate(self.entries(node, "tools")):
            if count >= _MOST_RULES:
                self.fail(value, f"there are more than {_MOST_RULES} rules for tools")
            if not PATTERN.fullmatch(pattern):
                self.fail(value, f"{pattern!r} is not a tool name or a pattern such as get_*")
            level = self.text(value)
            if level not in _LEVELS:
                self.fail(value, f"{level!r} is not an access level. Valid: {', '.join(_LEVELS)}")
            yield AccessRule(pattern, _LEVELS[level])

    def offers(self, node: yaml.Node) -> frozenset[str]:
        """Parse the setting that makes an extension also offer resources or prompts."""
        said = self.words(node)
        if unknown := [one for one in said if one not in _OFFERS]:
            self.fail(node, f"unknown offer {unknown[0]!r}. Valid: {', '.join(_OFFERS)}")
        return frozenset(said)

    def text(self, node: yaml.Node, longest: int = _LONGEST_TEXT) -> str:
        value = node.value if isinstance(node, yaml.ScalarNode) else ""
        if not value or not value.isprintable() or len(value) > longest:
            self.fail(node, f"must be one line of 1 to {longest} characters")
        return str(value)

    def number(self, node: yaml.Node, least: int, most: int) -> int:
        text = self.text(node)
        number = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else -1
        if not least <= number <= most:
            self.fail(node, f"must be a whole number from {least} to {most}")
        return number

    def truth(self, node: yaml.Node) -> bool:
        text = self.text(node)
        if text not in {"true", "false"}:
            self.fail(node, "must be true or false")
        return text == "true"

    def era(self, node: yaml.Node) -> Era:
        text = self.text(node)
        if text not in list(Era):
            self.fail(node, f"unknown era {text!r}. Valid: {', '.join(Era)}")
        return Era(text)

    def refused(self, node: yaml.Node, check: Callable[[], T]) -> T:
        try:
            return check()
        except Refusal as refusal:
            self.fail(node, str(refusal).rstrip("."))
