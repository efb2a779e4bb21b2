"""Which room may know of which: every import points one way."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Collection, Sequence
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MAY_IMPORT = {
    "clients": {"invisible", "refusal", "telemetry"},
    "firewall": {"refusal", "shifts"},
    "text": {"invisible"},
    "translating": {"refusal", "yaml_file"},
    "kept_index": {"clients"},
    "azure_operations": {"clients", "kept_index", "refusal", "shifts"},
    "updates": {"clients", "invisible", "kept_index", "refusal", "shifts", "telemetry", "text", "understanding"},
    "watching": {"clients", "identity", "notifying", "refusal", "retirements", "shifts", "tasks", "text", "updates"},
    "retirements": {"clients", "refusal", "updates"},
    "workspaces": {"clients", "invisible", "refusal"},
    "incidents": {"clients", "refusal"},
    "documents": {"clients", "kept_index", "refusal", "shifts", "text", "yaml_file"},
    "telemetry": set(),
    "identity": {"clients", "invisible", "refusal", "telemetry", "yaml_file"},
    "changes": {"clients", "identity", "refusal"},
    "tasks": {"clients", "identity", "refusal"},
    "notifying": {"changes", "clients", "invisible", "refusal", "tasks"},
    "mcp_server": {"answer_stream", "changes", "identity", "refusal", "tasks", "telemetry", "understanding"},
    "understanding": set(),
    "deciding": {"browsing", "changes", "extensions", "identity", "mcp_server", "refusal"},
    "exploring": {"browsing", "changes", "identity", "mcp_server", "refusal", "text", "updates"},
    "browsing": {"changes", "identity", "invisible", "mcp_server", "refusal"},
    "extensions": {"changes", "clients", "identity", "invisible", "mcp_server", "refusal", "yaml_file"},
    "settings": {"clients", "refusal"},
    "tools": {
        "azure_operations",
        "changes",
        "clients",
        "extensions",
        "documents",
        "firewall",
        "identity",
        "incidents",
        "invisible",
        "kept_index",
        "mcp_server",
        "notifying",
        "refusal",
        "retirements",
        "settings",
        "shifts",
        "tasks",
        "telemetry",
        "text",
        "translating",
        "updates",
        "watching",
        "workspaces",
    },
    "refusal.py": set(),
    "invisible.py": set(),
    "shifts.py": set(),
    "yaml_file.py": {"refusal"},
    "cold_start.py": set(),
    "answer_stream.py": set(),
    "app": {
        "browsing",
        "changes",
        "clients",
        "deciding",
        "exploring",
        "extensions",
        "identity",
        "mcp_server",
        "notifying",
        "refusal",
        "settings",
        "tasks",
        "telemetry",
        "tools",
        "updates",
        "watching",
    },
    "composition.py": {"app", "settings", "tools"},
    "function_app.py": {"answer_stream", "app", "cold_start", "composition", "identity", "mcp_server"},
    "local_host": {"answer_stream", "clients", "refusal"},
}
# The rooms within a package, each with those of the same package that it may know of.
INNER = {
    "mcp_server/bounds.py": set(),
    "mcp_server/wording.py": set(),
    "mcp_server/failures.py": set(),
    "mcp_server/protocol": set(),
    "mcp_server/context.py": {"protocol"},
    "mcp_server/declarations": {"context", "protocol", "wording"},
    "mcp_server/conversation.py": {"protocol"},
    "mcp_server/view.py": {"declarations", "protocol"},
    "mcp_server/visit.py": {"context", "conversation", "declarations", "protocol", "view"},
    "mcp_server/current_change.py": {"declarations", "visit"},
    "mcp_server/select": {"declarations", "protocol", "wording"},
    "mcp_server/calls": {
        *{"bounds", "context", "conversation", "declarations", "failures", "protocol", "select", "visit", "wording"},
    },
    "mcp_server/catalog": {"bounds", "calls", "declarations", "protocol", "view", "visit", "wording"},
    "mcp_server/long_work": {
        *{"bounds", "calls", "catalog", "declarations", "protocol", "select", "view", "visit", "wording"},
    },
    "mcp_server/methods": {
        *{"bounds", "calls", "catalog", "declarations", "failures", "long_work", "protocol", "view", "visit"},
        *{"wording"},
    },
    "mcp_server/server.py": {"bounds", "calls", "failures", "methods", "protocol", "visit"},
    "mcp_server/http": {
        *{"bounds", "calls", "catalog", "context", "conversation", "declarations", "failures", "methods", "protocol"},
        *{"sdk", "server", "view", "visit", "wording"},
    },
    "mcp_server/sdk": {
        *{"bounds", "calls", "context", "failures", "http", "methods", "protocol", "server", "view", "visit"},
    },
    "kept_index/tokenizing.py": set(),
    "kept_index/archive.py": set(),
    "kept_index/search_folder.py": {"tokenizing"},
    "kept_index/store.py": set(),
    "kept_index/memory.py": set(),
    "kept_index/reader.py": {"memory", "store"},
    "azure_operations/record.py": set(),
    "azure_operations/paths.py": {"record"},
    "azure_operations/reading.py": {"paths", "record"},
    "azure_operations/naming.py": set(),
    "azure_operations/ranking.py": {"naming", "record"},
    "azure_operations/index_format.py": set(),
    "azure_operations/index_builder.py": {"index_format", "naming", "record"},
    "azure_operations/index.py": {"index_builder", "index_format", "ranking", "record"},
    "azure_operations/keeping.py": {"reading", "record"},
    "azure_operations/library.py": {"index", "index_builder", "index_format", "keeping", "reading", "record"},
    "updates/record.py": set(),
    "updates/changes.py": {"record"},
    "updates/history.py": {"changes", "record"},
    "updates/report.py": {"changes"},
    "updates/packed.py": {"changes"},
    "updates/reading": {"changes", "packed", "record", "report"},
    "updates/keeping": {"changes", "packed", "reading", "report"},
    "updates/searching": {"changes", "history", "keeping", "record"},
    "updates/library.py": {"changes", "keeping", "report", "searching"},
    "updates/showing": {"library", "record", "searching"},
    "documents/document.py": set(),
    "documents/summarizing": {"document"},
    "translating/spans.py": set(),
    "translating/glossary.py": {"spans"},
    "translating/glossary_files.py": {"glossary", "spans"},
    "translating/markdown_pieces.py": {"spans"},
    "translating/segments.py": {"spans"},
    "translating/text.py": {"markdown_pieces", "segments", "spans"},
    "documents/patterns.py": set(),
    "documents/reading": {"document"},
    "documents/sources": {"patterns", "reading"},
    "documents/sources_file.py": {"sources"},
    "documents/keeping": {"document", "reading", "sources"},
    "documents/searching": {"document", "keeping", "patterns", "reading"},
    "documents/library.py": {"document", "keeping", "searching", "sources"},
    "tools/azure_devops/shared": {"provider"},
}
OURS = {name.removesuffix(".py") for name in MAY_IMPORT} | {"function_app", "tests", "scripts"}
BESIDE = ("bicep_checker", "infra", "scripts", "tests")
HEAVY = {
    "aiohttp",
    "azure.core",
    "azure.cosmos",
    "azure.data.tables",
    "azure.identity",
    "azure.servicebus",
    "azure.storage.blob",
    "tantivy",
    "yaml",
}
# The bridge is the SDK's own authorization server, whose classes it inherits from. Its first request loads it.
SIGN_IN_BY_THE_SDK = {f"identity/bridge/{name}.py" for name in ("app", "published", "tokens")}
HEAVY |= {"mcp", "mcp_types", "uvicorn", "httpx2", "starlette"}
HEAVY |= {"browsing", "deciding", "exploring", "jinja2", "jmespath", "jwt", "msal", "opentelemetry.sdk"}


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_a_room_imports_only_what_it_may(room: str) -> None:
    imported = {name.partition(".")[0] for path in _modules(room) for name in _imports(path)}
    assert imported & OURS - {room.removesuffix(".py")} <= MAY_IMPORT[room]


def test_the_table_of_rooms_says_what_holds() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w./]+?)/?` \| [^|]+ \| ([^|]*)\|$", text, re.MULTILINE)
    assert {room: set(re.findall(r"`(\w+)`", known)) for room, known in rows} == MAY_IMPORT
    # Down the table: nobody knows of a room above.
    above: set[str] = set()
    for room, _ in rows:
        assert not MAY_IMPORT[room] & above, room
        above.add(room.removesuffix(".py"))


def test_the_page_says_what_belongs_in_each_folder() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    route = text.partition("### Which room does a line of code belong in?")[2].partition("### Where to add code")[0]
    named = {name.rstrip("/").rpartition("/")[2] for name in re.findall(r"`([\w/]+/)`", route)}
    folders = {path.parent.relative_to(ROOT) for room in MAY_IMPORT for path in _modules(room)}
    # The folders of toolsets with a provider of their own have its name.
    inner = {path for path in folders if len(path.parts) > 1 and (path.parts[0] != "tools" or len(path.parts) > 2)}
    assert {str(path) for path in inner if path.name not in named} == set()


@pytest.mark.parametrize("room", INNER)
def test_a_room_within_a_package_imports_only_what_it_may_of_it(room: str) -> None:
    package, _, name = room.removesuffix(".py").replace("/", ".").rpartition(".")
    imported = {module for path in _modules(room) for module in _imports(path)}
    within = {
        module.removeprefix(f"{package}.").partition(".")[0] for module in imported if module.startswith(f"{package}.")
    }
    assert within - {name} <= INNER[room]


@pytest.mark.parametrize("package", ["azure_operations", "kept_index", "mcp_server", "updates"])
def test_every_room_within_a_package_has_its_place(package: str) -> None:
    rooms = {
        path.name for path in (ROOT / package).iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()
    }
    assert rooms - {"__init__.py"} == {room.partition("/")[2] for room in INNER if room.startswith(f"{package}/")}


def test_nothing_heavy_is_imported_before_it_is_needed() -> None:
    code = f"import sys, function_app; print([name for name in {sorted(HEAVY)} if name in sys.modules])"
    imported = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert imported.stdout.strip() == "[]"


def test_only_the_adapter_imports_the_sdk() -> None:
    """Loading it takes longer than all the rest, so it is imported where it cannot be done without, when it is."""
    rooms = [room for room in MAY_IMPORT if room != "local_host"]
    importing = {str(path.relative_to(ROOT)) for room in rooms for path in _modules(room) if _imports_sdk(path)}
    assert {path for path in importing if not path.startswith("mcp_server/sdk/")} == SIGN_IN_BY_THE_SDK


def test_each_request_is_sent_by_the_transport_that_takes_no_passwords_from_the_environment() -> None:
    rooms = [path for room in MAY_IMPORT for path in _modules(room)]
    texts = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in rooms}
    by_the_sdk = {name for name, text in texts.items() if "AioHttpTransport" in text or "trust_env=True" in text}
    assert by_the_sdk == {"clients/transport.py"}


def test_no_tool_imports_the_sdk_at_all() -> None:
    importing = [path for path in _modules("tools") if any(map(_is_of_sdk, _imports(path)))]
    assert importing == []


def test_parameters_of_tools_need_no_pydantic() -> None:
    """Its import costs as much as a quarter of a start. Only modules that declare models need its `Field`."""
    needless = [
        str(path.relative_to(ROOT))
        for path in _modules("tools")
        if re.search(r"^from pydantic import .*\bField\b", text := path.read_text(encoding="utf-8"), re.MULTILINE)
        and not re.search(r"^class \w+\((BaseModel|TypedDict)", text, re.MULTILINE)
    ]
    assert needless == []


def test_no_package_hides_one_that_others_import() -> None:
    names = {path.name.removesuffix(".py") for path in ROOT.iterdir()}
    assert not names & {"mcp", "azure", "types", "logging", "platform"}


@pytest.mark.parametrize("room", [*MAY_IMPORT, *BESIDE])
def test_files_fit_in_ones_head(room: str) -> None:
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in _modules(room)}
    assert {str(path): length for path, length in lengths.items() if length > 400} == {}


@pytest.mark.parametrize("room", [*MAY_IMPORT, *BESIDE])
def test_functions_fit_on_a_screen(room: str) -> None:
    lengths = {
        f"{path}:{node.name}": (node.end_lineno or 0) - node.lineno + 1
        for path in _modules(room)
        for node in _nodes(path)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    assert {name: length for name, length in lengths.items() if length > 40} == {}


def test_no_imports_run_in_a_circle() -> None:
    """Those within functions, and those for types alone, are imports like others."""
    paths = {_module_name(path): path for room in MAY_IMPORT for path in _modules(room)}
    TopologicalSorter({name: _modules_of(path, paths.keys()) - {name} for name, path in paths.items()}).prepare()


def test_a_provider_is_imported_where_all_are_wired() -> None:
    """Tools ask for what it opens by its key, so that nothing below a provider knows it."""
    paths = {_module_name(path): path for room in MAY_IMPORT for path in _modules(room)}
    providers = {name for name in paths if name.endswith(".provider")} - {"tools.provider"}
    assert {name for name, path in paths.items() if providers & _modules_of(path, paths.keys())} == {"tools"}


def test_no_text_shows_the_name_of_a_constant() -> None:
    """As `"{_HINT}"` does without the f before it."""
    shown = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in [path for room in MAY_IMPORT for path in _modules(room)]
        for node in _nodes(path)
        if isinstance(node, ast.Constant) and re.search(r"\{_?[A-Z][A-Z_]+\}", str(node.value))
    ]
    assert shown == []


def test_a_class_has_a_name_of_its_own() -> None:
    found: dict[str, list[str]] = defaultdict(list)
    for path in [path for room in [*MAY_IMPORT, "infra", "scripts"] for path in _modules(room)]:
        for node in _tree(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(str(path.relative_to(ROOT)))
    assert {name: paths for name, paths in found.items() if len(paths) > 1} == {}


def _imports_sdk(path: Path) -> bool:
    """Whether a module imports the SDK, or its adapter, as soon as it is imported itself."""
    body = _tree(path).body
    found = {name for node in body for name in _imported_by(node)}
    return any(_is_of_sdk(name) or name.startswith("mcp_server.sdk") for name in found)


def _is_of_sdk(name: str) -> bool:
    return name.partition(".")[0] in {"mcp", "mcp_types"}


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def _nodes(path: Path) -> Sequence[ast.AST]:
    return [*ast.walk(_tree(path))]


def _module_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def _modules_of(path: Path, modules: Collection[str]) -> set[str]:
    """The modules that a file imports, those that it takes out of packages too."""
    nodes = _nodes(path)
    whole = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    taken = [
        (str(node.module), alias.name) for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names
    ]
    names = {f"{module}.{name}" if f"{module}.{name}" in modules else module for module, name in taken}
    return (names | whole) & set(modules)


@cache
def _modules(room: str) -> Sequence[Path]:
    return [ROOT / room] if room.endswith(".py") else sorted((ROOT / room).rglob("*.py"))


@cache
def _imports(path: Path) -> frozenset[str]:
    return frozenset(name for node in _nodes(path) for name in _imported_by(node))


def _imported_by(node: ast.AST) -> set[str]:
    if isinstance(node, ast.Import):
        return {alias.name for alias in node.names}
    return {node.module} if isinstance(node, ast.ImportFrom) and node.module else set()
