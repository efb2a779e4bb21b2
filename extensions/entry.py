"""The configuration of another server, before it is contacted."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final

from extensions.installing.package import PackagedServer
from extensions.sign_in.methods import ANYBODY, ByConsent, OnBehalfOfUser, SignIn, page_of
from extensions.upstream.process import Command
from extensions.upstream.upstream import Era
from identity.access import Access

DEFAULT_SECONDS: Final = 30.0
DEFAULT_BYTES: Final = 2 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class AccessRule:
    """The access of tools with matching names; without access they are not offered."""

    pattern: str
    access: Access | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Installed:
    """The source and server from which a tool installed it; empty if installed by URL."""

    source: str = ""
    server: str = ""
    version: str = ""
    # Inputs in its URL, each as name=value.
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One extension. What its server claims about its tools' effects is ignored."""

    name: str
    description: str
    # The server's location: a URL, or a command to run locally.
    url: str = ""
    command: Command | None = None
    # Or a package, installed on first use.
    package: PackagedServer | None = None
    # Detected if not set.
    era: Era | None = None
    # Whether its URL may be on this machine or its private network.
    is_private: bool = False
    sign_in: SignIn = ANYBODY
    rules: tuple[AccessRule, ...] = ()
    # What its server offers besides tools: resources, prompts.
    offers: frozenset[str] = frozenset()
    seconds: float = DEFAULT_SECONDS
    largest: int = DEFAULT_BYTES
    # Its owner.
    owner: str = ""
    # What is untested, for ready-made extensions.
    untried: str = ""
    # Empty if it is in the operator's file.
    installed: Installed | None = None

    @property
    def place(self) -> str:
        if self.package:
            return str(self.package.package)
        return self.url or (self.command.words[0] if self.command else "")

    @property
    def is_personal(self) -> bool:
        """Whether its server is called on behalf of each user, and may offer each something different."""
        return isinstance(self.sign_in, OnBehalfOfUser | ByConsent)

    @property
    def is_consented(self) -> bool:
        """Whether each person signs in to its server on one of our pages."""
        return isinstance(self.sign_in, ByConsent)

    @property
    def page(self) -> str:
        """The path of the page on which people sign in there."""
        return page_of(self.name)

    def access(self, tool: str) -> Access | None:
        """The access of a tool: by the rule with its exact name, else the first match, else the highest."""
        fitting = [rule for rule in self.rules if rule.pattern == tool]
        fitting += [rule for rule in self.rules if fnmatchcase(tool, rule.pattern)]
        return fitting[0].access if fitting else Access.DESTROY
