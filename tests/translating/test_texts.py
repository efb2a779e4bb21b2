"""Whatever a text has in it: what is not to be translated comes back byte for byte, in order, with its structure."""

from __future__ import annotations

import os
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from translating.spans import Terms, protected
from translating.text import LONGEST_SEGMENT, TranslatableText

EXAMPLES = int(os.environ.get("FUZZ_TRANSLATING", "60"))

SPANS = [
    "`code of 5`",
    "``a ` b``",
    "{name}",
    "{{ x }}",
    "${HOME}",
    "$HOME",
    "%s",
    "%1$d",
    "%(count)d",
    "%PATH%",
    "<b>",
    "</b>",
    '<a href="x.html" title="Some words">',
    "<https://example.com/path>",
    "https://example.com/a/b?c=d#e",
    "ada.lovelace@example.com",
    "[^note]",
    "&nbsp;",
    r"\*",
    "<!-- a remark -->",
]
BLOCKS = [
    "```python\nprint('words')\n```\n",
    "~~~\nsome words\n\nmore\n~~~\n",
    "---\n",
    "| Name | What it is |\n| --- | :-: |\n| `a|b` | some words |\n",
    "[ref]: https://example.com 'Some title'\n",
    "<!-- words\nmore words -->\n",
    "\n    indented code\n\n",
    "1. first thing\n2. second thing\n   goes on\n",
    "- [ ] open\n- [x] done\n  - below\n",
    "> quoted words\n> and more of them\n",
    "# A heading\n",
    "Another heading\n===============\n",
    "## Closed heading ##\n",
    "Words, and a line\nthat goes on here\nand here.\n",
    "A line with a hard break  \nand another\\\none.\n",
    'See [the guide](docs/guide.md "Title") and ![a picture](a.png) or [a note][note].\n',
    "Some **bold** words, *soft* ones and ~~gone~~ ones.\n",
]
WORDS = ["bread", "oven", "Customers pay.", "It works!", "déjà vu", "パン", "a", "of the"]

lines = st.lists(st.sampled_from([*SPANS, *WORDS]), min_size=1, max_size=12).map(" ".join).map(lambda line: f"{line}\n")
texts = st.lists(st.sampled_from(BLOCKS) | lines | st.just("\n"), max_size=12).map("".join)


def shouted(word: str) -> str:
    return " ".join(letters[::-1].upper() for letters in word.split(" "))


def translated(text: TranslatableText) -> str:
    """What comes of it where each part is turned round, word by word."""
    of_each = {}
    for place in text.asked:
        segment = text.segments[place]
        words = [shouted(one) if one.strip() else one for one in segment.words]
        made = segment.from_marked("".join(f"{one}⟦{n}⟧" for n, one in enumerate(words))[: -len(f"⟦{len(words) - 1}⟧")])
        assert made is not None
        of_each[place] = made
    return text.with_segments(of_each)


def kept(text: str) -> list[str]:
    found: list[str] = []
    for piece in TranslatableText.of(text).segments:
        found += piece.spans
    return found


@given(texts)
@settings(max_examples=EXAMPLES, deadline=None)
def test_a_text_of_which_nothing_is_translated_is_the_text(text: str) -> None:
    assert TranslatableText.of(text).with_segments({}) == text


@given(st.text(alphabet=" \n\t`*_[]()<>|~{}$%#-+>1.:=\\!abé\r", max_size=200))
@settings(max_examples=EXAMPLES * 3, deadline=None)
def test_any_text_comes_back(text: str) -> None:
    assert TranslatableText.of(text).with_segments({}) == text


@given(texts)
@settings(max_examples=EXAMPLES, deadline=None)
def test_what_is_protected_comes_back_byte_for_byte_in_order(text: str) -> None:
    before = kept(text)
    after = translated(TranslatableText.of(text))
    place = 0
    for span in before:
        place = after.index(span, place) + len(span)


STRUCTURE = re.compile(r"^[ \t]*(#{1,6}(?= )|>|[-+*](?= )|\d+\.(?= )|```|~~~|\|)", re.MULTILINE)


@given(texts)
@settings(max_examples=EXAMPLES, deadline=None)
def test_headings_lists_quotes_and_tables_stay_what_they_are(text: str) -> None:
    after = translated(TranslatableText.of(text))
    assert STRUCTURE.findall(after) == STRUCTURE.findall(text)
    assert after.count("|") == text.count("|")
    assert after.count("\n") <= text.count("\n")


@pytest.mark.parametrize("span", SPANS)
def test_each_kind_of_span_is_one(span: str) -> None:
    (found,) = protected(f"words {span} words")
    assert found.kept == span


@pytest.mark.parametrize(
    "text", ["100 % sure of it", "snake_case words", "5 * 3", "it's 50% done", "a { b", "x < y", "a|b"]
)
def test_what_only_looks_like_one_is_none_or_stays(text: str) -> None:
    assert TranslatableText.of(text).with_segments({}) == text


def test_words_of_a_sentence_on_several_lines_are_asked_together() -> None:
    text = TranslatableText.of("> One sentence that\n> goes on here.\n> Another one.\n")
    assert [text.segments[place].text for place in text.asked] == ["One sentence that goes on here.", "Another one."]
    made = text.with_segments({0: "Eine Aussage, welche hier noch weitergeht.", 1: "Noch eine."})
    assert made == "> Eine Aussage, welche hier\n> noch weitergeht.\n> Noch eine.\n"


def test_a_line_never_begins_with_what_would_begin_something_else() -> None:
    text = TranslatableText.of("words and more\nwords and more\n")
    for words in ("bread - 3. # - * oven", "bread oven # 3. - 4) | >"):
        assert STRUCTURE.findall(text.with_segments({0: words})) == []
    assert text.with_segments({0: "# bread"}) == "\\#\nbread\n"
    assert TranslatableText.of("words\n").with_segments({0: "1. bread"}) == "1\\. bread\n"


def test_long_texts_are_cut_at_sentences_and_joined_exactly() -> None:
    long = " ".join(f"This is sentence {number} with `code` in it." for number in range(2000))
    text = TranslatableText.of(long)
    assert all(len(one.text) <= LONGEST_SEGMENT for one in text.segments)
    assert all(one.text.rstrip().endswith(".") for one in text.segments)
    assert text.with_segments({}) == long
    assert TranslatableText.of("x" * 20_000).with_segments({}) == "x" * 20_000


def test_terms_hold_in_any_case_and_words_that_stay_stay() -> None:
    terms = Terms({"pull request": "demande de tirage", "Azure": "Azure"})
    spans = protected("Pull request in Azure, and azure pull requests", terms)
    assert [span.kept for span in spans] == ["Demande de tirage", "Azure"]


@pytest.mark.parametrize("answer", ["⟦0⟧", "a ⟦0⟧", "a ⟦0⟧ b ⟦0⟧ c", "a b", "a ⟦1⟧ b", "a ⟦0⟧ b ⟦1⟧"])
def test_an_answer_that_lost_or_doubled_a_span_is_none(answer: str) -> None:
    (segment,) = TranslatableText.of("words `code` words").segments
    assert segment.from_marked(answer) is None


def test_marks_that_were_not_there_are_made_harmless() -> None:
    (segment,) = TranslatableText.of("words and words").segments
    assert segment.from_marked("<b>*a*\n# b") == r"\<b>\*a\* # b"


@pytest.mark.parametrize(
    "hostile", ["`" * 50_000, "[" * 50_000, "](" * 25_000, "<a " * 20_000, "{" * 50_000, "*_" * 25_000, "a@" * 25_000]
)
def test_no_text_takes_long(hostile: str) -> None:
    assert TranslatableText.of(hostile).with_segments({}) == hostile
