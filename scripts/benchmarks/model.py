"""A simulated model that knows only the listed tools and the answers it has read."""

from __future__ import annotations

import json
from typing import Any, Final

from tests.mcp_server.caller import Caller

_BYTES_OF_A_TOKEN: Final = 4

Json = dict[str, Any]


class Model:
    """A simulated model. The model calls only tools that it has read about, and only with parameters in the schemas it
    has read.

    If the model knows only the name of a tool, it first reads the schema.
    """

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self._listed: set[str] = set()
        self._toolsets: dict[str, str] = {}
        self._parameters: dict[str, set[str]] = {}
        self._changing: set[str] = set()
        self.calls = 0
        # All answers that the model has read, starting with the tool list.
        self.answers: list[str] = []
        self._sent = self._read = self._surface = 0

    @property
    def surface_tokens(self) -> float:
        return self._surface / _BYTES_OF_A_TOKEN

    @property
    def sent_tokens(self) -> float:
        return self._sent / _BYTES_OF_A_TOKEN

    @property
    def read_tokens(self) -> float:
        return self._read / _BYTES_OF_A_TOKEN

    @property
    def longest_answer_tokens(self) -> float:
        return max(len(answer.encode()) for answer in self.answers) / _BYTES_OF_A_TOKEN

    @property
    def tokens(self) -> float:
        return self.sent_tokens + self.read_tokens

    async def look_around(self) -> None:
        listing = await self._caller.result("tools/list")
        # The `_meta` of a tool is for hosts, which do not pass it on to models.
        shown = [{name: value for name, value in tool.items() if name != "_meta"} for tool in listing["tools"]]
        self._surface = len(json.dumps({**listing, "tools": shown}).encode())
        for tool in listing["tools"]:
            self._listed.add(tool["name"])
            self._learn(tool["name"], tool)

    async def want(self, intent: str) -> None:
        """Search for tools that match an intent, and read their schemas."""
        for match in (await self._call("azure", {"intent": intent}))["matches"]:
            self._toolsets[match["command"]] = match["tool"]
            self._learn(match["command"], match)

    async def learn_all(self, toolset: str) -> None:
        for known in (await self._call("azure", {"learn": True, "tool": toolset}))["commands"]:
            self._toolsets[known["name"]] = toolset
            self._learn(known["name"], known)

    async def do(self, command: str, /, **parameters: Any) -> Json:
        if command not in self._parameters:
            await self._learn_of(command)
        if unknown := parameters.keys() - self._parameters[command]:
            raise RuntimeError(f"The model has not read about the parameters {sorted(unknown)} of {command}.")
        if command in self._listed:
            return await self._call(command, parameters)
        named = {"tool": self._toolsets[command], "command": command}
        return await self._call(self._way_to(command), {**named, "parameters": parameters})

    def _way_to(self, command: str) -> str:
        return "azure_change" if command in self._changing and "azure_change" in self._listed else "azure"

    async def _learn_of(self, command: str) -> None:
        if command not in self._toolsets:
            raise RuntimeError(f"The model has not read about {command}. It knows {', '.join(self._toolsets)}.")
        named = {"tool": self._toolsets[command], "command": command}
        for known in (await self._call("azure", {"learn": True, **named}))["commands"]:
            self._learn(known["name"], known)

    def _learn(self, name: str, entry: Json) -> None:
        if entry.get("access", "read") != "read":
            self._changing.add(name)
        if "inputSchema" in entry:
            self._parameters[name] = set(entry["inputSchema"].get("properties", ()))
        elif "parameters" in entry:
            self._parameters[name] = {each.removesuffix("?") for each in entry["parameters"].split(", ")}

    async def _call(self, name: str, arguments: Json) -> Json:
        result = await self._caller.call(name, **arguments)
        text = result["content"][0]["text"]
        if result["isError"]:
            raise RuntimeError(f"{name} refused {json.dumps(arguments)}: {text}")
        self.calls += 1
        self._sent += len(json.dumps({"name": name, "arguments": arguments}).encode())
        self._read += len(text.encode())
        self.answers.append(text)
        answer: Json = json.loads(text)
        return answer
