"""Where sentences end, and what of a Markdown page is said in sentences."""

from __future__ import annotations

import pytest

from documents.summarizing.prose import LONGEST_BLOCK, blocks, plain_of
from documents.summarizing.sentences import sentences


@pytest.mark.parametrize(
    ("text", "parted"),
    [
        ("It runs at night. It takes an hour.", ["It runs at night.", "It takes an hour."]),
        ("Use Python 3.11 or 3.12.1. Nothing else.", ["Use Python 3.11 or 3.12.1.", "Nothing else."]),
        ("See e.g. Contoso, i.e. The shop. Go.", ["See e.g. Contoso, i.e. The shop.", "Go."]),
        ("Ask Dr. No, Mr. J. K. Smith or Ms. Lee.", ["Ask Dr. No, Mr. J. K. Smith or Ms. Lee."]),
        ("Keep logs, metrics, etc. The rest goes.", ["Keep logs, metrics, etc.", "The rest goes."]),
        ("It is issue No. 5 of them. Mend it.", ["It is issue No. 5 of them.", "Mend it."]),
        ("Is it on? Yes! It is.", ["Is it on?", "Yes!", "It is."]),
        ("He said “no.” Then he left.", ["He said “no.”", "Then he left."]),
        ("Wait… It works.", ["Wait…", "It works."]),
        ("Read config.yaml and app.py. Then go.", ["Read config.yaml and app.py.", "Then go."]),
        ("It is at example.com/a.b?c. Done.", ["It is at example.com/a.b?c.", "Done."]),
        ("M. Lambert et Mme Girard sont là. L'un part.", ["M. Lambert et Mme Girard sont là.", "L'un part."]),
        ("Une copie, p. ex. Avant minuit. Puis rien.", ["Une copie, p. ex. Avant minuit.", "Puis rien."]),
        ("Il dit « oui. » Elle dit non.", ["Il dit « oui. »", "Elle dit non."]),
        ("Prêt ? Oui ! Été 2026.", ["Prêt ?", "Oui !", "Été 2026."]),
        ("Il ne faut pas, cf. Annexe. Fin.", ["Il ne faut pas, cf. Annexe.", "Fin."]),
        ("这是第一句。这是第二句\uff01", ["这是第一句。", "这是第二句\uff01"]),
        ("No stop at all", ["No stop at all"]),
        ("  ", []),
    ],
)
def test_a_sentence_ends_where_a_reader_hears_it_end(text: str, parted: list[str]) -> None:
    assert sentences(text) == parted


@pytest.mark.parametrize(
    ("marked", "plain"),
    [
        ("Use **bold**, _slanted_ and `a_b*c`.", "Use bold, slanted and a_b*c."),
        ("See [the page](https://x.example/a_(b)) and <https://y.example>.", "See the page and https://y.example."),
        ("![alt](a.png)Then [one][1].", "Then one."),
        ("Keep snake_case_names and 2 * 3 * 4.", "Keep snake_case_names and 2 * 3 * 4."),
        (r"An \*asterisk\* &amp; more", "An *asterisk* & more"),
        ("A <b>bold</b> word, a ~~gone~~ one", "A bold word, a gone one"),
    ],
)
def test_marks_are_not_read_out(marked: str, plain: str) -> None:
    assert plain_of(marked) == plain


PAGE = """
First line
goes on here. <!-- not
this -->

    code = 1

| a | b |
|---|---|
| c | d |

```python
print("not this.")
```

~~~
nor this.
~~~

> [!NOTE]
> What is quoted counts if a > b holds.

- An item
  that goes on
- [x] Another item
1. A numbered one

<div>html is left out</div>
[1]: https://x.example
---
Last.
"""


def test_prose_is_paragraphs_and_items_without_code_tables_and_html() -> None:
    assert list(blocks(PAGE)) == [
        "First line goes on here.",
        "What is quoted counts if a > b holds.",
        "An item that goes on",
        "Another item",
        "A numbered one",
        "Last.",
    ]


HOSTILE = [
    "[",
    "](",
    "`",
    "``a`",
    "<a ",
    "**",
    "> ",
    "<!--",
    "\\",
    "a.b.",
    "| ",
    "((",
    "!",
    "e.g. ",
    "&amp",
    "- ",
    "~~",
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_text_is_read_to_its_end_in_bounded_pieces(piece: str) -> None:
    text = f"{piece * (200_000 // len(piece))}\n\nThe end."
    told = [sentence for block in blocks(text) for sentence in sentences(block)]
    assert max(map(len, told), default=0) <= LONGEST_BLOCK
