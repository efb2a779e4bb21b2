"""The file of extensions: what it may say, and which line is named where it says something else."""

from __future__ import annotations

from pathlib import Path

import pytest

from extensions.entries_file import entries_in
from extensions.entry import AccessRule, Entry
from extensions.sign_in.methods import ByConsent, ByHeader, ClientCredentials, OnBehalfOfUser
from extensions.upstream.upstream import Era
from identity.access import Access
from refusal import Refusal
from tests.extensions.place import app_at

WHOLE = """
extensions:
  docs:
    description: Microsoft's documentation.
    url: https://docs.example.com/api/mcp
    era: handshake
    tools:
      search_*: read
      "*_page": write
      search_page: none
    seconds: 20
    bytes: 100000
    owner: web@example.com
  inside:
    description: Our own.
    url: http://10.0.0.4:8080/mcp
    private: true
"""


def test_all_that_it_says_is_read() -> None:
    rules = (AccessRule("search_*", Access.READ), AccessRule("*_page", Access.WRITE), AccessRule("search_page", None))
    docs, inside = entries_in(WHOLE, "extensions.yaml", [])
    assert docs == Entry(
        name="docs",
        description="Microsoft's documentation.",
        url="https://docs.example.com/api/mcp",
        era=Era.HANDSHAKE,
        rules=rules,
        seconds=20,
        largest=100_000,
        owner="web@example.com",
    )
    assert inside.is_private


def test_the_very_name_decides_then_the_first_pattern_then_nobody() -> None:
    docs = entries_in(WHOLE, "extensions.yaml", [])[0]
    names = ("search_page", "search_web_page", "a_page", "other")
    assert [docs.access(name) for name in names] == [None, Access.READ, Access.WRITE, Access.DESTROY]


_OF_DOCS = "extension-docs-s"
SIGN_INS = {
    "{kind: header, secret: extension-docs-key}": ByHeader("extension-docs-key"),
    "{kind: header, secret: extension-docs-key, header: X-Key, before: 'Key '}": ByHeader(
        "extension-docs-key", "X-Key", "Key "
    ),
    "{kind: on-behalf-of, scope: https://x.example/.default}": OnBehalfOfUser("https://x.example/.default"),
    "{kind: client, issuer: https://i.example, client-id: c, secret: extension-docs-s, hosts: [t.example]}": (
        ClientCredentials(issuer="https://i.example", client_id="c", secret=_OF_DOCS, hosts=frozenset({"t.example"}))
    ),
    "{kind: consent}": ByConsent(),
    "{kind: consent, issuer: https://i.example, client-id: c, scope: a b}": ByConsent(
        issuer="https://i.example", client_id="c", scope="a b"
    ),
}


@pytest.mark.parametrize("text", SIGN_INS)
def test_it_says_how_one_signs_in(text: str) -> None:
    (docs,) = entries_in(f"{ENTRY}    sign-in: {text}\n", "extensions.yaml", [])
    assert docs.sign_in == SIGN_INS[text]


ENTRY = "extensions:\n  docs:\n    description: Words.\n    url: https://docs.example.com/mcp\n"
WRONG = {
    "": "is empty",
    f"{ENTRY}    sign-in: header\n": "line 5: sign-in must consist of",
    f"{ENTRY}    sign-in: {{secret: x}}\n": "line 5: sign-in must have a kind. Valid: header, on-behalf-of",
    f"{ENTRY}    sign-in: {{kind: key}}\n": "line 5: sign-in must have a kind",
    f"{ENTRY}    sign-in: {{kind: header}}\n": "line 5: a sign-in of the kind 'header' must have 'secret'",
    f"{ENTRY}    sign-in: {{kind: header, secret: x, scope: y}}\n": "cannot have 'scope'. Valid: secret",
    f"{ENTRY}    sign-in: {{kind: consent, client-id: c}}\n": "so it must name both `client-id` and `issuer`",
    f"{ENTRY}    sign-in: {{kind: consent, header: c}}\n": "cannot have 'header'. Valid: issuer, client-id",
    f"{ENTRY}    sign-in: {{kind: header, secret: the-state-key}}\n": "line 5: The secret of the extension 'docs'",
    f"{ENTRY}    sign-in: {{kind: header, secret: extension-other-key}}\n": "must be named extension-docs-",
    f"{ENTRY}    sign-in: {{kind: header, secret: extension-docs-key, header: Host}}\n": "secret in this header",
    "extensions:\n  docs:\n    description: W.\n    command: [sh]\n    sign-in: {kind: on-behalf-of, scope: x}\n": (
        "processes may be started only"
    ),
    "extensions": "line 1: the file must consist of `name: value` lines",
    "other: 1": "line 1: unknown key 'other' in the file. Valid: extensions",
    "extensions: [a]": "line 1: extensions must consist",
    "extensions: {a: [}": "line 1: this is not YAML",
    "{}": "has no section 'extensions'",
    "extensions:\n  docs: {url: https://a.example.com}": "line 2: docs has no description",
    "extensions:\n  docs: {description: a}": "line 2: docs must have exactly one of url, command, package",
    "extensions:\n  Docs: {}": "line 2: 'Docs' is not a valid name",
    "extensions:\n  azure: {}": "line 2: 'azure' is a reserved word",
    "extensions:\n  office-x: {}": "would belong to the group 'office'",
    f"{ENTRY}    colour: red": "line 5: unknown key 'colour' in docs. Valid: description, url, command",
    f"{ENTRY}    url: https://b.example.com": "line 5: duplicate key 'url'",
    f"{ENTRY}    era: stone": "line 5: unknown era 'stone'. Valid: current, handshake",
    f"{ENTRY}    private: yes": "line 5: must be true or false",
    f"{ENTRY}    seconds: 61": "line 5: must be a whole number from 1 to 60",
    f"{ENTRY}    seconds: ²": "line 5: must be a whole number",
    f"{ENTRY}    bytes: 1": "line 5: must be a whole number from 1024",
    f"{ENTRY}    owner: ''": "line 5: must be one line of 1 to 300 characters",
    f"{ENTRY}    tools: {{a: all}}": "line 5: 'all' is not an access level. Valid: read, write, destroy, none",
    f"{ENTRY}    tools: {{'a b': read}}": "line 5: 'a b' is not a tool name or a pattern",
    "extensions:\n  docs:\n    description: a\n    url: http://docs.example.com": "line 4: The address must look like",
    "extensions:\n  docs: {description: a, private: true, url: 'file:///etc'}": "line 2: The URL of a private",
    f"{ENTRY}    tools: {{{', '.join(f't{n}: read' for n in range(301))}}}": "line 5: there are more than 300",
    "extensions:\n"
    + "".join(f"  d{n}: {{description: a, url: https://a.example.com}}\n" for n in range(51)): "more than 50",
    "#" * 100_001: "longer than 100000 characters",
    f"{ENTRY}---\na: b": "not YAML",
    "[" * 200: "not YAML",
}


@pytest.mark.parametrize("text", WRONG)
def test_what_is_wrong_is_named_with_its_line(text: str) -> None:
    with pytest.raises(Refusal) as told:
        entries_in(text, "extensions.yaml", ["office-notes"])
    assert WRONG[text] in str(told.value)
    assert str(told.value).startswith("extensions.yaml")


def test_a_process_has_no_sign_in() -> None:
    text = f"{ENTRY}    sign-in: {{kind: on-behalf-of, scope: a}}".replace(
        "url: https://docs.example.com/mcp", "command: [sh]"
    )
    with pytest.raises(
        Refusal, match="line 5: 'sign-in' requires `url`; pass the secrets of a local process in its environment"
    ):
        entries_in(text, "extensions.yaml", [], {})


def test_the_app_does_not_start_with_a_wrong_one(tmp_path: Path) -> None:
    with pytest.raises(Refusal, match=r"extensions\.yaml, line 3: docs must have exactly one of url"):
        app_at(tmp_path, "\n  docs: {description: a}\n")
