"""An invented yard, whose trees are felled only once: what is done is written down, and what there is may change."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from changes.preview import Place, Preview
from changes.undo import by_call
from clients.folder_storage import FolderStorage
from clients.storage import StorageError
from identity.access import Access
from identity.caller import ANONYMOUS, Agent, Caller, CallerKind
from identity.denial import Denial
from identity.door import Door, IncomingRequest, Needed, open_door
from identity.grants import UNLIMITED
from identity.roles import Roles
from mcp_server.declarations.function_tool import further_name
from mcp_server.declarations.toolset import Toolset
from refusal import Refusal

yard = Toolset("yard", "Care for the trees of a yard, or fell them.")
TREES: Final = ("oak", "elm", "fir")


@dataclass(frozen=True)
class Tree:
    title: str
    height: int = 9
    project: Place = "Park"
    grave: str = ""
    is_hidden: bool = False


@dataclass
class Yard:
    """`held` holds up whoever fells something, until a test lets them go on."""

    trees: dict[str, Tree] = field(default_factory=dict)
    done: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list)
    held: asyncio.Event | None = None
    begun: asyncio.Event | None = None

    def begin(self) -> None:
        self.trees = {name: Tree(f"The {name} of somebody") for name in TREES}
        self.done, self.held, self.begun = [], None, None

    def of(self, *names: str) -> list[Tree]:
        if stray := [name for name in names if name not in self.trees]:
            raise Refusal(f"There is no tree {stray[0]!r}.")
        return [self.trees[name] for name in names]

    async def do(self, tool: str, **arguments: Any) -> str:
        self.done.append((tool, arguments))
        if self.begun and self.held:
            self.begun.set()
            await self.held.wait()
        return "done"


THE_YARD: Final = Yard()


def _shown(*names: str, destroys: bool = True) -> Preview:
    trees = THE_YARD.of(*names)
    projects = [
        one for tree in trees for one in ([tree.project] if isinstance(tree.project, str) else tree.project or [])
    ]
    return Preview(
        what=", ".join(tree.title for tree in trees),
        facts={"height": [str(tree.height) for tree in trees]},
        places={"project": None if any(tree.project is None for tree in trees) else projects},
        grave=next((tree.grave for tree in trees if tree.grave), ""),
        missing=["its age"] if any(tree.is_hidden for tree in trees) else [],
        destroys=destroys,
        undo=by_call("plant", trees=[tree.title for tree in trees]),
    )


async def _felled(tree: str) -> Preview:
    """What goes with a tree."""
    return _shown(tree)


async def _all_felled(trees: list[str]) -> Preview:
    """What goes with several."""
    return _shown(*trees)


async def _trimmed(tree: str) -> Preview:
    """What is cut; of a low one that grows again."""
    return _shown(tree, destroys=is_high(tree))


def is_high(tree: str) -> bool:
    return THE_YARD.of(tree)[0].height > 5


def _is_hard(meant: Mapping[str, Any]) -> bool:
    return bool(meant.get("hard"))


def remove_trunk(trunk: str) -> dict[str, Any]:
    """Remove a trunk."""
    return {"tree": trunk}


@yard.tool(Access.DESTROY, previewed=_felled, further_names=[further_name(remove_trunk)])
async def fell(tree: str, notes: Any = None) -> str:
    """Fell a tree."""
    return await THE_YARD.do("fell", tree=tree, notes=notes)


@yard.tool(Access.DESTROY, previewed=_all_felled)
async def fell_all(trees: list[str]) -> str:
    """Fell several trees."""
    return await THE_YARD.do("fell_all", trees=trees)


@yard.tool(Access.WRITE, previewed=_trimmed, destroys=_is_hard)
async def trim(tree: str, hard: bool = False) -> str:
    """Trim a tree."""
    return await THE_YARD.do("trim", tree=tree, hard=hard)


@yard.tool(Access.WRITE)
async def paint(tree: str, color: str = "green") -> str:
    """Paint a tree."""
    return await THE_YARD.do("paint", tree=tree, color=color)


@yard.tool(Access.READ)
async def look(tree: str) -> str:
    """Look at a tree."""
    return THE_YARD.of(tree)[0].title


HOME, AWAY = "11111111-0000-4000-8000-000000000001", "22222222-0000-4000-8000-000000000002"
_WORKER: Final = frozenset({"Worker"})


def _person(subject: str, client: str = "desk", tenant: str = HOME, roles: Collection[str] = _WORKER) -> Caller:
    return Caller(CallerKind.USER, tenant, subject, client, "issuer", frozenset(roles), name=f"{subject}@home")


def _agent(number: int) -> Agent:
    return Agent(f"a9e47000-0000-4000-8000-{number:012}", "b1e90000-0000-4000-8000-000000000007")


ADA: Final = _person("ada")
CALLERS: Final[Mapping[str, Caller]] = {
    "ada": ADA,
    "ada by another client": _person("ada", "phone"),
    "bea": _person("bea"),
    "cleo, who only reads": _person("cleo", roles=["Keeper"]),
    "a guest with the id of ada": _person("ada", tenant=AWAY),
    "ada's agent": replace(ADA, agent=_agent(1), client=_agent(1).id),
    "another agent of ada": replace(ADA, agent=_agent(2), client=_agent(2).id),
    "an agent that need not ask": replace(ADA, agent=_agent(3), client=_agent(3).id),
    "an account of an agent": replace(_person("account", _agent(1).id), agent=_agent(1), is_agents_account=True),
    "an agent for itself": replace(_person("itself", _agent(1).id), kind=CallerKind.APP, agent=_agent(1)),
    "an application": replace(_person("app", "app"), kind=CallerKind.APP),
    "an application with the id of ada": replace(ADA, kind=CallerKind.APP),
    "a key": replace(_person("ci", ""), kind=CallerKind.KEY, tenant=""),
    "nobody": replace(ANONYMOUS, roles=_WORKER),
}
OPENED: Final = {
    "roles": {"Worker": {"yard": "destroy"}, "Keeper": {"yard": "read"}},
    "agents": {"for-people": {"yard": "destroy"}, _agent(3).id: {"yard": "destroy", "changes": "unasked"}},
}
TOOLS: Final = {yard.name: [tool.name for tool in yard.tools]}


class _ByName:
    async def caller(self, headers: Mapping[str, str]) -> Caller:
        if headers.get("x-who") not in CALLERS:
            raise Denial("Say who you are.")
        return CALLERS[headers["x-who"]]


def door_of(roles: Roles) -> Door:
    def needed(toolset: str, tool: str, access: Access) -> Needed:
        return Needed((), tuple(roles.roles_for(toolset, tool, access)))

    def challenge(denial: Denial, _request: IncomingRequest) -> str:
        return f'Bearer error="{denial.error}"'

    signing: dict[str, Any] = {
        "sign_in": _ByName(),
        "grants_of": roles.grants_of,
        "needed": needed,
        "challenge": challenge,
    }
    return replace(open_door(UNLIMITED), **signing)


class FailingStorage(FolderStorage):
    """A storage that is away when a test says so: at one of the next steps, and before or after that step is done."""

    fails_in: int | None = None
    is_done_first: bool = False

    def __getattribute__(self, name: str) -> Any:
        method = super().__getattribute__(name)
        if name not in _STEPS:
            return method

        async def step(*args: Any, **named: Any) -> Any:
            if not self._is_due():
                return await method(*args, **named)
            if self.is_done_first:
                await method(*args, **named)
            raise StorageError("The storage is away.")

        return step

    def _is_due(self) -> bool:
        if self.fails_in is None:
            return False
        self.fails_in -= 1
        return self.fails_in < 0


_STEPS: Final = {"prepare", "scan", "read_rows", "put_row", "put_rows", "read_file", "create_file"}
