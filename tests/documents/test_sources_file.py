"""The documents file, as an operator may write it."""

from __future__ import annotations

import pytest

from documents.sources.declaration import SourceKind
from documents.sources_file import sources_in
from refusal import Refusal

GOOD = """
sources:
  handbook: {container: documents-team, below: guides/en, roles: [Reader], link: https://docs.example.com}
  code: {repository: Shop/web site, branch: main, files: ["**/*.md"], organization: acme, roles: [everyone]}
"""


def test_sources_are_read_as_they_stand_there() -> None:
    handbook, code = sources_in(GOOD, "documents.yaml").values()
    assert (handbook.kind, handbook.place, handbook.below) == (SourceKind.CONTAINER, "documents-team", "guides/en")
    assert (code.place, code.branch, code.files) == ("Shop/web site", "main", ("**/*.md",))
    assert handbook.opens_to(frozenset({"Reader"}))
    assert not handbook.opens_to(frozenset({"reader", "Readers", ""}))
    assert code.opens_to(frozenset())


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("", 0, "is empty"),
        ("sources:\n  - a\n", 2, "must consist of"),
        ("sourses:\n  a: b\n", 2, "unknown section 'sourses'"),
        ("sources:\n  a: {folder: file:///x}\n", 2, "nobody could read this source"),
        ("sources:\n  a: {folder: file:///x, roles: []}\n", 2, "roles must be a list"),
        ("sources:\n  a: {folder: file:///x, roles: everyone}\n", 2, "roles must be a list"),
        ("sources:\n  a: {folder: file:///x, roles: [a, a]}\n", 2, "duplicate"),
        ("sources:\n  a: {folder: ../x, roles: [a]}\n", 2, "file:///home"),
        ("sources:\n  a: {container: tasks, roles: [a]}\n", 2, "must be named documents"),
        ("sources:\n  a: {wiki: Shop, roles: [a]}\n", 2, "include its project"),
        ("sources:\n  a: {wiki: A/b, folder: file:///x, roles: [a]}\n", 2, "exactly one"),
        ("sources:\n  a: {wiki: A/b, link: https://a, roles: [a]}\n", 2, "cannot have 'link'"),
        ("sources:\n  a: {folder: file:///x, below: ../y, roles: [a]}\n", 2, "below must be a folder"),
        ("sources:\n  a: {folder: file:///x, link: 'javascript:1', roles: [a]}\n", 2, "https://"),
        ("sources:\n  a: {folder: file:///x, roles: [a]}\n  a: {folder: file:///x, roles: [a]}\n", 3, "duplicate key"),
        ("sources:\n  A b: {folder: file:///x, roles: [a]}\n", 2, "not a valid source name"),
        ("sources: {\n", 2, "not YAML"),
        ("sources: " + "[" * 1000, 0, "not valid YAML"),
        ("#" * 100_001, 0, "longer than 100000 characters"),
        ("{}", 1, "the section sources is missing"),
        ("sources: {}", 1, "must list 1 to 50 sources"),
        ("sources:\n  ? [a]\n  : b\n", 2, "a name must be a word"),
        ("sources:\n  a: {folder: '', roles: [a]}\n", 2, "folder must be text of 1 to 500 characters"),
    ],
)
def test_what_is_not_valid_is_refused_with_its_line(text: str, line: int, said: str) -> None:
    with pytest.raises(Refusal) as refused:
        sources_in(text, "documents.yaml")
    assert said in str(refused.value)
    assert not line or f"documents.yaml, line {line}:" in str(refused.value)
