"""Generated descriptions as the editors of forms write them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hypothesis import strategies as st

PIECES: Final = [
    *"< > </ <p> </p> <ul> <ol> <li> </li> <table><tr><td> </td> </tr> <h2> </h2> <a </a> <!-- --> <br> <pre>".split(),
    *"</pre> <script> </script> <b> </b> <i> </i> <code> </code> <div> </div> <blockquote> ** * ` ~~ [x]( )".split(),
    *"| - 1. # >".split(),
    *"&amp; &#x3c; word \u200b \u200d \\ ![ _".split(),
    *(" ", "\n", "\n\n", '<a href="https://example.com/x">', '<img src="https://example.com/y">'),
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Document:
    html: str


_WORDS = st.sampled_from(
    ["The oven", "cools", "at 5 &lt; 7", "A &amp; B", "café", "snake_case", "2 * 3", "[BUG]", "👨\u200d👩", "x|y", "#1"]
)
_LINE = st.lists(_WORDS, min_size=1, max_size=4).map(" ".join)
_STYLED = st.tuples(st.sampled_from(["b", "i", "strong", "em", "s", "code", "u"]), _LINE).map(
    lambda pair: f"<{pair[0]}>{pair[1]}</{pair[0]}>"
)
_LINKED = _LINE.map(lambda line: f'<a href="https://example.com/a?b=1&amp;c=2">{line}</a>')
_SPAN = st.one_of(_LINE, _LINE, _STYLED, _LINKED, st.just('<img src="https://example.com/a.png" alt="pic">'))
_INLINE = st.lists(_SPAN, min_size=1, max_size=4).map(" ".join)
_LINES = st.lists(_INLINE, min_size=1, max_size=3).map("<br>".join)
_LIST = st.recursive(
    st.lists(_INLINE, min_size=1, max_size=3).map(lambda items: [f"<li>{item}</li>" for item in items]),
    lambda lists: st.tuples(_INLINE, lists).map(lambda pair: [f"<li>{pair[0]}<ul>{''.join(pair[1])}</ul></li>"]),
    max_leaves=3,
).map("".join)
_TABLE = st.lists(st.lists(_INLINE | st.just(""), min_size=2, max_size=2), min_size=2, max_size=3).map(
    lambda rows: "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in [["Head", "x"], *rows])
)
_BLOCK = st.one_of(
    _LINES.map(lambda text: f"<p>{text}</p>"),
    _LINES.map(lambda text: f'<div style="margin:0">{text}</div>'),
    _LINES.map(lambda text: f"{text}<br><br>"),
    _INLINE.map(lambda text: f"<h2>{text}</h2>"),
    _LIST.map(lambda items: f"<ul>{items}</ul>"),
    _LIST.map(lambda items: f"<ol>{items}</ol>"),
    _TABLE.map(lambda rows: f"<table><tbody>{rows}</tbody></table>"),
    _LINES.map(lambda text: f"<blockquote>{text}</blockquote>"),
    st.sampled_from(["<pre>if x:\n    y\n\n\nz</pre>", "<pre><code>`a`\n```\n</code></pre>", "<hr>"]),
)
_WRAPPED = st.tuples(
    st.sampled_from(["{}", "<div>{}</div>", '<div class="x">{}<br></div>']), st.lists(_BLOCK, max_size=4)
)
DOCUMENTS = st.lists(_WRAPPED.map(lambda pair: pair[0].format("".join(pair[1]))), max_size=4).map(
    lambda parts: Document("\n".join(parts))
)
