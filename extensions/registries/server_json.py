"""Reads `server.json`, the format in which the official MCP registry describes servers. Unknown fields are ignored."""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from extensions.registries.offer import ACTIVE, InstallInput, OfferedPackage, Origin, Remote, ServerOffer
from extensions.registries.texts import Line, Words
from refusal import Refusal

OF_THE_REGISTRY: Final = "io.modelcontextprotocol.registry/official"
_HTTP: Final = "streamable-http"
_STDIO: Final = "stdio"
_MOST: Final = 50


class _Read(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _Input(_Read):
    name: Line = ""
    value_hint: Annotated[Line, Field(alias="valueHint")] = ""
    description: Words = ""
    default: Line = ""
    value: Line = ""
    choices: Annotated[list[Line], Field(max_length=_MOST)] = []
    is_required: Annotated[bool, Field(alias="isRequired")] = False
    is_secret: Annotated[bool, Field(alias="isSecret")] = False
    type: Line = ""

    def wanted(self, name: str = "") -> InstallInput:
        return InstallInput(
            name=name or self.name or self.value_hint,
            about=self.description,
            default=self.default or self.value,
            choices=tuple(self.choices),
            is_required=self.is_required,
            is_secret=self.is_secret,
        )

    @property
    def words(self) -> list[str]:
        """Return the words that this argument adds to a command. If a required value is missing, the placeholder
        `{name}` takes its place.
        """
        value = self.value or self.default or (f"{{{self.value_hint or self.name}}}" if self.is_required else "")
        named = [self.name] if self.type == "named" and self.name else []
        return [*named, *([value] if value else [])]


class _Transport(_Read):
    type: Line = _STDIO
    url: Line = ""


class _Remote(_Transport):
    variables: Annotated[dict[str, _Input], Field(max_length=_MOST)] = {}
    headers: Annotated[list[_Input], Field(max_length=_MOST)] = []

    def remote(self) -> Remote:
        wants = tuple(one.wanted(name[:100]) for name, one in self.variables.items())
        return Remote(url=self.url, wants=wants, headers=tuple(one.wanted() for one in self.headers))


def _one_version(text: str) -> str:
    if text == "latest" or set(text) & set("^~*<>=| "):
        raise ValueError("the version must be exact, not a range")
    return text


class _Package(_Read):
    origin: Annotated[Line, Field(alias="registryType")]
    identifier: Annotated[Line, Field(min_length=1)]
    version: Annotated[Line, AfterValidator(_one_version)] = ""
    base: Annotated[Line, Field(alias="registryBaseUrl")] = ""
    digest: Annotated[str | None, Field(alias="fileSha256", pattern="^[0-9a-fA-F]{64}$")] = None
    transport: _Transport = _Transport()
    arguments: Annotated[list[_Input], Field(alias="packageArguments", max_length=_MOST)] = []
    variables: Annotated[list[_Input], Field(alias="environmentVariables", max_length=_MOST)] = []

    @property
    def can_be_had(self) -> bool:
        """Whether the package can be installed: it needs a version, a public registry and the `stdio` transport."""
        is_public = not self.base or self.base.rstrip("/") in _PUBLIC[self.origin] if self.origin in _PUBLIC else False
        return is_public and bool(self.version) and self.transport.type == _STDIO

    def package(self) -> OfferedPackage:
        return OfferedPackage(
            origin=Origin(self.origin),
            identifier=self.identifier,
            version=self.version,
            digest=f"sha256:{self.digest.lower()}" if self.digest else "",
            arguments=tuple(word for one in self.arguments for word in one.words),
            variables=tuple(one.wanted() for one in self.variables),
        )


_PUBLIC: Final = {
    Origin.NPM.value: {"https://registry.npmjs.org"},
    Origin.PYPI.value: {"https://pypi.org", "https://pypi.org/simple"},
}


class _Repository(_Read):
    url: Line = ""


class _Server(_Read):
    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9.-]{1,100}/[A-Za-z0-9._-]{1,100}$")]
    version: Annotated[Line, AfterValidator(_one_version), Field(min_length=1)]
    title: Line = ""
    description: Words = ""
    status: Line = ACTIVE
    repository: _Repository = _Repository()
    remotes: Annotated[list[_Remote], Field(max_length=_MOST)] = []
    packages: Annotated[list[_Package], Field(max_length=_MOST)] = []


class _Listed(_Read):
    status: Line = ACTIVE
    words: Annotated[Words, Field(alias="statusMessage")] = ""


def offer_of(document: Any, source: str, about: Any = None) -> ServerOffer:
    """Parse a `server.json`. `about` contains the registry's metadata about the server.

    Raises:
        Refusal: The document is not a valid `server.json`.
    """
    try:
        server, listed = _Server.model_validate(document), _Listed.model_validate(about or {})
    except ValidationError as error:
        raise Refusal(f"Not a valid server description: {_first(error)}") from None
    packages = [one for one in server.packages if one.can_be_had]
    return ServerOffer(
        name=server.name,
        version=server.version,
        source=source,
        title=server.title,
        description=server.description,
        repository=server.repository.url,
        status=listed.status if about else server.status,
        status_words=listed.words,
        remotes=tuple(one.remote() for one in server.remotes if one.type == _HTTP),
        packages=tuple(one.package() for one in packages),
        other_ways=tuple(
            sorted({*_other_remotes(server), *(_way(one) for one in server.packages if one not in packages)})
        ),
    )


def _other_remotes(server: _Server) -> list[str]:
    return [f"{one.type} at {one.url}" for one in server.remotes if one.type != _HTTP]


def _way(package: _Package) -> str:
    spoken = "" if package.transport.type == _STDIO else f" over {package.transport.type}"
    return f"{package.origin} {package.identifier}{spoken}"


def _first(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    where = ".".join(map(str, first["loc"]))[:200]
    return f"{where or 'it'}: {first['msg'][:200]}."
