"""A text that is read, changed and written again loses nothing, and what was not changed stays to the byte."""

from __future__ import annotations

import os

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.sweeps import Sweep
from tests.text.documents import DOCUMENTS, PIECES, Document
from text.editing import edited
from text.html_to_markdown import faithful_markdown, shown_blocks
from text.html_tree import tree_of
from text.markdown_to_html import blocks_of, html_of

# All of them in the nightly run.
WRITTEN = {"", *"a blockquote br code em h1 h2 h3 h4 h5 h6 hr img ol p pre s strong table ul".split()}
GENERATED = int(os.environ.get("FUZZ_DOCUMENTS", "75"))


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("", ""),
        ("<p>One</p><p>Two</p>", "One\n\nTwo"),
        ("<div>One<br>Two<br><br>Three</div>", "One\nTwo\n\nThree"),
        ("<div>a</div><div><br></div><div>b</div>", "a\n\nb"),
        ("<p>in<b>sepa</b>rable, <i> and </i><s>gone</s></p>", "in**sepa**rable, *and* ~~gone~~"),
        ('<span style="font-weight:700">bold</span>', "**bold**"),
        ("<b>one<br>two</b>", "**one**\n**two**"),
        ("<p>call <code>f(`x`)</code></p>", "call ``f(`x`)``"),
        ('<pre><code class="language-py">if x:\n    y\n\nz</code></pre>', "```py\nif x:\n    y\n\nz\n```"),
        ("<pre>one<br>&lt;two&gt;\n```</pre>", "````\none\n<two>\n```\n````"),
        ('<img src="https://example.com/a b.png" alt="A [pic]">', r"![A \[pic\]](https://example.com/a%20b.png)"),
        ('<img src="data:image/png;base64,AAAA">', "![image]()"),
        ('<a href="https://example.com/a(b)">x</a>', "[x](https://example.com/a%28b%29)"),
        ('<a href="javascript:alert(1)">x</a>', "x"),
        (
            "<table><tr><th>a</th><th></th></tr><tr><td></td><td>x|y<br>z</td></tr><tr><td>1</td></tr></table>",
            "| a |  |\n| --- | --- |\n|  | x\\|y<br>z |\n| 1 |  |",
        ),
        ("<blockquote>q<p>r</p></blockquote>", "> q\n>\n> r"),
        ("<ul><li>one<ul><li>deep</li></ul></li><li><p>two</p></li></ul>", "- one\n  - deep\n- two"),
        ("<ol><li>one<pre>a\n\nb</pre></li></ol>", "1. one\n   ```\n   a\n\n   b\n   ```"),
        ("<h2>Head</h2><hr>", "## Head\n\n---"),
        ("👨\u200d👩\u200d👧 soft\u00adhyphen", "👨\u200d👩\u200d👧 softhyphen"),
        ("1. no<br># no<br>- no<br>*no* snake_case [no](x) [BUG] &lt;b&gt;",
         "1\\. no\n\\# no\n\\- no\n\\*no\\* snake_case \\[no](x) [BUG] \\<b>"),
    ],
)  # fmt: skip
def test_html_is_read_as_markdown_that_loses_nothing(html: str, markdown: str) -> None:
    assert faithful_markdown(html) == markdown
    assert faithful_markdown(html_of(markdown)) == markdown


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        ("plain & <b> words\nhere", "plain &amp; &lt;b&gt; words<br>here"),
        ("a ** b * c", "a ** b * c"),
        ("**bold *both* bold**", "<strong>bold <em>both</em> bold</strong>"),
        ("2 * 3 * 4 and my_own_name", "2 * 3 * 4 and my_own_name"),
        ("<https://example.com/?a=1&b=2>", '<a href="https://example.com/?a=1&amp;b=2">https://example.com/?a=1&amp;b=2</a>'),
        ("[x](javascript:alert)", "x"),
        ('[x](https://e.com/"onclick=)', '<a href="https://e.com/&quot;onclick=">x</a>'),
        ("```\n<script>\n", "<pre><code>&lt;script&gt;\n</code></pre>"),
        ("words\n- item\n\n> quote", "<p>words</p><ul><li>item</li></ul><blockquote><p>quote</p></blockquote>"),
        ("- one\n\n  more\n- two", "<ul><li>one<br>more</li><li>two</li></ul>"),
    ],
)  # fmt: skip
def test_markdown_is_written_as_html_that_runs_nothing(markdown: str, html: str) -> None:
    assert html_of(markdown) == html


@settings(max_examples=GENERATED, deadline=None)
@given(document=DOCUMENTS)
def test_what_is_written_reads_as_it_was(document: Document) -> None:
    markdown = faithful_markdown(document.html)
    assert faithful_markdown(html_of(markdown)) == markdown


@settings(max_examples=GENERATED, deadline=None)
@given(html=DOCUMENTS.map(lambda document: document.html) | st.lists(st.sampled_from(PIECES)).map("".join) | st.text())
def test_a_text_that_comes_back_as_it_was_shown_is_not_touched(html: str) -> None:
    assert edited(html, faithful_markdown(html)) == (html if shown_blocks(html) else "")


@settings(max_examples=GENERATED, deadline=None)
@given(document=DOCUMENTS, data=st.data())
def test_an_edit_leaves_every_other_block_as_it_was_to_the_byte(document: Document, data: st.DataObject) -> None:
    before = shown_blocks(document.html)
    changed = data.draw(st.integers(0, len(before)))
    new = data.draw(st.sampled_from(["", "Quite new words.", "- new\n- list", "```\ncode\n\nmore\n```"]))
    replaced = [block.markdown for block in before]
    # Which of several blocks that look the same was taken out, nobody can tell.
    assume(new or all(replaced.count(removed) == 1 for removed in replaced[changed : changed + 1]))
    replaced[changed : changed + 1] = [new] if new else []
    written = edited(document.html, "\n\n".join(replaced))
    position = 0
    for index, block in enumerate(before):
        if index != changed:
            source = document.html[block.start : block.end]
            assert source in written[position:]
            position = written.index(source, position) + len(source)
    assert blocks_of(faithful_markdown(written)) == [part for text in replaced for part in blocks_of(text)]


@given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join) | st.text(max_size=300))
def test_any_html_is_read_and_any_markdown_written(text: str) -> None:
    assert "\ufeff" not in faithful_markdown(text)
    assert {node.name for node in tree_of(html_of(text)).children} <= WRITTEN


@Sweep(
    "piece",
    ["<div>", "<b>", "<ul><li>", "<table><tr><td>", "<p>x", "<br>", "<pre><b>", "<blockquote>", "<li>"],
    every=3,
)
def test_hostile_html_costs_no_more_than_its_length(piece: str) -> None:
    # Were it quadratic, this would take minutes.
    text = piece * 5_000
    assert edited(text, faithful_markdown(text) + "\n\nmore") is not None


@Sweep("piece", ["**", "`", "[", "[x](", "> ", "- ", "x\n\n", "x\n", "```\n", "|", "1. x\n  "], every=3, start=1)
def test_hostile_markdown_costs_no_more_than_its_length(piece: str) -> None:
    text = piece * 20_000
    assert edited("<p>before</p>", text)
