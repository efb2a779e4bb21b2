"""Converts resources and prompts of extension servers. Resource URIs are rewritten so that clients can read the
resources through this server.
"""

from __future__ import annotations

from typing import Any, Final

from extensions.results import block_of, meta_of
from extensions.upstream.question import Json
from mcp_server.declarations.remote_content import address_of
from mcp_server.wording import speakable
from refusal import Refusal

_MOST_COMPLETIONS: Final = 100
_LONGEST_COMPLETION: Final = 500
# Fields that this server sets in its own answers.
_OF_ANSWERS: Final = ("_meta", "resultType")
_OF_CONTENTS: Final = ("uri", "mimeType", "text", "blob", "_meta")


def contents_of(extension: str, answer: Json) -> Json:
    """Convert the content of a resource.

    Raises:
        Refusal: The content cannot be passed on.
    """
    listed = answer.get("contents")
    if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
        raise _unfit(extension, "a resource")
    rest = {name: value for name, value in answer.items() if name not in ("contents", *_OF_ANSWERS)}
    contents = [_content(extension, one) for one in listed]
    return _checked(extension, {"contents": contents, "_meta": meta_of(answer, rest)})


def prompt_of(extension: str, answer: Json) -> Json:
    """Convert a prompt. Raises Refusal if the prompt cannot be passed on."""
    listed = answer.get("messages")
    if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
        raise _unfit(extension, "a prompt")
    messages = [{"role": one.get("role"), "content": _block(extension, one.get("content"))} for one in listed]
    if any(message["role"] not in ("user", "assistant") for message in messages):
        raise _unfit(extension, "a prompt")
    rest = {name: value for name, value in answer.items() if name not in ("messages", *_OF_ANSWERS)}
    if odd := {str(place): one for place, one in enumerate(listed) if one != _plain(one)}:
        rest["messages"] = odd
    description = f"From the extension {extension!r}."
    return {"description": description, "messages": messages, "_meta": meta_of(answer, rest)}


def completion_of(_extension: str, answer: Json) -> Json:
    completion = answer.get("completion")
    values = completion.get("values") if isinstance(completion, dict) else None
    texts = [speakable(one) for one in (values if isinstance(values, list) else ()) if isinstance(one, str)]
    return {"values": [one for one in texts if len(one) <= _LONGEST_COMPLETION][:_MOST_COMPLETIONS]}


def _content(extension: str, said: Json) -> Json:
    known: Json = {name: said[name] for name in _OF_CONTENTS if name in said}
    uri = said.get("uri")
    rest = {name: value for name, value in said.items() if name not in _OF_CONTENTS}
    about = meta_of(said, rest)
    return {**known, "uri": address_of(extension, uri if isinstance(uri, str) else ""), "_meta": about}


def _checked(extension: str, answer: Json) -> Json:
    from mcp_server.sdk import foreign

    if not foreign.is_resource(answer):
        raise _unfit(extension, "a resource")
    return answer


def _plain(message: Json) -> Json:
    """Return the known parts of a prompt message."""
    return {"role": message.get("role"), "content": _dumped(message.get("content"))}


def _block(extension: str, said: Any) -> Json:
    return placed(extension, _dumped(said))


def _dumped(said: Any) -> Json:
    return block_of(said)


def placed(extension: str, block: Json) -> Json:
    """Replace the resource URIs in a content block with this server's URIs."""
    held = block.get("resource") if block.get("type") == "resource" else block
    if block.get("type") not in ("resource", "resource_link") or not isinstance(held, dict):
        return block
    moved = {**held, "uri": address_of(extension, str(held.get("uri", "")))}
    return {**block, "resource": moved} if held is not block else moved


def _unfit(extension: str, what: str) -> Refusal:
    return Refusal(f"The server of the extension {extension!r} answered with something other than {what}.")
