"""The configuration of an extension, which is read before the extension's server is contacted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final

import yaml

from extensions.entry_values import EntryValues, key, text, whole_number
from extensions.installing.package import PackagedServer
from extensions.sign_in.methods import ANYBODY, ByConsent, OnBehalfOfUser, SignIn, page_of
from extensions.upstream.process import Command
from extensions.upstream.upstream import Era
from identity.access import Access

PATTERN: Final = re.compile(r"[A-Za-z0-9_./*?-]{1,128}")
_MOST_RULES: Final = 300
_MIB: Final = 1024 * 1024
_LEVELS: Final[Mapping[str, Access | None]] = {**{access.label: access for access in Access}, "none": None}


@dataclass(frozen=True, slots=True)
class AccessRule:
    """The access level of the tools whose names match the pattern. Tools without an access level are not offered."""

    pattern: str
    access: Access | None


def _rules(values: EntryValues, node: yaml.Node) -> Iterator[AccessRule]:
    for count, (pattern, value) in enumerate(values.entries(node, "tools")):
        if count >= _MOST_RULES:
            values.fail(value, f"there are more than {_MOST_RULES} rules for tools")
        if not PATTERN.fullmatch(pattern):
            values.fail(value, f"{pattern!r} is not a tool name or a pattern such as get_*")
        level = values.text(value)
        if level not in _LEVELS:
            values.fail(value, f"{level!r} is not an access level. Valid: {', '.join(_LEVELS)}")
        yield AccessRule(pattern, _LEVELS[level])


@dataclass(frozen=True, slots=True, kw_only=True)
class Installed:
    """The origin of an extension that a tool installed. `source` and `server` are empty for an installation by URL."""

    source: str = ""
    server: str = ""
    version: str = ""
    # Values for placeholders in the server's URL, each as name=value.
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """The configuration of an extension. This server ignores what the extension's server claims about its tools."""

    name: str
    description: str
    # The URL of the server, or the command that runs the server locally.
    url: str = key("url", text(2000), "")
    command: Command | None = None
    # The package that contains the server. The package is installed on first use.
    package: PackagedServer | None = None
    # The protocol era of the server, or None if the client detects the era.
    era: Era | None = key("era", EntryValues.era, None)
    # Whether the server's URL may point to this machine or to this machine's private network.
    is_private: bool = key("private", EntryValues.truth, default=False)
    sign_in: SignIn = key("sign-in", EntryValues.sign_in, ANYBODY)
    rules: tuple[AccessRule, ...] = key("tools", lambda values, node: tuple(_rules(values, node)), ())
    # The kinds of content that the extension offers in addition to tools: resources and prompts.
    offers: frozenset[str] = key("offers", EntryValues.offers, frozenset())
    # The time limit of a call.
    seconds: float = key("seconds", whole_number(1, 60), 30.0)
    # The size limit of an answer.
    largest: int = key("bytes", whole_number(1024, 8 * _MIB), 2 * _MIB)
    # The person or team that owns the extension.
    owner: str = key("owner", EntryValues.text, "")
    # For ready-made extensions: a note on features that are not tested.
    untried: str = ""
    # How a tool installed the extension, or None if the extension is in the operator's file.
    installed: Installed | None = None

    @property
    def place(self) -> str:
        if self.package:
            return str(self.package.package)
        return self.url or (self.command.words[0] if self.command else "")

    @property
    def is_personal(self) -> bool:
        """Whether the server is called on behalf of each user. In this case, each user may see different tools."""
        return isinstance(self.sign_in, OnBehalfOfUser | ByConsent)

    @property
    def is_consented(self) -> bool:
        """Whether each user signs in to the extension's server on a page of this server."""
        return isinstance(self.sign_in, ByConsent)

    @property
    def page(self) -> str:
        """The path of the page where users sign in to the extension's server."""
        return page_of(self.name)

    def access(self, tool: str) -> Access | None:
        """Return the access level of a tool. A rule with the tool's exact name applies first, then the first rule with
        a matching pattern. If no rule matches, return the highest level.
        """
        fitting = [rule for rule in self.rules if rule.pattern == tool]
        fitting += [rule for rule in self.rules if fnmatchcase(tool, rule.pattern)]
        return fitting[0].access if fitting else Access.DESTROY
