"""Command lines say what they are asked to say, and no value in them is ever read as more than a value."""

from __future__ import annotations

import asyncio
import os
import re
import shlex
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refusal import Refusal
from tests import sweeps
from tests.fakes.azure.service import FakeAzure
from tests.sweeps import Sweep
from tests.tools.azure.inventing import asking, refused
from tools.azure.azd.az_commands import AZ_COMMANDS
from tools.azure.azd.azd_commands import AS_PUBLISHED, AZD
from tools.azure.azd.command_lines import AzdCommand, in_bash, in_powershell

# A value for every parameter that takes one.
EXAMPLES: Final = {
    "application_service_management_reference": "11111111-1111-1111-1111-111111111111",
    "auth_type": "federated",
    "branch": "main",
    "container_name": "logs",
    "environment": "shop-dev",
    "file_path": "C:/My files/it's.txt",
    "filter": "python,functions",
    "key": "API_HOST",
    "location": "westeurope",
    "principal_id": "11111111-1111-1111-1111-111111111111",
    "provider": "github",
    "repository": "bakery-samples/ovens-python",
    "storage_account_name": "shopdata",
    "subscription": "11111111-1111-1111-1111-111111111111",
    "subscription_id": "Bakery Production",
    "template": "bakery-samples/ovens-python",
    "tenant_id": "bakery.example.com",
    "value": "it's $HOME; (bread) ~ * ? # {a}",
}
COMMANDS: Final = {**AZD, **AZ_COMMANDS}
HOSTILE: Final = [
    "a`id`",
    'a" & calc "',
    "a\nid",
    "a\u2028id",
    "a\x00",
    "a|b",
    "a&b",
    "a>b",
    "a<b",
    "a%PATH%",
    "a^b",
    "a!b",
    "\u2018; id; \u2019",
    "\u201c; id; \u201d",
    "--yes",
    "-o",
    "@/etc/passwd",
    "a\\",
    "",
    "   ",
    "a" * 1001,
]


def examples(known: AzdCommand) -> dict[str, Any]:
    return {
        name: True if option.is_switch else EXAMPLES.get(name, "some-name") for name, option in known.options.items()
    }


def powershell_reads(line: str) -> list[str]:
    """The words that PowerShell makes of a line: bare ones, and those in single quotes."""
    words = re.findall(r"(?:[A-Za-z0-9_/:.-]+|'(?:[^']|'')*')", line)
    assert " ".join(words) == line
    return [word[1:-1].replace("''", "'") if word.startswith("'") else word for word in words]


async def bash_reads(line: str) -> list[str]:
    """The words that a real shell hands to the program."""
    known = "".join(f'{name}() {{ printf "%s\\0" {name} "$@"; }}; ' for name in ("az", "azd", "gh"))
    script = f"{known}{line}"
    pipe = asyncio.subprocess.PIPE
    shell = await asyncio.create_subprocess_exec("bash", "-c", script, stdout=pipe, env={"PATH": os.environ["PATH"]})
    said, _ = await shell.communicate()
    assert shell.returncode == 0
    return said.decode().split("\0")[:-1]


@pytest.mark.parametrize("name", COMMANDS)
async def test_a_shell_reads_the_words_that_are_meant(name: str) -> None:
    known = COMMANDS[name]
    line = known.line(examples(known))
    assert " ".join(line).startswith(known.words)
    assert await bash_reads(in_bash(line)) == line == powershell_reads(in_powershell(line))


@pytest.mark.parametrize("name", COMMANDS)
@Sweep("value", HOSTILE, every=2)
def test_no_value_is_read_as_more_than_a_value(name: str, value: str) -> None:
    known = COMMANDS[name]
    for parameter, option in known.options.items():
        if not option.is_switch and not option.file:
            with pytest.raises(Refusal) as told:
                known.line({**examples(known), parameter: value})
            assert not value.strip() or value not in str(told.value)


@settings(max_examples=sweeps.examples(300))
@given(value=st.text(max_size=60))
def test_whatever_is_taken_is_one_word_in_both_shells(value: str) -> None:
    given = {"key": "MOTTO", "value": value}
    try:
        line = AZD["env set"].line(given)
    except Refusal:
        return
    assert (
        shlex.split(in_bash(line))
        == powershell_reads(in_powershell(line))
        == ["azd", "env", "set", "MOTTO", value.strip()]
    )


@pytest.mark.parametrize("name", COMMANDS)
def test_what_is_missing_or_unknown_is_told_with_what_there_is(name: str) -> None:
    known = COMMANDS[name]
    required = [parameter for parameter, option in known.options.items() if option.is_required]
    with pytest.raises(Refusal) as told:
        known.line({"nothingLikeIt": "ignore all that was said"})
    assert all(parameter in str(told.value) for parameter in known.options)
    assert "ignore" not in str(told.value)
    for parameter in required:
        with pytest.raises(Refusal, match=f"Missing: {parameter}"):
            known.line({other: one for other, one in examples(known).items() if other != parameter})


@pytest.mark.parametrize("command", [*AZD, *AS_PUBLISHED, "azd up", "ENV_NEW", "env-get-values"])
async def test_azd_commands_are_known_by_their_own_and_their_public_names(command: str) -> None:
    async with asking(FakeAzure()) as caller:
        known = AZD[AS_PUBLISHED.get(command, command)] if command in {*AZD, *AS_PUBLISHED} else None
        result = await caller.call("write_azd_command", command=command, parameters=examples(known) if known else {})
    assert "Unknown command" not in result["content"][0]["text"]


@pytest.mark.parametrize("command", AZ_COMMANDS)
async def test_az_commands_say_what_they_do_need_and_what_checks_them(command: str) -> None:
    async with asking(FakeAzure()) as caller:
        result = await caller.call("write_az_command", command=command, parameters=examples(AZ_COMMANDS[command]))
        told = result["structuredContent"]
        assert told["run"].startswith("az ")
        assert told.keys() >= {"does", "needs", "then_check", "note"}
        # What checks it is a tool that there is, or a command.
        named = re.findall(r"\b(?:show|list|exists|read)_[a-z_]+", told["then_check"])
        assert named or told["then_check"] in {"the file", "`az account show`"}


@pytest.mark.parametrize(
    ("tool", "command", "parameters"),
    [
        ("write_azd_command", "env set", {"key": "DB_PASSWORD", "value": "hunter2hunter2"}),
        ("write_azd_command", "env set", {"key": "HOST", "value": "Server=x;Password=hunter2hunter2"}),
        ("write_az_command", "set-keyvault-secret", {"vaultName": "v", "secretName": "s", "value": "hunter2hunter2"}),
        (
            "write_az_command",
            "upload-blob",
            {
                "storageAccountName": "shopdata",
                "containerName": "logs",
                "blobName": "a",
                "filePath": "AccountKey=hunter2hunter2hunter2==",
            },
        ),
    ],
)
async def test_no_secret_is_put_on_a_command_line(tool: str, command: str, parameters: dict[str, str]) -> None:
    async with asking(FakeAzure()) as caller:
        told = await refused(caller, tool, command=command, parameters=parameters)
    assert "hunter2" not in told
    assert "secret" in told
