"""Writes azd and az command lines for people to run. The server never runs these command lines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final

from clients.answers import Json, present
from clients.azure.withholding import withheld
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.azd.az_commands import AZ_COMMANDS
from tools.azure.azd.azd_commands import AS_PUBLISHED, AZD
from tools.azure.azd.command_lines import AzdCommand, in_bash, in_powershell

part = Part()

_NOTHING_RUN: Final = "Nothing was run. Show the command to the user, who can run it on their own machine."
_PROJECT: Final = "the folder with azure.yaml"

Parameters = Annotated[
    dict[str, str | bool] | None,
    Field(max_length=20, description="Values by name; an unknown name returns all valid names"),
]


@part.tool(Access.READ, harmless=("command",))
async def write_azd_command(
    command: Annotated[str, Field(max_length=60, description="Such as up, deploy, init, env new, pipeline config")],
    parameters: Parameters = None,
    folder: Annotated[str | None, Field(max_length=500, description="Project folder on the user's machine")] = None,
) -> Json:
    """Write the exact azd command line for laptop tasks: init, provision, deploy, environments, sign-in.

    Also returns the command's effect and requirements, and a tool to check the result. Runs nothing.
    """
    name = _plain(command).removeprefix("azd ")
    known = _command_named(AZD, AS_PUBLISHED.get(name.replace(" ", "-"), name))
    return _written(known, parameters or {}, folder=_folder(folder) if _needs_folder(known) else None)


@part.tool(Access.READ, harmless=("command",))
async def write_az_command(
    command: Annotated[
        str, Field(max_length=60, description="Such as upload-blob, download-blob, set-keyvault-secret")
    ],
    parameters: Parameters = None,
) -> Json:
    """Write the exact az command line for laptop tasks: upload or download a file, set a secret from a file.

    Also returns the command's effect and requirements, and a tool to check the result. Runs nothing.
    """
    return _written(_command_named(AZ_COMMANDS, _plain(command).replace(" ", "-")), parameters or {})


def _plain(command: str) -> str:
    """Normalize a command for comparison: lowercase words, with hyphens as in the public extensions."""
    return " ".join(command.strip().lower().replace("_", "-").split())


def _command_named(commands: Mapping[str, AzdCommand], name: str) -> AzdCommand:
    by_hyphens = {known.replace(" ", "-"): known for known in commands}
    found = commands.get(name) or commands.get(by_hyphens.get(name.replace(" ", "-"), ""))
    if not found:
        raise Refusal(f"Unknown command. Available: {', '.join(commands)}.")
    return found


def _written(known: AzdCommand, parameters: Mapping[str, Any], folder: str | None = None) -> Json:
    line = known.line(parameters)
    _refuse_secrets(known, parameters)
    bash, powershell = in_bash(line), in_powershell(line)
    return present(
        {
            "run": bash,
            "in_powershell": powershell if powershell != bash else None,
            "folder": folder,
            "write_first": known.files(parameters),
            "does": known.does,
            "needs": known.needs,
            "then_check": known.check,
            "note": _NOTHING_RUN,
        }
    )


def _refuse_secrets(known: AzdCommand, parameters: Mapping[str, Any]) -> None:
    """Refuse secrets in a command line, because they would be stored in the shell history and visible to all users of
    the machine.
    """
    named = known.named(parameters)
    values = {name: str(value) for name, value in named.items()}
    if {"key", "value"} <= values.keys():
        values[values["key"]] = values.pop("value")
    if withheld(dict(values)) != values:
        raise Refusal(
            "A value looks like a secret, which must not be on a command line. Use `azd env set-secret`, which asks"
            " for the secret on the laptop and stores it in a vault."
        )


def _needs_folder(known: AzdCommand) -> bool:
    return "azure.yaml" in known.needs or "folder" in known.needs


def _folder(text: str | None) -> str:
    if not text:
        return _PROJECT
    if not text.isprintable():
        raise Refusal("`folder` must not contain line breaks or other control characters.")
    return text
