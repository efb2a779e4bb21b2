"""Changes of files, records, extensions and repositories, and what somebody else may do meanwhile."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from azure.cosmos.exceptions import CosmosResourceExistsError, CosmosResourceNotFoundError

from changes.approval_request import RequiredApprover
from changes.rule import Rule
from changes.rules import Rules
from tests.fakes.extensions.peer import Peer, served, tool
from tests.fakes.workspaces.git_server import git
from tests.mcp_server.caller import Caller
from tests.mcp_server.endpoints import approving
from tests.tools import updates_office as updates
from tests.tools.cosmos_data import calling as cosmos
from tests.tools.extensions.office import Registry, agreed, operator, shop
from tests.tools.retirements import world as retiring
from tests.tools.retirements.world import CLUSTER
from tests.tools.shelves.world import library
from tests.tools.watches import office as watches_office
from tests.tools.workspace.office import Office, opened
from tools import cosmos_data
from tools.watches.access import WATCHES
from updates.report import SyncKind, SyncOutcome
from watching.watch import Watch

_NOTE: Final = "file:///notes/1.md"
_BREAD: Final = {"id": "1", "tenantId": cosmos.MINE, "name": "Bread"}
_ASKING: Final = Rules([Rule(RequiredApprover.CALLER, toolsets=frozenset([cosmos_data.toolset.name]))])


@dataclass(frozen=True)
class Scene:
    """One call, and what somebody else does to what it is about."""

    caller: Caller
    tool: str
    arguments: Mapping[str, Any]
    # Whether there was still something to change.
    meddle: Callable[[], Awaitable[bool]]
    # Whether the call, which nobody approved for what they did, has undone that or taken it along.
    is_lost: Callable[[], Awaitable[bool]]


Stage = Callable[[Path], AbstractAsyncContextManager[Scene]]


def _asking(folder: Path, tool: str) -> str:
    """The file of a rule by which the caller is asked before a tool changes something."""
    file = folder / "roles.yaml"
    file.write_text(f"roles: {{}}\nchanges:\n- {{tools: [{tool}], ask: caller}}\n", encoding="utf-8")
    return str(file)


def of_a_note(name: str) -> Stage:
    @asynccontextmanager
    async def stage(folder: Path) -> AsyncIterator[Scene]:
        async with library(folder, _asking(folder, f"shelves/{name}")) as shelves:
            file = shelves.folder / "notes/1.md"
            file.parent.mkdir(parents=True)
            file.write_text("before", encoding="utf-8")
            read = await shelves.mcp.call("read_resource", uri=_NOTE)
            etag = read["structuredContent"]["etag"]
            text = {"text": "mine"} if name == "write_resource" else {}

            async def meddle() -> bool:
                if is_there := file.exists():
                    file.write_text("what somebody else wrote", encoding="utf-8")
                return is_there

            async def is_lost() -> bool:
                return not file.exists() or file.read_text(encoding="utf-8") != "what somebody else wrote"

            yield Scene(shelves.mcp, name, {"uri": _NOTE, "etag": etag, **text}, meddle, is_lost)

    return stage


def of_a_record(name: str) -> Stage:
    @asynccontextmanager
    async def stage(_folder: Path) -> AsyncIterator[Scene]:
        async with cosmos.office(approving(rules=_ASKING)) as there:
            container = there.database.get_container_client("prod-data")
            await there.put(*([] if name == "cosmos_db_insert" else [_BREAD]))
            ada = there.person()

            async def theirs() -> dict[str, Any]:
                found: dict[str, Any] = await container.read_item("1", cosmos.MINE)
                return found

            async def meddle() -> bool:
                changed = {**_BREAD, "name": "Theirs"}
                if name == "cosmos_db_insert":
                    return await _made(container, changed)
                try:
                    await container.replace_item("1", changed)
                except CosmosResourceNotFoundError:
                    return False
                return True

            async def is_lost() -> bool:
                try:
                    return bool((await theirs())["name"] != "Theirs")
                except CosmosResourceNotFoundError:
                    return True

            etag = {} if name == "cosmos_db_insert" else {"etag": (await theirs())["_etag"]}
            yield Scene(ada, name, {**_OF_RECORDS[name], **etag}, meddle, is_lost)

    return stage


_OF_RECORDS: Final[Mapping[str, Mapping[str, Any]]] = {
    "cosmos_db_insert": {"document": {"id": "1", "name": "Loaf"}},
    "cosmos_db_update": {"id": "1", "patch": [{"op": "set", "path": "/name", "value": "Loaf"}]},
    "cosmos_db_delete": {"id": "1"},
}


async def _made(container: Any, document: Mapping[str, Any]) -> bool:
    try:
        await container.create_item(dict(document))
    except CosmosResourceExistsError:
        return False
    return True


def of_an_extension(name: str) -> Stage:
    """Its server offers another tool, which nobody has seen."""

    @asynccontextmanager
    async def stage(folder: Path) -> AsyncIterator[Scene]:
        peer = Peer()
        async with served(peer):
            Registry(folder, peer)
            async with shop(folder, peer) as app:
                arguments: dict[str, Any] = {"server": "io.example/weather"}
                if name != "install_extension":
                    await agreed(app, "install_extension", **arguments)
                    peer.tools = [tool("echo"), tool("seen")]
                    arguments = {"name": "installed-weather"}

                async def meddle() -> bool:
                    peer.tools = [*peer.tools, tool("unseen")]
                    return True

                async def is_lost() -> bool:
                    listed = await Caller(app.endpoint, "installed-weather").send("tools/list")
                    return b"installed_weather_unseen" in listed.body

                yield Scene(operator(app), name, arguments, meddle, is_lost)

    return stage


@asynccontextmanager
async def of_a_removed_extension(folder: Path) -> AsyncIterator[Scene]:
    """Somebody else lets in a further tool of it."""
    peer, named = Peer(), {"name": "installed-weather"}
    async with served(peer):
        Registry(folder, peer)
        async with shop(folder, peer) as app:
            await agreed(app, "install_extension", server="io.example/weather")
            peer.tools = [tool("echo"), tool("more")]

            async def meddle() -> bool:
                return not (await operator(app).agreed("update_extension", **named))["isError"]

            async def is_lost() -> bool:
                listed = await operator(app).call("list_extensions")
                return not listed["structuredContent"]["extensions"]

            yield Scene(operator(app), "remove_extension", named, meddle, is_lost)


@asynccontextmanager
async def of_a_reading(folder: Path) -> AsyncIterator[Scene]:
    """The next reading looks wrong for another reason."""
    async with updates.office(folder, updates.UPDATES) as place:
        library = await place.library()
        for gone in ("100001", "100003"):
            del place.api.records[gone]
        await library.sync(SyncKind.RECONCILE)

        async def meddle() -> bool:
            del place.api.records["100004"]
            return (await library.sync(SyncKind.RECONCILE)).outcome is not SyncOutcome.BUSY

        async def is_lost() -> bool:
            return (await library.sync(SyncKind.RECONCILE)).withdrawn > 0

        yield Scene(place.caller, "accept_reading", {}, meddle, is_lost)


def of_a_watch(name: str) -> Stage:
    """Somebody else has the watch search something else."""

    @asynccontextmanager
    async def stage(folder: Path) -> AsyncIterator[Scene]:
        rules = _asking(folder, f"watches/{name}")
        async with watches_office.office(
            folder, AUTH_MODE="none", MCP_RULES_WITHOUT_SIGN_IN="true", AUTH_ROLES_FILE=rules
        ) as there:
            kept = (await there.app.providers.get(WATCHES)).watches
            caller = Caller(there.app.endpoint, "watches")
            made = await caller.call("create_watch", name="lamps", to="feed", query="lamps")
            assert not made["isError"], made

            async def theirs() -> Watch | None:
                return next(iter(await kept.all_of("")), None)

            async def meddle() -> bool:
                if (watch := await theirs()) is None:
                    return False
                await kept.update(watch, replace(watch, query="kettles"), None)
                return True

            async def is_lost() -> bool:
                watch = await theirs()
                return watch is None or watch.query != "kettles"

            yield Scene(caller, name, {"name": "lamps", **_OF_WATCHES[name]}, meddle, is_lost)

    return stage


_OF_WATCHES: Final[Mapping[str, Mapping[str, Any]]] = {
    "update_watch": {"when": "weekly"},
    "renew_watch": {},
    "delete_watch": {},
}


@asynccontextmanager
async def of_planned_work(folder: Path) -> AsyncIterator[Scene]:
    """Somebody else begins with a work item that is about to be closed."""
    world = retiring.World(folder)
    async with retiring.opened(world) as there:
        await retiring.plan(retiring.caller_of(there))
        world.azure.estate.remove(CLUSTER)
        number = next(number for number, fields in world.items.items() if "Kubernetes" in str(fields))

        async def meddle() -> bool:
            latest = world.devops.work_items.latest(number)
            fields = {**latest["fields"], "System.State": "Active"}
            world.devops.work_items.revisions[number].append({**latest, "rev": latest["rev"] + 1, "fields": fields})
            return True

        async def is_lost() -> bool:
            return bool(world.items[number]["System.State"] != "Active")

        arguments = {"project": retiring.PROJECT, "areaPath": "Web\\Shop"}
        yield Scene(retiring.caller_of(there, asks=True), "plan_retirements", arguments, meddle, is_lost)


@asynccontextmanager
async def _cloned(folder: Path) -> AsyncIterator[Office]:
    async with opened(folder, rules=_asking(folder, "workspace/git_push")) as office:
        await office("git_clone", repo_url=f"{office.server.url}/shop.git")
        await office("git_branch", repo_dir="shop", branch="feature", create=True)
        assert await _commit(office, "mine.txt")
        yield office


def _somebody(office: Office) -> Caller:
    return Caller(office.app.endpoint, "workspace")


async def _does(office: Office, name: str, /, **arguments: Any) -> bool:
    return not bool((await _somebody(office).call(name, **arguments))["isError"])


async def _commit(office: Office, path: str) -> bool:
    if not await _does(office, "git_write", repo_dir="shop", path=path, content="new\n"):
        return False
    return await _does(office, "git_commit", repo_dir="shop", message=f"Add {path}")


@asynccontextmanager
async def of_a_push(folder: Path) -> AsyncIterator[Scene]:
    """Another session commits something more on the same branch."""
    async with _cloned(folder) as office:

        async def is_lost() -> bool:
            bare = office.server.folder / "shop.git"
            if "feature" not in git(bare, "branch", "--format=%(refname:short)").split():
                return False
            return "theirs.txt" in git(bare, "ls-tree", "--name-only", "feature").split()

        yield Scene(_somebody(office), "git_push", {"repo_dir": "shop"}, lambda: _commit(office, "theirs.txt"), is_lost)


@asynccontextmanager
async def of_a_dropped_workspace(folder: Path) -> AsyncIterator[Scene]:
    """Another session writes a file into it."""
    async with _cloned(folder) as office:

        async def meddle() -> bool:
            listed = await office("git_workspaces")
            return bool(listed["workspaces"]) and await _does(
                office, "git_write", repo_dir="shop", path="theirs.txt", content="theirs\n"
            )

        async def is_lost() -> bool:
            result = await _somebody(office).call("git_read", repo_dir="shop", path="theirs.txt")
            return bool(result["isError"])

        yield Scene(_somebody(office), "git_drop", {"repo_dir": "shop"}, meddle, is_lost)


SCENES: Final[Mapping[str, Stage]] = {
    **{name: of_a_note(name) for name in ("write_resource", "delete_resource")},
    **{name: of_a_record(name) for name in _OF_RECORDS},
    **{name: of_an_extension(name) for name in ("install_extension", "update_extension")},
    **{name: of_a_watch(name) for name in _OF_WATCHES},
    "remove_extension": of_a_removed_extension,
    "accept_reading": of_a_reading,
    "plan_retirements": of_planned_work,
    "git_push": of_a_push,
    "git_drop": of_a_dropped_workspace,
}

# What they change names no version: it may be another between the last look and the change.
NOT_HELD: Final = frozenset({"remove_extension"})
