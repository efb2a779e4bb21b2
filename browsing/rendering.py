"""Renders pages from templates, and serves their static files and security headers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, cached_property
from hashlib import sha256
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from browsing.texts import pieces
from mcp_server.http.messages import HttpAnswer

_HERE: Final = Path(__file__).parent
_TEMPLATES: Final = _HERE / "templates"
_TYPES: Final = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8"}
_POLICY: Final = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self';"
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
GUARDING: Final = {
    "cache-control": "no-store",
    "content-security-policy": _POLICY,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    # With this policy, browsers send no Referer header to other sites. With `no-referrer`, browsers would also omit the
    # origin of our own forms.
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
_HTML: Final = {"content-type": "text/html; charset=utf-8", **GUARDING}


class Link(NamedTuple):
    path: str
    name: str


@dataclass(frozen=True, slots=True)
class Frame:
    """The content that is the same on all pages: the operator's notice and the navigation links."""

    notice: str = ""
    links: Sequence[Link] = ()


_EMPTY_FRAME: Final = Frame()


class Templates:
    """The templates of one package. A package's templates extend the templates that all packages share."""

    def __init__(self, folder: Path, filters: Mapping[str, Callable[..., Any]] | None = None) -> None:
        self._folder = folder
        self._filters = filters or {}

    def page(
        self,
        template: str,
        status: int = 200,
        headers: Mapping[str, str] | None = None,
        *,
        frame: Frame = _EMPTY_FRAME,
        here: str = "",
        **shown: Any,
    ) -> HttpAnswer:
        """Render a page and escape all values. `here` identifies the navigation link of the current page."""
        text = self._environment.get_template(template).render(frame=frame, here=here, **shown)
        return HttpAnswer(status, text.encode(errors="replace"), {**_HTML, **(headers or {})})

    @cached_property
    def _environment(self) -> Environment:
        environment = Environment(
            loader=FileSystemLoader([self._folder, _TEMPLATES]),
            autoescape=True,
            undefined=StrictUndefined,
            auto_reload=False,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        environment.filters |= {"pieces": pieces, "moment": _moment, "stamp": _stamp, **self._filters}
        environment.globals["asset"] = lambda file: f"/assets/{_assets()[file].name}"
        return environment


_SHARED: Final = Templates(_TEMPLATES)
shared_page: Final = _SHARED.page


def failure_page(status: int, _code: int, message: str, headers: Mapping[str, str] | None = None) -> HttpAnswer:
    """An error page that shows the message."""
    return shared_page("failure.html", status, headers, title=HTTPStatus(status).phrase, message=message, person=None)


def asset(name: str) -> HttpAnswer | None:
    """A static file that pages use.

    The file name contains a digest of the content, so browsers can cache the file forever.
    """
    for file, known in _assets().items():
        if known.name == name:
            kept = {"cache-control": "public, max-age=31536000, immutable", "x-content-type-options": "nosniff"}
            return HttpAnswer(200, known.content, {"content-type": _TYPES[Path(file).suffix], **kept})
    return None


class _Asset:
    def __init__(self, file: Path) -> None:
        self.content = file.read_bytes()
        self.name = f"{file.stem}.{sha256(self.content).hexdigest()[:12]}{file.suffix}"


@cache
def _assets() -> Mapping[str, _Asset]:
    return {file.name: _Asset(file) for file in sorted((_HERE / "assets").iterdir()) if file.suffix in _TYPES}


def _moment(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M} UTC"


def _stamp(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
