"""Declares the keys of an extension's entry, and parses their values. Errors contain the line number."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any, Final, TypeVar

import yaml

from extensions.sign_in.methods import ByConsent, ByHeader, ClientCredentials, OnBehalfOfUser, SignIn
from extensions.upstream.upstream import Era
from refusal import Refusal
from yaml_file import YamlFile

T = TypeVar("T")
_LONGEST_TEXT: Final = 300
_MOST_WORDS: Final = 50
_SIGN_IN: Final = "sign-in"
_OF_A_CLIENT: Final = ("issuer", "client-id", "secret", "scope")
# The required and optional keys of each kind of sign-in.
_SIGN_INS: Final[Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "header": (("secret",), ("header", "before")),
    "on-behalf-of": (("scope",), ()),
    "client": (_OF_A_CLIENT[:3], ("scope", "hosts")),
    "consent": ((), (*_OF_A_CLIENT, "hosts")),
}
_OFFERS: Final = ("resources", "prompts")


class EntryValues(YamlFile):
    """Parses the values of an entry."""

    __slots__ = ()

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

    def words(self, node: yaml.Node) -> list[str]:
        if not isinstance(node, yaml.SequenceNode) or not 0 < len(node.value) <= _MOST_WORDS:
            self.fail(node, f"must be a list of 1 to {_MOST_WORDS} words")
        return [self.text(word, 2000) for word in node.value]

    def offers(self, node: yaml.Node) -> frozenset[str]:
        """Parse the setting that makes an extension also offer resources or prompts."""
        said = self.words(node)
        if unknown := [one for one in said if one not in _OFFERS]:
            self.fail(node, f"unknown offer {unknown[0]!r}. Valid: {', '.join(_OFFERS)}")
        return frozenset(said)

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
                self.fail(node, f"a sign-in of the kind {kind!r} cannot have {name!r}. Valid: {valid}")
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


Parser = Callable[[EntryValues, yaml.Node], Any]


def key(name: str, parse: Parser, default: Any) -> Any:
    """Declare a key: its name in the file, its parser, and the default of its field."""
    return field(default=default, metadata={"key": name, "parse": parse})


def text(longest: int) -> Parser:
    return lambda values, node: values.text(node, longest)


def whole_number(least: int, most: int) -> Parser:
    return lambda values, node: values.number(node, least, most)
