"""Visits that real clients pay to a server: what each is to do there, and what it saw."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal

import anyio
import httpx2
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import ElicitRequestParams, ElicitResult

from tests.npm import Packages

Json = Any
Step = tuple[str, dict[str, Json]]
Era = Literal["legacy", "modern"]

VERSIONS: Final[Mapping[Era, str]] = {"legacy": "2025-11-25", "modern": "2026-07-28"}

_DRIVER: Final = Path(__file__).parent / "clients" / "visit.mjs"


@dataclass(frozen=True, slots=True)
class Visit:
    """The steps are methods of the protocol with their parameters.

    `answers` are those of the user to what a server asks, by the mode in which it asks: the client declares these.
    """

    url: str
    steps: Sequence[Step]
    headers: Mapping[str, str] = field(default_factory=dict)
    answers: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Seen:
    """The version that client and server agreed on, a result for each step, and what the user was asked."""

    version: str
    results: list[Json]
    asked: list[Json] = field(default_factory=list)


Visitor = Callable[[Visit], Seen]


@dataclass
class _User:
    """Answers what the client asks, and remembers it."""

    answers: Mapping[str, Json]
    asked: list[Json] = field(default_factory=list)

    async def answer(self, _: object, params: ElicitRequestParams) -> ElicitResult:
        self.asked.append(params.model_dump(mode="json", by_alias=True))
        return ElicitResult.model_validate(self.answers[params.mode])

    @property
    def of_client(self) -> dict[str, Any]:
        return {"elicitation_callback": self.answer} if self.answers else {}


def python_client(mode: Literal["auto", "legacy"]) -> Visitor:
    async def visit_async(visit: Visit) -> Seen:
        user = _User(visit.answers)
        async with (
            # The first list of all tools makes all their schemas, which two busy cores may take seconds for.
            httpx2.AsyncClient(headers=visit.headers, timeout=60) as http,
            Client(streamable_http_client(visit.url, http_client=http), mode=mode, **user.of_client) as client,
        ):
            results = [await _take(client, method, params) for method, params in visit.steps]
            return Seen(client.protocol_version, results, user.asked)

    return lambda visit: anyio.run(visit_async, visit)


async def _take(client: Client, method: str, params: dict[str, Json]) -> Json:
    methods: dict[str, Callable[..., Any]] = {
        "tools/list": client.list_tools,
        "tools/call": client.call_tool,
        "resources/list": client.list_resources,
        "resources/read": client.read_resource,
        "prompts/list": client.list_prompts,
        "prompts/get": client.get_prompt,
    }
    result = await methods[method](**params)
    return result.model_dump(mode="json", by_alias=True, exclude_none=True)


def typescript_client(packages: Packages, library: Literal["client", "sdk"], options: Json) -> Visitor:
    def visit_by_script(visit: Visit) -> Seen:
        task = {"library": library, "options": options, **asdict(visit)}
        # Read from its input, the script finds the packages of the folder that it runs in.
        run = packages.run(
            "node", "--input-type=module", "-", json.dumps(task), script=_DRIVER.read_text(encoding="utf-8")
        )
        assert run.returncode == 0, run.stderr
        return Seen(**json.loads(run.stdout))

    return visit_by_script


def inspector(packages: Packages, era: Era) -> Visitor:
    # Or it would keep a folder in the home of whoever runs the tests.
    packages = replace(packages, variables={**packages.variables, "MCP_STORAGE_DIR": str(packages.folder)})

    def run(visit: Visit, method: str, *options: str) -> Json:
        headers = [word for name, value in visit.headers.items() for word in ("--header", f"{name}: {value}")]
        common = ["--transport", "http", "--protocol-era", era, "--format", "json", *headers]
        run = packages.run("mcp-inspector", "--cli", visit.url, "--method", method, *common, *options)
        # Where a tool has refused, the Inspector ends with 5.
        assert run.returncode in {0, 5}, run.stderr
        printed = json.loads(run.stdout)
        assert "schemaFindings" not in printed, printed["schemaFindings"]
        return printed["result"]

    def visit_by_commands(visit: Visit) -> Seen:
        results = [run(visit, method, *_inspector_options(method, params)) for method, params in visit.steps]
        return Seen(run(visit, "initialize")["protocolVersion"], results)

    return visit_by_commands


def _inspector_options(method: str, params: dict[str, Json]) -> list[str]:
    match method:
        case "tools/list":
            return ["--strict"]
        case "tools/call":
            return ["--tool-name", params["name"], "--tool-args-json", json.dumps(params["arguments"])]
        case "resources/read":
            return ["--uri", params["uri"]]
        case "prompts/get":
            words = [f"{name}={value}" for name, value in params["arguments"].items()]
            return ["--prompt-name", params["name"], "--prompt-args", *words]
    return []


CLIENTS: Final[Mapping[str, tuple[Era, Callable[[Packages], Visitor]]]] = {
    "mcp.Client": ("modern", lambda _: python_client("auto")),
    "mcp.Client as of old": ("legacy", lambda _: python_client("legacy")),
    "client 2": ("legacy", lambda packages: typescript_client(packages, "client", {})),
    "client 2, automatic": (
        "modern",
        lambda packages: typescript_client(packages, "client", {"versionNegotiation": {"mode": "auto"}}),
    ),
    "sdk 1": ("legacy", lambda packages: typescript_client(packages, "sdk", {})),
    "inspector": ("legacy", lambda packages: inspector(packages, "legacy")),
    "inspector, modern": ("modern", lambda packages: inspector(packages, "modern")),
}
