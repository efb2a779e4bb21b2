"""Parses the search parameters in page URLs, and builds links with different parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Self
from urllib.parse import urlencode

from mcp_server.http.messages import HttpRequest
from mcp_server.http.pages import parameters_of
from updates.searching.parameters import names_in

# The maximum length of a parameter value. Longer values are dropped, because they are not real searches, and because
# every link on the page would contain them.
_LONGEST_VALUE = 500


@dataclass(frozen=True, slots=True)
class PageAddress:
    """The path and parameters of a page URL. An empty parameter is the same as a missing parameter."""

    path: str
    values: Mapping[str, str]

    @classmethod
    def of(cls, request: HttpRequest, names: Iterable[str]) -> Self:
        """Return a request's URL with only these parameters, because mail and chat programs add other parameters."""
        given = parameters_of(request)
        return cls(request.path, {name: given[name][:_LONGEST_VALUE] for name in names if given.get(name, "").strip()})

    @property
    def url(self) -> str:
        return f"{self.path}?{urlencode(self.values)}" if self.values else self.path

    def __getitem__(self, name: str) -> str:
        return self.values.get(name, "")

    def names(self, name: str) -> tuple[str, ...]:
        """Split a parameter that is a comma-separated list."""
        return names_in(self[name])

    def at(self, path: str) -> Self:
        return replace(self, path=path)

    def having(self, name: str, value: str) -> Self:
        """Return this URL with one parameter changed. An empty value removes the parameter."""
        others = {known: given for known, given in self.values.items() if known != name}
        return replace(self, values={**others, name: value} if value else others)

    def without(self, *names: str) -> Self:
        return replace(self, values={name: value for name, value in self.values.items() if name not in names})

    def adding(self, name: str, value: str) -> Self:
        return self.having(name, ",".join((*self.names(name), value)))

    def removing(self, name: str, value: str) -> Self:
        kept = (one for one in self.names(name) if one.casefold() != value.casefold())
        return self.having(name, ",".join(kept))
