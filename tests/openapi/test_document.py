"""The OpenAPI document: one operation for each tool of the caller, in the words of each version."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from identity.access import Access
from mcp_server.declarations.toolset import Toolset
from mcp_server.http.openapi.document import About
from mcp_server.http.openapi.page import openapi
from mcp_server.http.rest import call_tool
from tests.mcp_server.caller import Json, post
from tests.mcp_server.endpoints import new_endpoint
from tests.mcp_server.machine import Machine
from tests.mcp_server.sign_in_by_header import office_door
from tests.npm import Packages, installed
from tests.offline import app_of
from tests.openapi.judges import judged_by
from tests.openapi.world import ABOUT, document, everything
from tests.sweeps import only_with

VERSIONS = ["3.1", "3.0", "2.0"]
# Of which clients are generated: by night also of the older version, which is made of the newer.
GENERATED = ["3.1", "3.0"] if "FUZZ_OPENAPI" in os.environ else ["3.1"]
STRICT = (
    "--strict --noEmit --exactOptionalPropertyTypes --noUncheckedIndexedAccess"
    " --skipLibCheck --target es2022 --lib es2022 --module nodenext"
)
# Where an error is expected below a line and there is none, that is one.
USES = """
import type { operations } from "./types.js";
type Rule = operations["new_azure_firewall_rules"]["requestBody"]["content"]["application/json"];
export const all: Record<keyof operations, true> = %s;
export const fits: Rule = { team: "shop", source: "10.0.0.1", destination: "10.0.0.2" };
// @ts-expect-error a team is a text
export const wrong: Rule = { team: 1, source: "10.0.0.1", destination: "10.0.0.2" };
// @ts-expect-error a rule has a destination
export const lacking: Rule = { team: "shop", source: "10.0.0.1" };
"""

SCHEMA: Json = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {
        "part": {"$ref": "#/$defs/Part"},
        "pair": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": False},
        "kind": {"const": "screw"},
        "anything": True,
        "nothing": False,
        "count": {"type": ["integer", "null"], "exclusiveMinimum": 0},
        "either": {"type": ["integer", "string"]},
        "maybe": {"anyOf": [{"$ref": "#/$defs/Part"}, {"type": "null"}], "default": None},
        "list": {"type": "array"},
        "away": {"$ref": "https://example.com/schema.json"},
    },
    "required": ["part"],
    "additionalProperties": False,
    "$defs": {"Part": {"type": "object", "properties": {"of": {"$ref": "#/$defs/Part"}, "name": {"type": "string"}}}},
}


async def _nothing(_arguments: Json) -> str:
    return ""


def awkward() -> Toolset:
    toolset = Toolset("machines", "Machines.")
    toolset.own.tools.append(
        Machine(name="make", toolset="machines", access=Access.READ, title="Make", schema=SCHEMA, action=_nothing)
    )
    return toolset


def schemas_in(node: Any) -> Iterator[dict[str, Any]]:
    if isinstance(node, dict):
        yield node
        for inner in node.values():
            yield from schemas_in(inner)
    elif isinstance(node, list):
        for inner in node:
            yield from schemas_in(inner)


async def test_each_tool_is_an_operation_whose_body_is_its_arguments() -> None:
    found = await document(new_endpoint())
    operation = found["paths"]["/tools/write_note"]["post"]
    schema = operation["requestBody"]["content"]["application/json"]["schema"]
    assert operation["operationId"] == "write_note"
    assert operation["description"]
    assert "text" in schema["properties"]
    assert {"200", "202", "401", "404", "422"} <= operation["responses"].keys()


async def test_operations_are_grouped_by_toolset() -> None:
    found = await document(everything())
    assert found["paths"]["/tools/list_builds"]["post"]["tags"] == ["devops-builds"]
    named = {tag["name"] for tag in found["tags"]}
    assert {tag for item in found["paths"].values() for tag in item["post"]["tags"]} == named


@pytest.mark.parametrize(("version", "place"), [("3.1", "components"), ("3.0", "components"), ("2.0", "")])
async def test_an_answer_has_the_type_that_the_tool_declares(version: str, place: str) -> None:
    found = await document(everything(), version)
    answer = found["paths"]["/tools/new_azure_firewall_rules"]["post"]["responses"]["200"]["$ref"]
    parts = found[place] if place else found
    response = parts["responses"][answer.rpartition("/")[2]]
    schema = response["schema"] if version == "2.0" else response["content"]["application/json"]["schema"]
    typed = parts["definitions" if version == "2.0" else "schemas"][schema["$ref"].rpartition("/")[2]]
    assert typed["required"] == ["yaml_content", "filename", "action", "message"]


async def test_the_app_says_so_too_of_tools_that_it_has_not_imported_yet() -> None:
    app = app_of({"AZURE_FUNCTIONS_ENVIRONMENT": "Development"})
    operation = (await document(app.endpoint))["paths"]["/tools/new_azure_firewall_rules"]["post"]
    assert operation["tags"] == ["firewall"]
    assert operation["responses"]["200"]["$ref"].endswith("/new_azure_firewall_rules_given")
    await app.close()


async def test_it_shows_only_what_is_open_to_the_caller() -> None:
    endpoint = new_endpoint(door=office_door())
    request = replace(post(b"", {"x-who": "eve Visitor"}), method="GET")
    shown = json.loads((await openapi(endpoint, request, ABOUT)).body)["paths"]
    assert "/tools/find_notes" in shown
    assert "/tools/write_note" not in shown
    assert (await openapi(endpoint, replace(post(b""), method="GET"), ABOUT)).status == 401


async def test_who_has_it_already_is_not_sent_it_again() -> None:
    request = replace(post(b""), method="GET")
    first = await openapi(everything(), request, ABOUT)
    again = await openapi(
        everything(), replace(request, headers={**request.headers, "if-none-match": first.headers["etag"]}), ABOUT
    )
    assert (again.status, again.body) == (304, b"")


@pytest.mark.parametrize("query", ["version=4", "versions=3.0", "version=3.0&version=2.0"])
async def test_versions_that_there_are_not_are_refused(query: str) -> None:
    answer = await openapi(new_endpoint(), replace(post(b""), method="GET", query=query), ABOUT)
    assert (answer.status, answer.headers["content-type"]) == (400, "application/problem+json")


@pytest.mark.parametrize("version", VERSIONS)
async def test_references_lead_to_components_only_and_each_leads_somewhere(version: str) -> None:
    for found in (await document(everything(), version), await document(new_endpoint(toolsets=[awkward()]), version)):
        for target in (one["$ref"] for one in schemas_in(found) if isinstance(one.get("$ref"), str)):
            place: Any = found
            for name in target.removeprefix("#/").split("/"):
                place = place[name]
            assert place, target


async def test_what_generators_break_on_is_said_in_another_way() -> None:
    endpoint = new_endpoint(toolsets=[awkward()])
    newest, older, oldest = [await document(endpoint, version) for version in VERSIONS]
    for found in (newest, older, oldest):
        assert not {"$defs", "prefixItems", "$schema"} & {key for one in schemas_in(found["paths"]) for key in one}
    properties = older["paths"]["/tools/make"]["post"]["requestBody"]["content"]["application/json"]["schema"][
        "properties"
    ]
    assert properties["kind"] == {"enum": ["screw"]}
    assert properties["count"] == {"type": "integer", "nullable": True, "minimum": 0, "exclusiveMinimum": True}
    assert properties["either"] == {"anyOf": [{"type": "integer"}, {"type": "string"}]}
    assert properties["pair"]["maxItems"] == 2
    [taken] = oldest["paths"]["/tools/make"]["post"]["parameters"]
    assert taken["schema"]["properties"]["part"] == {"$ref": "#/definitions/make_Part"}
    assert taken["schema"]["properties"]["count"]["x-nullable"] is True


@pytest.mark.parametrize(("mode", "kind"), [("oauth", "http"), ("key", "apiKey"), ("none", None)])
async def test_it_says_how_one_signs_in(mode: str, kind: str | None) -> None:
    about = About("https://mcp.example.com", mode, "x", "1")
    found = await document(new_endpoint(), "3.1", about)
    schemes = found["components"].get("securitySchemes", {})
    assert [one["type"] for one in schemes.values()] == ([kind] if kind else [])
    assert found["security"] == [{name: []} for name in schemes]


async def test_the_validator_accepts_it(tmp_path: Any) -> None:
    files = []
    for name, endpoint in (("all", everything()), ("awkward", new_endpoint(toolsets=[awkward()]))):
        for version in VERSIONS:
            files.append(tmp_path / f"{name}-{version}.json")
            files[-1].write_text(json.dumps(await document(endpoint, version)))
    # One process for all of them: to start it takes longer than to judge.
    judged = judged_by("openapi_spec_validator", *map(str, files), folder=tmp_path)
    assert judged.returncode == 0, judged.stdout[-3000:] + judged.stderr[-3000:]
    assert judged.stdout.count(": OK") == len(files), judged.stdout


@pytest.mark.parametrize("version", GENERATED)
async def test_a_client_is_made_of_it_with_a_function_for_each_tool(version: str, tmp_path: Any) -> None:
    found = await document(everything(), version)
    file = tmp_path / "openapi.json"
    file.write_text(json.dumps(found))
    (tmp_path / "config.yml").write_text("post_hooks: []\n")
    arguments = ["generate", "--path", str(file), "--output-path", str(tmp_path / "made"), "--meta", "none"]
    judged = judged_by("openapi_python_client", *arguments, "--config", str(tmp_path / "config.yml"), folder=tmp_path)
    assert judged.returncode == 0, judged.stdout[-3000:] + judged.stderr[-3000:]
    assert "WARNING" not in judged.stdout + judged.stderr, (judged.stdout + judged.stderr)[-3000:]
    made = {path.stem for path in (tmp_path / "made" / "api").rglob("*.py")} - {"__init__"}
    assert made == {name.removeprefix("/tools/").replace("-", "_") for name in found["paths"]}


@pytest.fixture(scope="session")
def typescript() -> Packages:
    return installed(Path(__file__).parent / "typescript")


@only_with("FUZZ_OPENAPI")
async def test_typescript_has_a_type_for_each_tool_and_tells_what_does_not_fit(
    typescript: Packages, tmp_path: Path
) -> None:
    (tmp_path / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    files = []
    for version in GENERATED:
        folder = tmp_path / version
        folder.mkdir()
        found = await document(everything(), version)
        (folder / "openapi.json").write_text(json.dumps(found), encoding="utf-8")
        made = typescript.run("openapi-typescript", str(folder / "openapi.json"), "-o", str(folder / "types.ts"))
        assert made.returncode == 0, made.stdout + made.stderr
        names = {operation["operationId"]: True for path in found["paths"].values() for operation in path.values()}
        files.append(folder / "uses.ts")
        files[-1].write_text(USES % json.dumps(names), encoding="utf-8")
    judged = typescript.run("tsc", *STRICT.split(), *map(str, files))
    assert judged.returncode == 0, judged.stdout[-3000:] + judged.stderr[-3000:]


async def test_open_webui_finds_a_tool_in_each_operation_and_calls_it() -> None:
    """Its way, as its source has it: a name, a description, and arguments from the top of the body."""
    endpoint = new_endpoint()
    found = await document(endpoint)
    specs = {spec["name"]: spec for spec in tools_of_open_webui(found)}
    assert specs.keys() == {path.removeprefix("/tools/") for path in found["paths"]}
    assert specs["write_note"]["parameters"]["properties"]["text"]["type"] == "string"
    answer = await call_tool(endpoint, post(b'{"text": "allowed"}'), "write_note")
    assert json.loads(answer.body) == {"id": 1, "text": "allowed"}


async def test_what_open_webui_found_with_the_key_of_its_connection_opens_nothing_to_others() -> None:
    """It asks for the document once, and calls for everybody what it found then."""
    endpoint = new_endpoint(door=office_door())
    fetched = await openapi(endpoint, replace(post(b"", {"x-who": "connection Clerk"}), method="GET"), ABOUT)
    names = {spec["name"] for spec in tools_of_open_webui(json.loads(fetched.body))}
    assert "write_note" in names
    note = b'{"text": "allowed"}'
    assert (await call_tool(endpoint, post(note, {"x-who": "connection Clerk"}), "write_note")).status == 200
    assert (await call_tool(endpoint, post(note, {"x-who": "eve Visitor"}), "write_note")).status in {403, 404}
    assert (await call_tool(endpoint, post(note), "write_note")).status == 401


def tools_of_open_webui(found: Json) -> Iterator[Json]:
    for methods in found["paths"].values():
        for operation in methods.values():
            if not operation.get("operationId"):
                continue
            schema = resolved(operation["requestBody"]["content"]["application/json"]["schema"], found)
            yield {
                "name": operation["operationId"],
                "description": operation["description"],
                "parameters": {"properties": schema["properties"], "required": schema.get("required", [])},
            }


def resolved(schema: Json, found: Json) -> Json:
    if "$ref" in schema:
        assert schema["$ref"].startswith("#/components/")
        return found["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return schema
