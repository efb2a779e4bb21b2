"""Parses route templates, and finds the route of a request."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from local_host.cannot_start import CannotStartError
from local_host.constraints import Constraint, constraint

_CONSTRAINT = r":\w+(?:\((?:\{\{|\}\}|[^{}])*?\))?"
_PARAMETER = re.compile(
    rf"\{{(?P<stars>\*{{0,2}})(?P<name>[^\W\d]\w*)(?P<constraints>(?:{_CONSTRAINT})*)"
    r"(?:=(?P<default>[^{}?]*))?(?P<optional>\?)?\}"
)
_KEPT_BY_THE_PLATFORM = ("admin", "runtime")


class InvalidTemplateError(ValueError):
    """ASP.NET or this host cannot parse the route template."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter in braces in a route template."""

    name: str
    constraints: tuple[Constraint, ...]
    default: str | None
    optional: bool
    catch_all: bool

    @property
    def omittable(self) -> bool:
        return self.optional or self.catch_all or self.default is not None

    def accepts(self, value: str) -> bool:
        return all(holds(value) for holds in self.constraints)


# The part of a template between two slashes. A segment is usually a single text or parameter, but it can combine
# several, as in `{name}.{extension}`.
Segment = Sequence[str | Parameter]


class RouteTemplate:
    """A route template, such as `items/{id:int}/{*rest}`."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._segments = _segments(text)
        self._parameters = [part for segment in self._segments for part in segment if isinstance(part, Parameter)]
        self._regex = re.compile(_pattern(self._segments), re.IGNORECASE | re.DOTALL)

    @property
    def precedence(self) -> tuple[Sequence[int], str]:
        """The sort key that puts more specific templates first, as in ASP.NET. Templates are compared by segment, then
        by text.
        """
        return [_rank(segment) for segment in self._segments], self.text.lower()

    def match(self, path: str) -> dict[str, str] | None:
        """The values of the parameters in a path. Return None if the path does not match."""
        found = self._regex.fullmatch(path)
        if found is None:
            return None
        values = {}
        for parameter, text in zip(self._parameters, found.groups(), strict=True):
            value = text or parameter.default
            if value is not None and not parameter.accepts(value):
                return None
            if value is not None:
                values[parameter.name] = value
        return values


@dataclass(frozen=True, slots=True)
class Route:
    """The route of a function, and its methods. If no methods are listed, all methods are allowed."""

    function: str
    template: RouteTemplate
    methods: frozenset[str]

    @classmethod
    def of(cls, function: str, prefix: str, own: str, methods: Iterable[str]) -> Route:
        """Create the route of a function. `prefix` is the prefix of all routes of the app.

        Raises:
            CannotStartError: The platform would reject the route.
        """
        if own.strip("/").lower().startswith(_KEPT_BY_THE_PLATFORM):
            raise CannotStartError(f"{function}: a route cannot start with 'admin' or 'runtime', as {own!r} does.")
        text = f"{prefix}/{own}" if prefix else own.removeprefix("/")
        try:
            return cls(function, RouteTemplate(text.removesuffix("/")), frozenset(method.upper() for method in methods))
        except ValueError as error:
            raise CannotStartError(f"{function}: the route {own!r} is invalid: {error}.") from None

    def meets(self, other: Route) -> bool:
        return not self.methods or not other.methods or bool(self.methods & other.methods)


class Routes:
    """The routes of an app, sorted from the most to the least specific."""

    def __init__(self, routes: Iterable[Route]) -> None:
        self._routes = sorted(routes, key=lambda route: route.template.precedence)
        for first, second in self._rivals():
            if first.template.text.lower() == second.template.text.lower():
                raise CannotStartError(f"{first.function} and {second.function} have the same route and method.")

    def __iter__(self) -> Iterator[Route]:
        return iter(self._routes)

    def find(self, method: str, path: str) -> tuple[str, Mapping[str, str]] | None:
        """The function for a request, and the values of the route parameters."""
        for route in self._routes:
            if route.methods and method not in route.methods:
                continue
            values = route.template.match(path)
            if values is not None:
                return route.function, values
        return None

    def hidden_on_azure(self) -> list[tuple[Route, Route]]:
        """Pairs of routes: a route that is unreachable on the platform, and the route that hides it.

        The platform chooses the first matching function in alphabetical order, even if another route is more specific.
        """
        return [
            (specific, general)
            for specific, general in self._rivals()
            if general.function.lower() < specific.function.lower()
            and general.template.match(f"/{specific.template.text}") is not None
        ]

    def _rivals(self) -> Iterator[tuple[Route, Route]]:
        return (pair for pair in combinations(self._routes, 2) if pair[0].meets(pair[1]))


def _segments(text: str) -> list[Segment]:
    """Split a template at slashes, except inside parameters."""
    segments: list[list[str | Parameter]] = [[]]
    position = 0
    for found in _PARAMETER.finditer(text):
        _add_literals(segments, text[position : found.start()])
        segments[-1].append(_parameter(found))
        position = found.end()
    _add_literals(segments, text[position:])
    _check(segments)
    return [segment for segment in segments if segment]


def _add_literals(segments: list[list[str | Parameter]], literals: str) -> None:
    if stray := set(literals) & set("{}?"):
        raise InvalidTemplateError(f"it cannot be parsed at {' '.join(sorted(stray))}")
    for index, literal in enumerate(literals.split("/")):
        if index:
            segments.append([])
        if literal:
            segments[-1].append(literal)


def _parameter(found: re.Match[str]) -> Parameter:
    texts = re.findall(rf"{_CONSTRAINT}(?=:|$)", found["constraints"])
    return Parameter(
        name=found["name"],
        constraints=tuple(constraint(text[1:].replace("{{", "{").replace("}}", "}")) for text in texts),
        default=found["default"],
        optional=found["optional"] is not None,
        catch_all=bool(found["stars"]),
    )


def _check(segments: Sequence[Segment]) -> None:
    parameters = [part for segment in segments for part in segment if isinstance(part, Parameter)]
    names = {parameter.name.lower() for parameter in parameters}
    whole_segments = [segment[0] for segment in segments if len(segment) == 1]
    if not all(segments) and len(segments) > 1:
        raise InvalidTemplateError("it has an empty segment")
    if len(names) < len(parameters):
        raise InvalidTemplateError("it contains a parameter twice")
    if any(part.omittable and part not in whole_segments for part in parameters):
        raise InvalidTemplateError("only a parameter that is a whole segment can be optional")
    if any(part.catch_all for part in parameters if part is not segments[-1][-1]):
        raise InvalidTemplateError("a catch-all must be at the end")


def _pattern(segments: Sequence[Segment]) -> str:
    """A regular expression for paths. The pattern is built from the end, because only the last segments can be
    optional.
    """
    pattern, at_omittable_end = "", True
    for segment in reversed(segments):
        whole = "/" + "".join(_part_pattern(part) for part in segment) + pattern
        at_omittable_end = at_omittable_end and isinstance(segment[0], Parameter) and segment[0].omittable
        pattern = f"(?:{whole})?" if at_omittable_end else whole
    return pattern + "/?"


def _part_pattern(part: str | Parameter) -> str:
    if isinstance(part, str):
        return re.escape(part)
    return "(.*)" if part.catch_all else "([^/]+)"


def _rank(segment: Segment) -> int:
    match segment:
        case [str()]:
            return 1
        case [Parameter() as part]:
            return (5 if part.catch_all else 3) - bool(part.constraints)
        case _:
            return 2
