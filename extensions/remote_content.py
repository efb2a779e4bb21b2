"""Offers the prompts and resources of an extension, if the extension's configuration allows this.

Unlike tools, prompts and resources are not pinned. A server generates the content of a resource or prompt for each
request, so a digest of the name and description would not detect changed content. Instead, an operator decides for each
extension whether to offer its prompts and resources.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from extensions.contents import completion_of, contents_of, prompt_of
from extensions.extension import Extension
from extensions.results import asks
from extensions.sanitizing import LONGEST_DESCRIPTION, readable
from extensions.upstream.question import Json, ServerRequest
from identity.access import Access
from identity.caller import ANONYMOUS, Caller
from invisible import is_printable
from mcp_server.bounds import LONGEST_URI
from mcp_server.declarations.remote_content import Kind, address_of, name_of
from mcp_server.declarations.tool import Result, Tool
from mcp_server.protocol.results import CallResult, InputRequired
from mcp_server.visit import Context
from refusal import Refusal

logger = logging.getLogger(__name__)

_SECONDS_TO_LIST: Final = 5.0
_SECONDS_MORE: Final = 5.0
_SECONDS_KEPT: Final = 60.0
_MOST_PAGES: Final = 20
_MOST_LISTED: Final = 500
_MOST_ARGUMENTS: Final = 50
_LONGEST_NAME: Final = 128
_LONGEST_TITLE: Final = 200
_LARGEST: Final = 2**53
_METHODS: Final[Mapping[Kind, str]] = {
    "resources": "resources/list",
    "resourceTemplates": "resources/templates/list",
    "prompts": "prompts/list",
}
_OFFER_OF: Final[Mapping[Kind, str]] = {
    "resources": "resources",
    "resourceTemplates": "resources",
    "prompts": "prompts",
}

# A function that adds a notice to an answer. The notice says that the answer comes from an extension.
Telling = Callable[[str, Json], Json]


@dataclass(frozen=True, eq=False, kw_only=True)
class RemoteQuestion(Tool):
    """A read-only request to an extension. The request is executed, timed and recorded like a tool call, but the list
    of tools does not contain it.
    """

    method: str
    offers: Callable[[Json], str]
    extension: Extension
    tell: Telling

    @property
    def description(self) -> str:
        return self.title

    @property
    def own_schema(self) -> dict[str, Any]:
        return {"type": "object", "properties": {}}

    def check(self, arguments: dict[str, Any]) -> dict[str, Any]:
        return arguments

    async def run(self, meant: dict[str, Any], context: Context) -> Any:
        entry = self.extension.entry
        if (offer := self.offers(meant)) not in entry.offers:
            raise Refusal(f"The extension {entry.name!r} does not offer {offer} here.")
        caller = context.visit.caller
        answer = await self.extension.ask(ServerRequest(method=self.method, params=meant), caller)
        if asks(answer):
            raise Refusal(
                f"The extension {entry.name!r} asks the user a question, but only tools can pass on questions."
            )
        return self.tell(entry.name, answer)

    def result(self, value: Any) -> Result:
        if isinstance(value, CallResult | InputRequired):
            return value
        return CallResult([], value)


class OfExtension:
    """The prompts and resources of an extension. Lists of prompts and resources are cached for a minute.

    After an error, an empty list is cached. Lists that may differ between users are not cached.
    """

    def __init__(self, extension: Extension, clock: Callable[[], float] = time.monotonic) -> None:
        self._extension = extension
        self._clock = clock
        self._kept: dict[Kind, tuple[float, Sequence[Json]]] = {}
        self._looking = asyncio.Lock()

    @cached_property
    def reading(self) -> Tool:
        return self._asking("read_resource", "resources/read", lambda _: "resources", contents_of)

    @cached_property
    def getting(self) -> Tool:
        return self._asking("get_prompt", "prompts/get", lambda _: "prompts", prompt_of)

    @cached_property
    def completing(self) -> Tool:
        return self._asking("complete_argument", "completion/complete", _offer_of, completion_of)

    async def listed(self, kind: Kind, caller: Caller) -> Sequence[Json]:
        if _OFFER_OF[kind] not in self._extension.entry.offers:
            return ()
        if self._extension.entry.is_personal:
            return await self._seen(kind, caller)
        # Concurrent callers wait for the same request.
        async with self._looking:
            until, shown = self._kept.get(kind, (0.0, ()))
            if until <= self._clock():
                shown = await self._seen(kind, ANONYMOUS)
                self._kept[kind] = (self._clock() + _SECONDS_KEPT, shown)
            return shown

    async def _seen(self, kind: Kind, caller: Caller) -> Sequence[Json]:
        name = self._extension.entry.name
        found: dict[str, Json] = {}
        try:
            async with asyncio.timeout(_SECONDS_TO_LIST):
                await self._collect(kind, caller, found)
        except (Refusal, TimeoutError) as failure:
            logger.info("The extension %s does not list all of its %s: %s", name, kind, failure)
        return list(found.values())[:_MOST_LISTED]

    async def _collect(self, kind: Kind, caller: Caller, found: dict[str, Json]) -> None:
        cursor: object = None
        for _ in range(_MOST_PAGES):
            params = {"cursor": cursor} if cursor else {}
            page = await self._extension.ask(ServerRequest(method=_METHODS[kind], params=params), caller)
            said = page.get(kind)
            for one in said[:_MOST_LISTED] if isinstance(said, list) else ():
                if shown := _shown(kind, self._extension.entry.name, one):
                    found.setdefault(*shown)
            cursor = page.get("nextCursor")
            if not isinstance(cursor, str) or not cursor or len(found) >= _MOST_LISTED:
                return

    def _asking(self, name: str, method: str, offers: Callable[[Json], str], tell: Telling) -> Tool:
        entry = self._extension.entry
        return RemoteQuestion(
            name=name,
            toolset=entry.name,
            access=Access.READ,
            title=f"{entry.name}: {method}",
            seconds=entry.seconds + _SECONDS_MORE,
            method=method,
            offers=offers,
            extension=self._extension,
            tell=tell,
        )


def _offer_of(meant: Json) -> str:
    return "prompts" if meant["ref"]["type"] == "ref/prompt" else "resources"


Make = Callable[[str, Json, str], Json]


def _shown(kind: Kind, extension: str, said: Any) -> tuple[str, Json] | None:
    """Convert a listed item. Return the item and its identifier (name or URI), or None if the item is invalid."""
    key, longest, make = _FORMS[kind]
    if not isinstance(said, dict) or not _is_named(said.get(key), longest):
        return None
    return said[key], make(extension, said, said[key])


def _resource(extension: str, said: Json, uri: str) -> Json:
    size = said.get("size")
    has_size = type(size) is int and 0 <= size < _LARGEST
    return {"uri": address_of(extension, uri), **({"size": size} if has_size else {}), **_about(extension, said, uri)}


def _template(extension: str, said: Json, uri: str) -> Json:
    return {"uriTemplate": address_of(extension, uri), **_about(extension, said, uri)}


def _prompt(extension: str, said: Json, name: str) -> Json:
    title = f"{extension}: {_line(said.get('title'), _LONGEST_TITLE) or name}"
    return _present(
        name=name_of(extension, name), title=title, description=_described(extension, said), arguments=_arguments(said)
    )


def _arguments(said: Json) -> list[Json]:
    told = said.get("arguments")
    return [
        _present(
            name=one["name"],
            description=_line(one.get("description"), LONGEST_DESCRIPTION),
            required=one.get("required") is True,
        )
        for one in (told[:_MOST_ARGUMENTS] if isinstance(told, list) else ())
        if isinstance(one, dict) and _is_named(one.get("name"), _LONGEST_NAME)
    ]


def _present(**parts: Any) -> Json:
    """Drop the values that are None."""
    return {name: value for name, value in parts.items() if value is not None}


_FORMS: Final[Mapping[Kind, tuple[str, int, Make]]] = {
    "resources": ("uri", LONGEST_URI - 50, _resource),
    "resourceTemplates": ("uriTemplate", LONGEST_URI - 50, _template),
    "prompts": ("name", _LONGEST_NAME, _prompt),
}


def _about(extension: str, said: Json, uri: str) -> dict[str, Any]:
    name = _line(said.get("name"), _LONGEST_TITLE) or uri[:_LONGEST_TITLE]
    return _present(
        name=f"{extension}: {name}",
        title=_line(said.get("title"), _LONGEST_TITLE),
        description=_described(extension, said),
        mimeType=_line(said.get("mimeType"), _LONGEST_TITLE),
    )


def _described(extension: str, said: Json) -> str | None:
    text = _line(said.get("description"), LONGEST_DESCRIPTION)
    return text and f"From the server of {extension!r}: {text}"


def _line(said: object, longest: int) -> str | None:
    return readable(said, longest).strip() or None if isinstance(said, str) else None


def _is_named(name: object, longest: int) -> bool:
    return isinstance(name, str) and 0 < len(name) <= longest and is_printable(name)
