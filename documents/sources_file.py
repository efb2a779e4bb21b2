"""Reads the operator's documents file, which lists the sources and the roles that may read each source.

If no roles are listed for a source, nobody can read it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import yaml

from documents.sources.declaration import Declared, SourceKind
from yaml_file import YamlFile

SOURCES: Final = "sources"
MOST_SOURCES: Final = 50
_LONGEST_TEXT: Final = 500
_MOST_LISTED: Final = 50
_NAME: Final = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?")
# Only containers with these names can be sources, so the server's own data is never a source.
_CONTAINER: Final = re.compile(r"documents(?:-[a-z0-9]{1,40})?")
_IN_A_PROJECT: Final = re.compile(r"[^/\\?#\x00-\x1f]{1,200}/[^/\\?#\x00-\x1f]{1,200}")
_ROLES, _FILES, _BELOW, _BRANCH, _ORGANIZATION, _LINK = "roles", "files", "below", "branch", "organization", "link"
_OF_FILES: Final = (_ROLES, _FILES, _BELOW, _LINK)
_OF_DEVOPS: Final = (_ROLES, _FILES, _BELOW, _BRANCH, _ORGANIZATION)
_KEYS: Final[Mapping[SourceKind, tuple[str, ...]]] = {
    SourceKind.FOLDER: _OF_FILES,
    SourceKind.CONTAINER: _OF_FILES,
    SourceKind.WIKI: _OF_DEVOPS,
    SourceKind.REPOSITORY: _OF_DEVOPS,
}
_FOLDER_SCHEME: Final = "file://"


def sources_in(text: str, name: str) -> Mapping[str, Declared]:
    """Parse the text of a documents file. Return a map from the name of each source to the source.

    Raises:
        Refusal: The file is invalid. The message contains the line number.
    """
    return _Reading(name).sources(text)


@dataclass(frozen=True, slots=True)
class _Reading(YamlFile):
    def sources(self, text: str) -> Mapping[str, Declared]:
        document = self.document(text, ". List sources in the file.")
        sections = dict(self.entries(document, "the file"))
        for section, node in sections.items():
            if section != SOURCES:
                self.fail(node, f"unknown section {section!r}. The only valid section is {SOURCES}")
        if SOURCES not in sections:
            self.fail(document, f"the section {SOURCES} is missing")
        found = {name: self._source(name, node) for name, node in self.entries(sections[SOURCES], SOURCES)}
        if not 1 <= len(found) <= MOST_SOURCES:
            self.fail(sections[SOURCES], f"{SOURCES} must list 1 to {MOST_SOURCES} sources")
        return found

    def _source(self, name: str, node: yaml.Node) -> Declared:
        if not _NAME.fullmatch(name):
            self.fail(node, f"{name!r} is not a valid source name: use 1 to 40 lowercase letters, digits and hyphens")
        said = dict(self.entries(node, name))
        kind = self._kind(name, node, said)
        self._check_keys(kind, said)
        if _ROLES not in said:
            self.fail(node, f"{name} has no {_ROLES}, so nobody could read this source. List roles, or [everyone]")
        return self._declared(name, kind, said)

    def _check_keys(self, kind: SourceKind, said: Mapping[str, yaml.Node]) -> None:
        for key, value in said.items():
            if key not in {kind, *_KEYS[kind]}:
                self.fail(value, f"a {kind} cannot have {key!r}. Valid: {', '.join((kind, *_KEYS[kind]))}")

    def _declared(self, name: str, kind: SourceKind, said: Mapping[str, yaml.Node]) -> Declared:
        return Declared(
            name=name,
            kind=kind,
            place=self._place(kind, said[kind]),
            roles=frozenset(self._texts(said[_ROLES], _ROLES)),
            below=self._below(said.get(_BELOW)),
            files=tuple(self._texts(said[_FILES], _FILES)) if _FILES in said else (),
            **{key: self._text(said[key], key) for key in (_BRANCH, _ORGANIZATION) if key in said},
            link=self._link(said[_LINK]) if _LINK in said else "",
        )

    def _kind(self, name: str, node: yaml.Node, said: Mapping[str, yaml.Node]) -> SourceKind:
        kinds = [kind for kind in SourceKind if kind in said]
        if len(kinds) != 1:
            self.fail(node, f"{name} must have exactly one of {', '.join(SourceKind)}")
        return kinds[0]

    def _place(self, kind: SourceKind, node: yaml.Node) -> str:
        place = self._text(node, kind)
        if kind is SourceKind.FOLDER:
            if not place.startswith(f"{_FOLDER_SCHEME}/"):
                self.fail(node, f"a {kind} must be a URL, for example file:///home/me/handbook")
            return place.removeprefix(_FOLDER_SCHEME)
        if kind is SourceKind.CONTAINER and not _CONTAINER.fullmatch(place):
            self.fail(node, f"a {kind} must be named documents or documents-<1 to 40 lowercase letters or digits>")
        if kind in {SourceKind.WIKI, SourceKind.REPOSITORY} and not _IN_A_PROJECT.fullmatch(place):
            self.fail(node, f"a {kind} must include its project, for example Shop/website")
        return place

    def _below(self, node: yaml.Node | None) -> str:
        if node is None:
            return ""
        folder = self._text(node, _BELOW).strip("/")
        if not folder or {"", ".", ".."}.intersection(folder.split("/")) or "\\" in folder:
            self.fail(node, f"{_BELOW} must be a folder, for example docs/guides")
        return folder

    def _link(self, node: yaml.Node) -> str:
        link = self._text(node, _LINK)
        if not link.startswith("https://"):
            self.fail(node, f"{_LINK} must be a URL that starts with https://")
        return link

    def _texts(self, node: yaml.Node, where: str) -> list[str]:
        if not isinstance(node, yaml.SequenceNode) or not 1 <= len(node.value) <= _MOST_LISTED:
            self.fail(node, f"{where} must be a list of 1 to {_MOST_LISTED} entries, for example [one, two]")
        found = [self._text(entry, where) for entry in node.value]
        if len(set(found)) < len(found):
            self.fail(node, f"{where} contains a duplicate")
        return found

    def _text(self, node: yaml.Node, where: str) -> str:
        value = node.value if isinstance(node, yaml.ScalarNode) else ""
        if not value or not value.isprintable() or len(value) > _LONGEST_TEXT:
            self.fail(node, f"{where} must be text of 1 to {_LONGEST_TEXT} characters")
        return str(value)
