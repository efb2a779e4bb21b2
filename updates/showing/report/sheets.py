"""Writes PDF pages from top to bottom: wrapped text, bars, links, and a footer."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import pydyf

from shifts import give_way
from updates.showing.report.font import BOLD, REGULAR, Font, font

# The page size (A4) and the margin, in points.
WIDTH, HEIGHT, MARGIN = 595, 842, 56
INNER: Final = WIDTH - 2 * MARGIN
_BOTTOM: Final = 64
_LEADING: Final = 1.38
_PER_LINE_OF_MAP: Final = 100

Color = tuple[float, float, float]
INK: Final[Color] = (0.11, 0.13, 0.16)
SOFT: Final[Color] = (0.36, 0.39, 0.44)
LINK: Final[Color] = (0.04, 0.36, 0.68)
BAD: Final[Color] = (0.65, 0.11, 0.09)
EDGE: Final[Color] = (0.84, 0.86, 0.89)
BAR: Final[Color] = (0.78, 0.42, 0.4)


@dataclass(frozen=True, slots=True)
class Style:
    size: float = 9.5
    is_bold: bool = False
    color: Color = INK

    @property
    def font(self) -> Font:
        return font(BOLD if self.is_bold else REGULAR)

    @property
    def leading(self) -> float:
        return self.size * _LEADING


TEXT: Final = Style()
SMALL: Final = Style(8, color=SOFT)


@dataclass
class _Page:
    content: list[str] = field(default_factory=list)
    links: list[tuple[float, float, float, float, str]] = field(default_factory=list)


class Sheets:
    """The pages of a PDF. `y` is the distance of the next line from the bottom of the page."""

    def __init__(self, title: str, foot: str) -> None:
        self._title = title
        self._foot = foot
        self._pages: list[_Page] = []
        self._used: dict[str, set[str]] = {REGULAR: set(), BOLD: set()}
        self.y = 0.0
        self.turn()

    def turn(self) -> None:
        """Start a new page."""
        self._pages.append(_Page())
        self.y = HEIGHT - MARGIN

    def room(self, height: float) -> None:
        """Start a new page if this height does not fit on the current page."""
        if self.y - height < _BOTTOM:
            self.turn()

    def gap(self, height: float) -> None:
        self.y -= height

    def paragraph(self, text: str, style: Style = TEXT, *, indent: float = 0, link: str = "", most: int = 0) -> None:
        """Write wrapped text, in at most `most` lines if `most` is given."""
        width = INNER - indent
        lines = list(_wrapped(style, text, width))
        if most and len(lines) > most:
            lines = [*lines[: most - 1], _cut(style, lines[most - 1], width)]
        for line in lines:
            give_way()
            self.room(style.leading)
            self.y -= style.leading
            self.at(MARGIN + indent, self.y, line, style, link=link)

    def centered(self, x: float, y: float, text: str, style: Style) -> None:
        self.at(x - style.font.width(style.font.shown(text), style.size) / 2, y, text, style)

    def at(self, x: float, y: float, text: str, style: Style = TEXT, *, link: str = "") -> None:
        """Write a line of text at a position."""
        text = style.font.shown(text)
        width = style.font.width(text, style.size)
        self._used[style.font.name] |= set(text)
        key = "B" if style.is_bold else "R"
        red, green, blue = style.color
        self._write(
            f"BT {red} {green} {blue} rg /{key} {style.size} Tf {x:.2f} {y:.2f} Td <{style.font.encoded(text)}> Tj ET"
        )
        if link:
            self._pages[-1].links.append((x, y - 2, x + width, y + style.size, link))

    def bar(self, x: float, y: float, width: float, height: float, color: Color) -> None:
        red, green, blue = color
        self._write(f"{red} {green} {blue} rg {x:.2f} {y:.2f} {width:.2f} {height:.2f} re f")

    def rule(self) -> None:
        self.bar(MARGIN, self.y, INNER, 0.6, EDGE)

    def _write(self, operators: str) -> None:
        self._pages[-1].content.append(operators)

    @property
    def content(self) -> bytes:
        """Return the PDF as bytes."""
        self._number()
        pdf = pydyf.PDF()
        fonts = pydyf.Dictionary({"R": self._embedded(pdf, REGULAR), "B": self._embedded(pdf, BOLD)})
        pdf.add_object(fonts)
        for page in self._pages:
            pdf.add_page(_leaf(pdf, page, fonts))
        pdf.catalog["Lang"] = pydyf.String("en")
        pdf.catalog["ViewerPreferences"] = pydyf.Dictionary({"DisplayDocTitle": "true"})
        pdf.info["Title"] = pydyf.String(self._title)
        written = io.BytesIO()
        pdf.write(written, identifier=True)
        return written.getvalue()

    def _number(self) -> None:
        """Add the footers when all pages exist, because each footer contains the number of pages."""
        for number, page in enumerate(self._pages, 1):
            self._pages.append(page)
            self.at(MARGIN, 36, f"{self._foot}   ·   {number} of {len(self._pages) - 1}", SMALL)
            self._pages.pop()

    def _embedded(self, pdf: pydyf.PDF, name: str) -> bytes:
        """Add a font to the PDF, with the data for showing and copying text in this font. Return the reference."""
        used = font(name)
        meanings = pydyf.Stream([_meanings(used, sorted(self._used[name]))], compress=True)
        pdf.add_object(meanings)
        embedded = pydyf.Dictionary(
            {
                "Type": "/Font",
                "Subtype": "/Type0",
                "BaseFont": f"/{name}",
                "Encoding": "/Identity-H",
                "DescendantFonts": pydyf.Array([_glyphs(pdf, name, used)]),
                "ToUnicode": meanings.reference,
            }
        )
        pdf.add_object(embedded)
        return bytes(embedded.reference)


def _glyphs(pdf: pydyf.PDF, name: str, used: Font) -> bytes:
    """Add a font's glyphs and their widths to the PDF. Return the reference."""
    glyphs = pydyf.Dictionary(
        {
            "Type": "/Font",
            "Subtype": "/CIDFontType2",
            "BaseFont": f"/{name}",
            "CIDSystemInfo": pydyf.Dictionary(
                {"Registry": pydyf.String("Adobe"), "Ordering": pydyf.String("Identity"), "Supplement": 0}
            ),
            "FontDescriptor": _descriptor(pdf, name, used),
            "CIDToGIDMap": "/Identity",
            "W": pydyf.Array([0, pydyf.Array(used.widths)]),
        }
    )
    pdf.add_object(glyphs)
    return bytes(glyphs.reference)


def _descriptor(pdf: pydyf.PDF, name: str, used: Font) -> bytes:
    """Add a font's metrics and its file to the PDF. Return the reference."""
    file = pydyf.Stream([used.file], {"Length1": len(used.file)}, compress=True)
    pdf.add_object(file)
    descriptor = pydyf.Dictionary(
        {
            "Type": "/FontDescriptor",
            "FontName": f"/{name}",
            "Flags": 32,
            "FontBBox": pydyf.Array(used.box),
            "ItalicAngle": 0,
            "Ascent": used.ascent,
            "Descent": used.descent,
            "CapHeight": 714,
            "StemV": 80,
            "FontFile2": file.reference,
        }
    )
    pdf.add_object(descriptor)
    return bytes(descriptor.reference)


def _leaf(pdf: pydyf.PDF, page: _Page, fonts: pydyf.Dictionary) -> pydyf.Dictionary:
    content = pydyf.Stream(["\n".join(page.content).encode()], compress=True)
    pdf.add_object(content)
    return pydyf.Dictionary(
        {
            "Type": "/Page",
            "Parent": pdf.pages.reference,
            "MediaBox": pydyf.Array([0, 0, WIDTH, HEIGHT]),
            "Resources": pydyf.Dictionary({"Font": fonts.reference}),
            "Contents": content.reference,
            "Annots": pydyf.Array([_annotation(*link) for link in page.links]),
        }
    )


def _annotation(left: float, bottom: float, right: float, top: float, address: str) -> pydyf.Dictionary:
    corners = [f"{corner:.1f}" for corner in (left, bottom, right, top)]
    action = pydyf.Dictionary({"Type": "/Action", "S": "/URI", "URI": pydyf.String(address)})
    return pydyf.Dictionary(
        {
            "Type": "/Annot",
            "Subtype": "/Link",
            "Rect": pydyf.Array(corners),
            "Border": pydyf.Array([0, 0, 0]),
            "A": action,
        }
    )


def _meanings(used: Font, letters: Sequence[str]) -> bytes:
    """Write the table that maps glyphs to characters, so that readers can search and copy text."""
    pairs = [f"<{used.glyphs[ord(letter)]:04x}> <{ord(letter):04x}>" for letter in letters]
    parts = [pairs[start : start + _PER_LINE_OF_MAP] for start in range(0, len(pairs), _PER_LINE_OF_MAP)]
    blocks = "\n".join(f"{len(part)} beginbfchar\n" + "\n".join(part) + "\nendbfchar" for part in parts)
    return (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Meanings def /CMapType 2 def\n"
        f"1 begincodespacerange <0000> <ffff> endcodespacerange\n{blocks}\nendcmap end end"
    ).encode()


def _wrapped(style: Style, text: str, width: float) -> Iterator[str]:
    """Wrap text into lines. Words wider than a line are broken."""
    line = ""
    for word in style.font.shown(" ".join(text.split())).split(" "):
        longer = f"{line} {word}" if line else word
        if style.font.width(longer, style.size) <= width:
            line = longer
            continue
        if line:
            yield line
        *whole, line = _broken(style, word, width)
        yield from whole
    yield line


def _broken(style: Style, word: str, width: float) -> list[str]:
    parts = [""]
    for letter in word:
        if parts[-1] and style.font.width(parts[-1] + letter, style.size) > width:
            parts.append("")
        parts[-1] += letter
    return parts


def _cut(style: Style, line: str, width: float) -> str:
    while line and style.font.width(f"{line}…", style.size) > width:
        line = line[:-1]
    return f"{line.rstrip()}…"
