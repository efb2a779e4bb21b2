"""Queries are read in the tokens in which Azure reads them; judged by Microsoft's own lexer."""

from __future__ import annotations

import json
from random import Random
from typing import Final

import pytest

from clients.azure.kql import tokens
from refusal import Refusal
from tests import npm
from tests.infra.kql import KUSTO

_TEXTS: Final = 20_000
_PIECES: Final = (
    *("'", '"', "`", "~", "```", "~~~", "@", "@'", '@"', "h", "h'", "H@'", "\\", "\\\\", "\\'", "\\x41", "\\d", "''"),
    *(
        "//",
        "/",
        "\n",
        "\r",
        " ",
        "\t",
        "#",
        "$left",
        "x",
        "1h",
        "2.5",
        "_y",
        "=~",
        "!~",
        "in~",
        "!in~",
        "=",
        "==",
        "|",
        "..",
    ),
    *("workspace", "(", "(", ")", ")", "[", "]", "{", "}", ";", ",", "datetime(", "guid (", "dynamic(", "bool(true)"),
    *("\u2028", "\ufeff", "\u200b", "\u180e", "\u00a0", "\f", "\0", "\u2018"),
)


def _generated() -> list[str]:
    chance = Random(4)  # noqa: S311 - the same texts each time
    plain = [piece for piece in _PIECES if piece.isascii() and piece.isprintable() and piece not in "#$`~@\\"]
    return [
        "".join(chance.choice(_PIECES if number % 4 == 0 else plain) for _ in range(chance.randint(1, 12)))
        for number in range(_TEXTS)
    ]


def _places(text: str) -> list[tuple[int, int]] | None:
    try:
        return [(token.end - len(token.text), token.end) for token in tokens(text)]
    except Refusal:
        return None


def test_no_text_hides_what_azure_reads() -> None:
    """One token of Azure's may be several here, such as `2.5`. Where one of its tokens ends, one ends here, too."""
    texts = _generated()
    asked = npm.installed(KUSTO).run("node", str(KUSTO / "lex.cjs"), script=json.dumps(texts))
    assert asked.returncode == 0, asked.stderr
    understood = 0
    for text, theirs in zip(texts, json.loads(asked.stdout), strict=True):
        if (ours := _places(text)) is None:
            continue
        understood += 1
        assert {start for start, _ in theirs} <= {start for start, _ in ours}, text
        assert {end for _, end in theirs} <= {end for _, end in ours}, text
    assert understood > _TEXTS / 5


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("print\u200b 1", "U+200B at character 6 of the query may only be used within quotes. Remove this character."),
        ("print a\u3164b", "U+3164 at character 8 of the query may only be used within quotes. Remove this character."),
        (
            r"print '\d'",
            "The string at character 7 of the query is not closed. Close the string on the same line. Double each"
            r" backslash, or write the string as in @'\d+'.",
        ),
        (
            "print 1 // a\u2028b",
            "The comment at character 9 of the query contains a character that ends a line. Remove this character.",
        ),
        ('print date(a, b + "c")', "date(...) must contain one plain value, for example datetime(2026-01-31)."),
    ],
)
def test_what_cannot_be_read_is_named_with_its_place(query: str, said: str) -> None:
    with pytest.raises(Refusal) as refused:
        tokens(query)
    assert str(refused.value) == said
