"""Reads a registry of azd extensions, some of which are MCP servers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError

from extensions.registries.offer import InstallInput, OfferedPackage, Origin, ServerOffer
from extensions.registries.texts import Line, Words

_SERVER: Final = "mcp-server"
_START: Final = ("mcp", "start")
_MOST: Final = 100
_DIGEST: Final = re.compile("[0-9a-fA-F]{64}")


class _Read(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _Checksum(_Read):
    algorithm: Line = ""
    value: Line = ""


class _Artifact(_Read):
    url: Line = ""
    program: Annotated[Line, Field(alias="entryPoint")] = ""
    checksum: _Checksum = _Checksum()


class _Server(_Read):
    args: Annotated[list[Line], Field(max_length=_MOST)] = list(_START)
    env: Annotated[list[Line], Field(max_length=_MOST)] = []


class _Mcp(_Server):
    server: _Server | None = None


class _Dependency(_Read):
    id: Line = ""
    version: Line = ""


class _Version(_Read):
    version: Line
    required: Annotated[Line, Field(validation_alias=AliasChoices("requiredAzdVersion", "required"))] = ""
    capabilities: Annotated[list[Line], Field(max_length=_MOST)] = []
    program: Annotated[Line, Field(alias="entryPoint")] = ""
    artifacts: Annotated[dict[str, _Artifact], Field(max_length=_MOST)] = {}
    dependencies: Annotated[list[_Dependency], Field(max_length=_MOST)] = []
    mcp: _Mcp | None = None

    @property
    def is_server(self) -> bool:
        return _SERVER in self.capabilities


class _Extension(_Read):
    id: Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]{1,100}$")]
    title: Annotated[Line, Field(alias="displayName")] = ""
    description: Words = ""
    versions: Annotated[list[Any], Field(max_length=1000)] = []


def offers_of(document: Mapping[str, Any], source: str, here: str, version: str = "") -> Iterator[ServerOffer]:
    """Yield an offer for each azd extension that is an MCP server. Malformed entries are skipped.

    Each offer has the given version. If no version is given, the offer has the newest version, which the registry lists
    last.
    """
    for raw in document.get("extensions") or ():
        extension = _read(_Extension, raw)
        versions = (_read(_Version, one) for one in reversed(extension.versions)) if extension else ()
        fitting = (one for one in versions if one and one.is_server and version in {"", one.version})
        if extension and (newest := next(fitting, None)):
            yield _offer(extension, newest, source, here)


def _read(shape: type[Any], raw: Any) -> Any:
    try:
        return shape.model_validate(raw)
    except (ValidationError, RecursionError):
        return None


def _offer(extension: _Extension, version: _Version, source: str, here: str) -> ServerOffer:
    artifact = version.artifacts.get(here)
    required = [f"azd {version.required}"] if version.required else []
    return ServerOffer(
        name=extension.id,
        version=version.version,
        source=source,
        title=extension.title,
        description=extension.description,
        packages=(_package(extension, version, artifact),) if artifact and artifact.url else (),
        other_ways=() if artifact else tuple(f"for {kind[:60]} only" for kind in sorted(version.artifacts)),
        needs=(*required, *(f"{one.id} {one.version}".strip() for one in version.dependencies)),
    )


def _package(extension: _Extension, version: _Version, artifact: _Artifact) -> OfferedPackage:
    server = (version.mcp and version.mcp.server) or version.mcp or _Server()
    digest = artifact.checksum.value.lower()
    is_sha256 = artifact.checksum.algorithm.lower() == "sha256" and _DIGEST.fullmatch(digest)
    return OfferedPackage(
        origin=Origin.AZD,
        identifier=artifact.url,
        version=version.version,
        digest=f"sha256:{digest}" if is_sha256 else "",
        arguments=tuple(server.args),
        variables=tuple(
            InstallInput(name=name, default=value) for name, _, value in (one.partition("=") for one in server.env)
        ),
        program=artifact.program or version.program or extension.id,
    )
