"""What another server answered, made again of what came of it through this one: what was lost on the way is missing."""

from __future__ import annotations

from typing import Any, Final

Json = dict[str, Any]
WRITTEN_HERE: Final = ("extension", "io.modelcontextprotocol/serverInfo")


def restored(through: Json) -> Json:
    """The answer to a call as its server gave it; what is said by default there is left out, as `without_defaults`."""
    notice, blocks = _parted(through)
    rest = dict((through.get("_meta") or {}).get("extension", {}))
    answer: Json = {"content": blocks, "isError": through.get("isError", False)}
    if blocks:
        for place, block in rest.pop("content", {}).items():
            blocks[int(place)] = block
    meta = {name: value for name, value in (through.get("_meta") or {}).items() if name not in WRITTEN_HERE}
    taken = rest.pop("_meta", {})
    answer["_meta"] = {**meta, **taken} if isinstance(taken, dict) else taken
    if "structuredContent" in through:
        answer["structuredContent"] = _without(notice["text"], through["structuredContent"])
    return without_defaults({**answer, **rest})


def _parted(through: Json) -> tuple[Json, list[Json]]:
    """The mark and what is of the server; of an error, which comes first, the mark is last."""
    if not through.get("isError"):
        return through["content"][0], through["content"][1:]
    *blocks, notice = through["content"]
    is_ours = len(blocks) == 1 and blocks[0].get("text", "").endswith("reported an error without a reason.")
    return notice, [] if is_ours else blocks


def _without(notice: str, structured: Any) -> Any:
    if isinstance(structured, dict) and structured.get("notice") == notice:
        theirs = {name: value for name, value in structured.items() if name != "notice"}
        return {"notice" if name == "notice_of_tool" else name: value for name, value in theirs.items()}
    return structured


def without_defaults(answer: Json) -> Json:
    """The answer without what it says if it says nothing."""
    defaults: Json = {"content": [], "isError": False, "_meta": {}, "resultType": "complete"}
    return {name: value for name, value in answer.items() if name not in defaults or value != defaults[name]}
