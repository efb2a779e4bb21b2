"""Whether an answer of `what_changed` has the cause of an incident among the first, and names what failed."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from incidents.patience import MOST_SECONDS
from tests.incidents.devops_past import name_of
from tests.incidents.incident import Incident, Json
from tests.incidents.planting import TIMEOUT, Planted

# Among so many the cause has to be, in so many of a hundred incidents.
FIRST: Final = 3
WANTED_PERCENT: Final = 80
TOOL: Final = "what_changed"
# What an answer may call each source.
_CALLED: Final[Mapping[str, Sequence[str]]] = {
    "activity": ("activity",),
    "alerts": ("alert",),
    "azure_devops": ("azure devops", "devops"),
    "builds": ("build",),
    "changes": ("change",),
    "deployments": ("deployment",),
    "health": ("health",),
    "pull_requests": ("pull request",),
    "releases": ("release",),
    "updates": ("update", "announcement"),
}
# One of these says that it is not merely listed.
_FAILING: Final = re.compile(
    r"\b(fail|not|unread|miss|refus|unavail|unauthor|permission|denied|forbid|timed|timeout|too long|busy|throttl|error"
    r"|yet|under way|left out|40[013]|429|50\d)"
)


@dataclass(frozen=True)
class Verdict:
    """`place` is where the cause stands, from one; none where it does not stand at all."""

    incident: Incident
    place: int | None
    tells_who: bool
    unnamed: Sequence[str]
    entries: int
    characters: int
    seconds: float
    refusal: str = ""

    @property
    def is_hit(self) -> bool:
        return self.place is not None and self.place <= FIRST

    @property
    def line(self) -> str:
        name, place = self.incident.name[:58], str(self.place or "-")
        unnamed = f"  not named: {', '.join(self.unnamed)}" if self.unnamed else ""
        told = (
            f"{'hit ' if self.is_hit else 'MISS'} {place:>3} of {self.entries:<3} {'who' if self.tells_who else '   '}"
        )
        return f"{told} {self.characters:>6} {self.seconds:5.1f}s  {name}{unnamed} {self.refusal}".rstrip()


async def judged(world: Planted) -> Verdict:
    """Ask the tool, over MCP."""
    incident = world.incident
    begun = time.monotonic()
    result = await world.caller.call(TOOL, **_asked(incident, world.ids))
    seconds = time.monotonic() - begun
    text: str = result["content"][0]["text"]
    if result["isError"]:
        return Verdict(incident, None, False, list(incident.fails), 0, len(text), seconds, refusal=text)
    answer: Json = result["structuredContent"]
    entries = [json.dumps(one, ensure_ascii=False) for one in answer["items"]]
    place = next((at for at, entry in enumerate(entries, 1) if incident.tells_cause(entry)), None)
    tells_who = place is not None and _tells(entries[place - 1], incident.who)
    unnamed = [source for source in incident.fails if not names_failure(answer, source)]
    return Verdict(incident, place, tells_who, unnamed, len(entries), len(text), seconds)


def table(verdicts: Sequence[Verdict]) -> str:
    hits, unnamed = sum(one.is_hit for one in verdicts), sum(bool(one.unnamed) for one in verdicts)
    lines = [one.line for one in verdicts]
    return "\n".join([*lines, f"{hits} of {len(verdicts)} among the first {FIRST}; {unnamed} left a failure unnamed"])


def _asked(incident: Incident, ids: Mapping[str, str]) -> Json:
    named = str(incident.ask["resource"])
    asked = {**incident.ask, "resource": ids[named[1:]] if named.startswith("@") else named}
    # On a busy machine, three seconds may be too few for sources that do answer.
    return asked if TIMEOUT in incident.fails.values() else {"wait_seconds": MOST_SECONDS, **asked}


def _tells(entry: str, who: str) -> bool:
    """By the name that Azure, Azure DevOps or App Service has for a person: with dots, or with spaces."""
    return name_of(who).lower() in entry.lower().replace(".", " ") if who else True


def names_failure(answer: Json, source: str) -> bool:
    """Whether what surrounds the entries says of a source that it was not read."""
    said = {name: part for name, part in answer.items() if name not in {"items", "untrusted"}}
    return any(any(name in text for name in _CALLED[source]) and _FAILING.search(text) for text in _smallest(said))


def _smallest(value: Any, above: str = "") -> Iterator[str]:
    """Every text with the names that lead to it, and every record of a list as a whole."""
    if isinstance(value, Mapping):
        for name, one in value.items():
            yield from _smallest(one, f"{above} {name}")
    elif isinstance(value, list):
        for one in value:
            yield from [_told(f"{above} {json.dumps(one)}")] if isinstance(one, Mapping) else _smallest(one, above)
    else:
        yield _told(f"{above} {value}")


def _told(text: str) -> str:
    spaced = "".join(f" {letter}" if letter.isupper() else letter for letter in text)
    return spaced.lower().replace("_", " ").replace("-", " ")
