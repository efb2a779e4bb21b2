"""How pages are written: templates, the files that belong to them, and what browsers are told to keep to."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from deciding.showing import is_for_itself, who_acts
from deciding.texts import pieces
from mcp_server.http.messages import HttpAnswer

_HERE: Final = Path(__file__).parent
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
    # To others as good as none. With none at all, browsers would not say to us either where a form comes from.
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
_HTML: Final = {"content-type": "text/html; charset=utf-8", **GUARDING}


def page(template: str, status: int = 200, headers: Mapping[str, str] | None = None, **shown: Any) -> HttpAnswer:
    """A page of this template. Whatever is shown is escaped where it stands."""
    text = _templates().get_template(template).render(shown)
    return HttpAnswer(status, text.encode(errors="replace"), {**_HTML, **(headers or {})})


def failure_page(status: int, _code: int, message: str, headers: Mapping[str, str] | None = None) -> HttpAnswer:
    """Why there is nothing to be seen, in words."""
    title = HTTPStatus(status).phrase
    return page("failure.html", status, headers, title=title, message=message, person=None, notice="")


def asset(name: str) -> HttpAnswer | None:
    """One of the files that pages name: as it is named by its content, it never changes."""
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


@cache
def _templates() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "pieces": pieces,
        "acting": who_acts,
        "is_for_itself": is_for_itself,
        "moment": _moment,
        "stamp": _stamp,
    }
    environment.globals["asset"] = lambda file: f"/assets/{_assets()[file].name}"
    return environment


def _moment(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M} UTC"


def _stamp(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
