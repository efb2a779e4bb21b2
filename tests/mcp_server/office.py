"""An invented office, whose toolsets show everything that a tool can be."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from changes.preview import Preview
from changes.undo import by_call
from mcp_server.declarations.toolset import Access, Toolset
from mcp_server.visit import Context
from refusal import Refusal

notes = Toolset("office-notes", "Read and write the notes on the desk.")
doors = Toolset("office-doors", "Open the doors, and lock them for good.")
clock = Toolset("clock", "Tell what time it is.")

TOOLSETS = (notes, doors, clock)
SURFACE = {"find_notes"}
# What is behind the doors of rooms, which a test may change.
behind: dict[str, str] = {}
SECRET = "hunter2-do-not-repeat"  # noqa: S105 - what a caller sends by mistake

Color = Literal["yellow", "green"]


class Paper(BaseModel):
    color: Color | None = None
    title: str = "untitled"


class Note(BaseModel):
    id: int
    text: str


@notes.tool(Access.READ, open_world=False)
async def find_notes(
    words: Annotated[str, Field(min_length=1, description="What the note says")],
    limit: Annotated[int, Field(ge=1, le=10, description="The most notes to give back")] = 3,
    paper: Annotated[Paper | None, Field(description="What it is written on")] = None,
) -> list[Note]:
    """Find notes by their words.

    The newest come first.
    """
    return [Note(id=number, text=f"{words} {paper.color if paper else ''}".strip()) for number in range(limit)]


@notes.tool(Access.WRITE, title="Write a note", idempotent=True)
def write_note(text: Annotated[str, Field(pattern="^[a-z ]+$", description="Lower-case words")]) -> Note:
    """Write a note and put it on the desk."""
    if text == "forbidden":
        raise Refusal("That word is not written here. Write `allowed` instead.")
    return Note(id=1, text=text)


@notes.tool(Access.READ)
async def break_pencil(token: Annotated[str, Field(description="Anything")]) -> str:
    """Break a pencil, which always goes wrong."""
    raise RuntimeError(f"the pencil snapped near {token}")


mishaps = Toolset("mishaps", "Go wrong in ways that look like somebody else's fault.")


@mishaps.tool(Access.WRITE)
async def misread_letter() -> str:
    """Open a letter and fail to read it."""
    return str(Note.model_validate({"id": "no number"}))


@mishaps.tool(Access.READ)
async def break_promise() -> Note:
    """Promise a note and give something else."""
    broken: dict[str, Any] = {"id": "no number", "text": None}
    return Note.model_construct(**broken)


@notes.prompt(title="Tidy the desk")
def tidy_desk(drawer: Annotated[str, Field(description="Which drawer")], when: str = "today") -> str:
    """Walk through tidying."""
    if drawer == "locked":
        raise Refusal("That drawer is locked. Ask for the key.")
    return f"Tidy {drawer} {when}."


@notes.resource("desk://inventory", name="Inventory", ttl_ms=1000)
def inventory() -> str:
    """What is on the desk."""
    return '{"pens":2}'


@notes.resource("desk://drawer/{name}", name="Drawer")
def drawer(name: str) -> bytes:
    """What is in one drawer."""
    if name == "empty":
        raise Refusal("That drawer is empty.")
    return name.encode()


@notes.completion("tidy_desk", "drawer")
async def drawers(value: str, context: Context) -> list[str]:
    if value == "?":
        raise Refusal("Ask for a drawer by its name.")
    if value == "!":
        raise RuntimeError(f"the cabinet fell on {SECRET}")
    many = [f"many {number}" for number in range(150)]
    return [name for name in ("left", "long", "right", *many) if name.startswith(value)]


async def what_goes_with_the_door(room: str) -> Preview:
    """What is behind the door."""
    behind.setdefault(room, "a ladder")
    return Preview(
        what=f"The door of the {room}",
        facts={"behind it": behind[room]},
        places={"project": room},
        undo=by_call("open_door", room=room),
    )


@doors.tool(Access.DESTROY, previewed=what_goes_with_the_door, harmless=["room"])
async def brick_up_door(room: Annotated[str, Field(description="Which room")]) -> str:
    """Brick up the door of a room for ever."""
    return f"{room} is gone"


@doors.tool(Access.WRITE)
async def open_door(context: Context, room: Annotated[str, Field(description="Which room")]) -> str:
    """Open the door of a room."""
    await context.report_progress(1, 2, "turning the key")
    return f"{room} is open"


@clock.tool(Access.READ)
async def what_time() -> dict[str, int]:
    """Tell the hour."""
    return {"hour": 9}
