"""What is said of another server, before anything is known by it."""

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
    """How far the tools go whose names fit; without an access they are not offered at all."""

    pattern: str
    access: Access | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Installed:
    """Of which server of which source somebody installed it by a tool; of none where they named an address."""

    source: str = ""
    server: str = ""
    version: str = ""
    # What stands in its address for what that wants, each as name=value.
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One extension. What its own server says of what its tools do decides nothing."""

    name: str
    description: str
    # Where the server is: at an address, or a process of this machine that runs a command.
    url: str = ""
    command: Command | None = None
    # Or one that is started out of a package, which is installed when it is first needed.
    package: PackagedServer | None = None
    # Unless it is said, the server is asked for it.
    era: Era | None = None
    # Whether its address may lead to what only this machine or its network reaches.
    is_private: bool = False
    sign_in: SignIn = ANYBODY
    rules: tuple[AccessRule, ...] = ()
    # What of its server is offered beside tools: resources, prompts.
    offers: frozenset[str] = frozenset()
    seconds: float = DEFAULT_SECONDS
    largest: int = DEFAULT_BYTES
    # Who looks after it.
    owner: str = ""
    # What nobody could try of it, where it is one of those that are known here.
    untried: str = ""
    # Nothing where the operator's own file has it.
    installed: Installed | None = None

    @property
    def place(self) -> str:
        if self.package:
            return str(self.package.package)
        return self.url or (self.command.words[0] if self.command else "")

    @property
    def is_personal(self) -> bool:
        """Whether its server is asked in the name of whoever calls, and may offer something else to each."""
        return isinstance(self.sign_in, OnBehalfOfUser | ByConsent)

    @property
    def is_consented(self) -> bool:
        """Whether each person signs in at its server, on a page of this one."""
        return isinstance(self.sign_in, ByConsent)

    @property
    def page(self) -> str:
        """The path of the page on which people sign in there."""
        return page_of(self.name)

    def access(self, tool: str) -> Access | None:
        """How far a tool of this name goes: the rule with the very name, else the first that fits, else the utmost."""
        fitting = [rule for rule in self.rules if rule.pattern == tool]
        fitting += [rule for rule in self.rules if fnmatchcase(tool, rule.pattern)]
        return fitting[0].access if fitting else Access.DESTROY
