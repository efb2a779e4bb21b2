"""Queries that try to read elsewhere than where they are confined, in KQL, Resource Graph and WIQL."""

from __future__ import annotations

from typing import Final

import pytest

from clients.azure.confinement.reaching import reaches_elsewhere, reads_one_table
from clients.azure.kql import tokens
from clients.azure_devops.confinement.wiql import confined
from extensions.sanitizing import description_of, readable, schema_of
from refusal import Refusal
from workspaces.paths import checked_path

ELSEWHERE: Final = 'workspace("x").T'
UNSEEN: Final = "\x0b\x0c\x85\u00a0\u1680\u2000\u200a\u202f\u205f\u3000\u00ad\u180e\u200b\u2060\ufe0f\ufeff\u2028\u2029"
KQL: Final = [
    *(f'union workspace{character}("x").T' for character in UNSEEN),
    f"T | union {ELSEWHERE}",
    'union WORKSPACE("x").T',
    'union workspace//c\n("x").T',
    'union workspace\n(\n"x").T',
    'union \uff57orkspace("x").T',
    'union wor\u212aspace("x").T',
    'union work\u017fpace("x").T',
    "union ['workspace'](\"x\").T",
    f'T | where a == "\\" | union" | union {ELSEWHERE}',
    f'T // "\n| union {ELSEWHERE}',
    f"T // \u2028| union {ELSEWHERE}",
    f"T | where a == '\"' | union {ELSEWHERE} | where b == '\"'",
    f'T | where x == datetime(") | union {ELSEWHERE} | where a == (")',
    f"```\n``` union {ELSEWHERE}",
    f'T | where a == ~~~"~~~ | union {ELSEWHERE} //"',
    "h'x' | union app('y').T",
    'externaldata(a:string)["https://x"]',
    'T | evaluate hint.distribution=per_node http_request("https://x")',
    'T | evaluate//\nhttp_request("https://x")',
    'T | evaluate ["http_request"]("https://x")',
    'T | evaluate ai_embeddings("x")',
    'T | extend ai_chat_completion("x")',
    'T | evaluate cosmosdb_sql_request("x")',
    "//x\n.show tables",
    "SELECT 1",
    'set query_language="sql"; select 1',
    'macro-expand entity_group [cluster("x")] as X (X.T)',
    f"T | join ({ELSEWHERE}) on a",
    f"print toscalar({ELSEWHERE} | count)",
    f"T | fork ({ELSEWHERE})",
    'alias database d = cluster("x").database("y"); database("d").T',
    'let w = workspace; w("x").T',
    'LET w =\nWorkspace; w("x").T',
    'let a = 1; let w = workspace; w("x").T',
    'let w = workspace; let a = 1; w("x").T',
    "let w = app",
    '(workspace)("x").T',
    '(((adx)))("x").T',
    'workspace.("x").T',
    'work/**/space("x").T',
    'workspace/**/("x").T',
    'graph("G") | graph-match (a)-->(b) project a',
    'graph(strcat("G", ""))',
    '__invoke("x")',
    'table(strcat("workspace(\'x\')", ".T"))',
    "table(\"workspace('x').T\")",
    'let n = "T"; table(n)',
    "table(",
    f"let f = () {{ {ELSEWHERE} }}; f()",
]
FUNCTIONS: Final = (
    "workspace app arg adx resource cluster database external_table stored_query_result graph __invoke python r csharp"
    " ai_chat_completion execute_sql external_data infer_storage_schema http_request http_request_post mysql_request"
).split()
WORDS: Final = "externaldata external_data entity_group macro query_language EXTERNALDATA".split()
FURTHER: Final = (
    "evaluate find fork invoke join let lookup materialize search table toscalar union JOIN resources containers"
    " changes securityresources resourcecontainers resourcechanges"
).split()
WITHIN: Final = [
    "T | project app, resource | where app == 'a' and (resource) has 'b'",
    "T | fork (project app) (count)",
    "T | extend a = app | where table == 1 and (app + (1)) > 2",
    "T | project app; U | project resource",
    "T | project resource",
    "search in (T, U) ('a' or 'b')",
    'let n = "app"; T | where a == n',
    "let app = 'x'; let r = 1; T | where a == app and b / r > 2 / (1 + r)",
    "union table(\"T\"), table('U_CL') | summarize n = count() by (resource)",
    "T | make-graph a --> b with U on c | graph-match (x)-[e]->(y) project x.a",
    "let f = (app: string) { T | where a == app }; f('x')",
]
GRAPH: Final = [
    "resources | union resourcecontainers",
    "resources | join (resources) on a",
    "resourcecontainers, resources",
    "let a = resources; a",
    "resources; resources",
    "(resources)",
    "['resources']",
    "resources | lookup securityresources on a",
    "resources | where id in~ (toscalar(resources | take 1))",
    "resources | mv-apply a on (securityresources)",
    'search "x"',
    'table("resources")',
    "resources | partition by a (patchassessmentresources)",
    "resources//\n;securityresources",
    "resources resources",
    "",
]
WIQL: Final = [
    "[x] = 1) OR ([y] = 2",
    "[x] = 1 OR [System.TeamProject] = 'Vault'",
    "[System.TeamProject] <> 'Vault'",
    "[System.AreaPath] UNDER 'Vault\\a'",
    "[Area Path] UNDER 'Vault'",
    "[Iteration Path] = @CurrentIteration('[Vault]\\T')",
    "TeamProject = 'Vault'",
    "[Team Project] IN ('Web', 'Vault')",
    "EVER [System.TeamProject] = 'Vault'",
    "[System.AreaId] = 7",
    "[Source].[System.TeamProject] = 'Vault'",
    "[System.TeamProject]\u200b = 'Vault'",
    '[System.TeamProject] = "Vault"',
    "[a] = '' OR '1",
    "[ System.TeamProject ] = 'Vault'",
    "/* [a] = 1",
    "[a] = 1; SELECT [a] FROM WorkItems",
]
HIDING: Final = (
    "\ufe00\ufe0f\U000e0100\u115f\u3164\uffa0\u2800\u200b\u202e\u2066\u00ad\ufeff\u034f\u17b4\U000e0041\u180e"
)


@pytest.mark.parametrize("query", KQL, ids=ascii)
def test_no_query_of_logs_reads_elsewhere(query: str) -> None:
    try:
        assert reaches_elsewhere(tokens(query))
    except Refusal:
        return


@pytest.mark.parametrize("name", FUNCTIONS)
def test_no_query_calls_a_function_that_reads_elsewhere_or_runs_code(name: str) -> None:
    for query in (f"T | extend a = {name}('x')", f"T | evaluate {name}('x')", f"let f = {name}; T"):
        assert reaches_elsewhere(tokens(query))


@pytest.mark.parametrize("word", WORDS)
def test_no_query_uses_an_operator_that_reads_elsewhere(word: str) -> None:
    assert reaches_elsewhere(tokens(f"T | {word} a"))


@pytest.mark.parametrize("query", WITHIN, ids=ascii)
def test_a_query_that_only_names_such_functions_is_accepted(query: str) -> None:
    assert not reaches_elsewhere(tokens(query))


@pytest.mark.parametrize("query", GRAPH, ids=ascii)
def test_no_query_of_resources_reads_a_second_table(query: str) -> None:
    assert not reads_one_table(tokens(query))


@pytest.mark.parametrize("word", FURTHER)
def test_no_query_of_resources_uses_an_operator_that_could_read_a_second_table(word: str) -> None:
    assert reads_one_table(tokens("resources | where a == 1"))
    assert not reads_one_table(tokens(f"resources | {word} a"))


@pytest.mark.parametrize("condition", WIQL, ids=ascii)
def test_no_query_of_work_items_reads_another_project(condition: str) -> None:
    with pytest.raises(Refusal):
        confined("SELECT [a] FROM WorkItems WHERE " + condition, ["Web"], lambda name: name == "Web")  # noqa: S608


@pytest.mark.parametrize("character", HIDING, ids=ascii)
def test_nothing_invisible_is_passed_on(character: str) -> None:
    text = f"a{character}b"
    schema = {"type": "object", "properties": {"x": {"type": "string", "description": text}}}
    told = [
        readable(text, 50),
        description_of("e", {"name": "t", "description": text}),
        str(schema_of({"inputSchema": schema})["properties"]["x"]["description"]),
    ]
    assert not [one for one in told if character in one]
    with pytest.raises(Refusal):
        checked_path(f"{text}.txt")
