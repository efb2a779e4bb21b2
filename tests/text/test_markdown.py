from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.sweeps import Sweep
from text.markdown import plain, summary, to_markdown

PIECES = [
    *"< > </ <p> </p> <ul> <ol> <li> </li> <table><tr><td> </td> </tr> <h2> </h2> <a </a> <!-- --> <br>".split(),
    *"<script> </script> <style> \" ' &amp; &#x3c; &#99999999999; & word [ ]( <a/href='https://example.com/x'>".split(),
    *("\u200b", "\u00a0", " ", "\n", "<span style='x'>", '<a href="https://example.com/x">', "<a href="),
]


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("", ""),
        ("plain text", "plain text"),
        ("<p>One</p><p>Two</p>", "One\n\nTwo"),
        ("<div>One<br>Two<br><br>Three</div>", "One\nTwo\n\nThree"),
        ("<p>  spaced\n\tout&nbsp;&nbsp;words </p>", "spaced out words"),
        ("<p>in<b>sepa</b>rable, <i>and</i> <span style='color:red'>styled</span></p>", "inseparable, and styled"),
        ("<h2>Head</h2>text", "## Head\n\ntext"),
        ("<h3><p></p></h3>text", "text"),
        ("a<ul><li>one</li><li><p>two</p></li></ul>b", "a\n\n- one\n- two\n\nb"),
        ("<ol><li>one<ul><li>deeper</li></ul></li><li>two</li></ol>", "1. one\n  - deeper\n2. two"),
        ("<ul><li></li><li>kept</li></ul>", "- kept"),
        ("<li>lonely</li>", "- lonely"),
        (
            "<table><tr><th>Size</th><th>Price</th></tr><tr><td><p>8</p></td><td><p>$1</p></td></tr></table>after",
            "Size | Price\n8 | $1\n\nafter",
        ),
        ("<table><tr><td></td><td>Before</td></tr></table>", "| Before"),
        ("<table><tr><td><p>a layout</p><ul><li>in a table</li></ul></td></tr></table>", "a layout\n\n- in a table"),
        ("&lt;b&gt; &amp;amp; &#8364; &eacute;", r"\<b> &amp; € é"),
        ("1 < 2 and 2 > 1", "1 < 2 and 2 > 1"),
        ("soft\u00adhyphen zero\u200bwidth \ufeffmark", "softhyphen zerowidth mark"),
        ("hid\ufe00\U000e0041\u2066den \u3164text", "hidden text"),
        ("a<!-- hidden <p> -->b", "ab"),
        ("a<script>alert('<p>x</p>')</script>b<STYLE>p {}</STYLE >c", "abc"),
        ("a<script>never closed", "a"),
        ('<img src="data:image/png;base64,AAAA">shown', "shown"),
        ("<p title='a > b'>quoted</p>", "quoted"),
        ("<p", r"\<p"),
        ("&#99999999999999999999;x&#x110000000;y", "xy"),
    ],
)
def test_descriptions_become_markdown(html: str, markdown: str) -> None:
    assert to_markdown(html) == markdown


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ('See <a href="https://example.com/a">this page</a>.', "See [this page](https://example.com/a)."),
        ("<a href='https://example.com/a?b=1&amp;c=2'>x</a>", "[x](https://example.com/a?b=1&c=2)"),
        ("<a target=_blank HREF=https://example.com/a>x</a>", "[x](https://example.com/a)"),
        ('<a href="https://example.com/a"><span> padded </span></a>word', "[padded](https://example.com/a) word"),
        ('<li><a href="https://example.com/a">item</a></li>', "- [item](https://example.com/a)"),
        ('<a href="https://example.com/a"><p>block</p></a>', "[block](https://example.com/a)"),
        ('<a href="https://example.com/a"></a>x', "x"),
        ('<a href="https://example.com/a">never closed<p>next', "[never closed](https://example.com/a)\n\nnext"),
        (
            '<a href="https://example.com/a">one<a href="https://example.com/b">two</a>',
            "[one](https://example.com/a)[two](https://example.com/b)",
        ),
        ('<a href="https://example.com/(a) b">[x]</a>', "[(x)](https://example.com/%28a%29%20b)"),
        ('<a href="mailto:team@example.com">team@example.com</a>', "team@example.com"),
        ('<a href="mailto:team@example.com?subject=x">us</a>', "[us](mailto:team@example.com)"),
        ('<a href="https://example.com/a">https://example.com/a</a>', "https://example.com/a"),
        ('<a href="javascript:alert(1)">x</a>', "x"),
        ('<a href="data:text/html,x">x</a>', "x"),
        ('<a href="/relative">x</a>', "x"),
        ('<a href="http://[">x</a>', "x"),
        ('<a href="http://Not an address">x</a>', "x"),
        ('<a data-href="https://example.com/a">x</a>', "x"),
        ('<a href="https://example.com/\ud800">x</a>', "[x](https://example.com/?)"),
    ],
)
def test_links_lead_where_a_reader_may_go(html: str, markdown: str) -> None:
    assert to_markdown(html) == markdown


@pytest.mark.parametrize(
    ("wrapped", "address"),
    [
        (
            "https://emea01.safelinks.protection.outlook.com/?url=https%3A%2F%2Fexample.com%2Fa%3Fb%3D1%26c&data=05%7Csomeone%40example.com",
            "https://example.com/a?b=1&c",
        ),
        (
            "https://EMEA01.SafeLinks.Protection.Outlook.com/?data=x&url=https%3A%2F%2Fexample.com",
            "https://example.com",
        ),
        (
            "https://urldefense.com/v3/__https:/example.com/a?b=one*2Cc__;JQ!!Key!Sum$",
            "https://example.com/a?b=one%2Cc",
        ),
        ("https://urldefense.com/v3/__https://example.com/a__;!!Key!Sum$", "https://example.com/a"),
        ("https://urldefense.proofpoint.com/v2/url?u=https-3A__example.com_a&d=x", "https://example.com/a"),
        ("https://urldefense.com/v1/url?u=https://example.com/a&k=x", "https://example.com/a"),
        (
            "https://emea01.safelinks.protection.outlook.com/?url=https%3A%2F%2Furldefense.com%2Fv3%2F__https%3A%2Fexample.com%2Fa__%3B!!K",
            "https://example.com/a",
        ),
        ("https://example.com/form?from=someone@example.com&page=2", "https://example.com/form?page=2"),
        ("https://example.com/form?from=someone%40example.com", "https://example.com/form"),
        ("https://www.npmjs.com/package/@azure/identity", "https://www.npmjs.com/package/@azure/identity"),
    ],
)
def test_what_mail_programs_wrap_around_links_is_taken_off(wrapped: str, address: str) -> None:
    assert to_markdown(f'<a href="{wrapped}">x</a>') == f"[x]({address})"


@pytest.mark.parametrize(
    "wrapped",
    [
        "https://emea01.safelinks.protection.outlook.com/?data=someone%40example.com",
        "https://urldefense.com/v3/__nothing",
        "https://urldefense.com/v3/__https:/example.com*__;A!!",
        "https://emea01.safelinks.protection.outlook.com/?url=javascript%3Aalert(1)",
        "https://emea01.safelinks.protection.outlook.com/"
        + "?url=https%3A%2F%2Femea01.safelinks.protection.outlook.com" * 9,
    ],
)
def test_a_wrapper_that_cannot_be_opened_leaves_only_the_words(wrapped: str) -> None:
    assert to_markdown(f'<a href="{wrapped}">words</a>') == "words"


@given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join) | st.text(max_size=300))
@example("<</td>word")
def test_any_text_becomes_markdown_without_markup(html: str) -> None:
    markdown = to_markdown(html)
    assert re.search(r"(?<!\\)<(?=[a-zA-Z/!?])", markdown) is None
    assert "\n\n\n" not in markdown
    assert markdown == markdown.strip()
    assert len(summary(markdown, 50)) <= 50


@Sweep(
    "piece",
    ["<a ", '<a href="', "<!--", "<![CDATA[", "<script></", "&#9", "[x](", '<a href="https://example.com">', "<td>"],
    every=3,
)
def test_hostile_text_costs_no_more_than_its_length(piece: str) -> None:
    # Were it quadratic, this would take minutes.
    assert summary(to_markdown(piece * 100_000)) is not None


def test_plain_words_have_no_targets_of_links() -> None:
    assert plain("See [this](https://example.com/a) and [that](https://example.com/b).") == "See this and that."


@pytest.mark.parametrize(
    ("markdown", "length", "short"),
    [
        ("short", 10, "short"),
        ("exactly 10", 10, "exactly 10"),
        ("one two three", 10, "one two…"),
        ("one two three", 7, "one…"),
        ("one two three", 8, "one two…"),
        ("indivisible", 6, "indiv…"),
        ("a\n\n- b [c](https://example.com/very/long)\n- d", 50, "a\n- b c\n- d"),
    ],
)
def test_a_summary_is_cut_at_a_word(markdown: str, length: int, short: str) -> None:
    assert summary(markdown, length) == short
