"""Every command of the documents about Azure has a form that is held against the templates."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest
import yaml

import kept_index.store
from cannot_go_on import OLDEST_PYTHON
from tests.infra.declared import MAIN, OF_THE_PLATFORM_OR_A_LAPTOP, PARAMETERS, SECRET, SETTINGS
from tools.azure_updates.settings import PURPOSE

ROOT: Final = Path(__file__).parents[2]
SAID_BY_ENTRA: Final = {"need admin approval"}
DOCUMENTS: Final = [ROOT / "docs" / f"{name}.md" for name in ("deploying", "operating", "scaling", "signing-in")]

# What needs Azure or GitHub. Each pattern is the whole command; what varies is checked below.
NEEDS_AZURE: Final = [
    r"azd (up|provision|deploy|down|auth login|pipeline config|hooks run postprovision)",
    r"azd env set [A-Z_]+ ([^ ]+|'[^']+')",
    r"scripts/verify https://[\w.-]+",
    r"azd env get-value [A-Z_]+",
    r"read -rs (token|[A-Z_]+ && export [A-Z_]+)",
    r"unset [A-Z_]+",
    r"git (switch --detach v\d+\.\d+\.\d+|pull)",
    r"gh workflow run azure-dev\.yml --field release=v\d+\.\d+\.\d+",
    r"(vault|account)=\$\(azd env get-value [A-Z_]+\)",
    r"(old|new|both)=\$\(.*\)",
    r"printf '%s(,%s)?' .* \| az keyvault secret set .* --file /dev/stdin --output none",
    r'az storage (blob (delete|undelete)|table delete) --account-name "\$account" .* --auth-mode login',
    r"agent=\$\(az ad sp show --id <agent> .*\) server=\$\(az ad sp show --id <client id> --query id -o tsv\)",
    r"""role=\$\(az ad sp show --id <client id> --query "appRoles\[\?value=='Reader'\]\.id" -o tsv\)""",
    r"az rest --method post --url https://graph\.microsoft\.com/v1\.0/(oauth2PermissionGrants|servicePrincipals/.*) \\",
    r'--body "\{\\"(clientId|principalId)\\": .*\}"',
    r'az storage blob delete-batch --account-name "\$account" --source \w+ --auth-mode login',
]


def _commands() -> list[str]:
    blocks = (
        block
        for path in DOCUMENTS
        for block in re.findall(r"```sh\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL)
    )
    return sorted({line.strip() for block in blocks for line in block.splitlines() if line.strip()})


@pytest.mark.parametrize("command", _commands())
def test_a_command_is_one_that_is_known(command: str) -> None:
    assert [pattern for pattern in NEEDS_AZURE if re.fullmatch(pattern, command)]


def test_every_known_command_is_in_a_document() -> None:
    assert [
        pattern for pattern in NEEDS_AZURE if not any(re.fullmatch(pattern, command) for command in _commands())
    ] == []


def test_azd_and_python_are_all_that_deploying_takes() -> None:
    text = (ROOT / "docs" / "deploying.md").read_text(encoding="utf-8")
    project = yaml.safe_load((ROOT / "azure.yaml").read_text(encoding="utf-8"))
    listed = re.findall(r"^- (.*)", text.partition("## Prerequisites")[2].partition("\n## ")[0], re.MULTILINE)
    azd, python = project["requiredVersions"]["azd"].removeprefix(">= "), "{}.{}".format(*OLDEST_PYTHON)
    assert [entry.partition(" or newer")[0] for entry in listed[1:]] == [
        f"[azd](https://aka.ms/azd) {azd}",
        f"Python {python}",
    ]
    blocks = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
    assert {line.split()[0] for block in blocks for line in block.splitlines()} == {
        *("azd", "read", "unset", "git", "gh", "scripts/verify")
    }


def test_what_a_hook_does_is_documented_and_so_is_the_folder_that_azd_makes_for_it() -> None:
    text = (ROOT / "docs" / "deploying.md").read_text(encoding="utf-8")
    hooks = yaml.safe_load((ROOT / "azure.yaml").read_text(encoding="utf-8"))["hooks"]
    assert re.findall(r"^\| `((?:pre|post)\w+)` \|", text, re.MULTILINE) == list(hooks)
    for hook in hooks.values():
        assert f"`{Path(hook['run']).parent}/{hook['config']['virtualEnvName']}`" in text


def test_where_a_hook_refers_to_the_document_there_is_what_it_promises() -> None:
    text = (ROOT / "docs" / "deploying.md").read_text(encoding="utf-8")
    words = (ROOT / "infra" / "hooks" / "registration.py").read_text(encoding="utf-8")
    (heading,) = re.findall(r"see '(.+?)' in docs/deploying\.md", words)
    section = text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    assert "`Application.ReadWrite.OwnedBy`" in section
    assert "**If the pipeline has no Graph permission**" in section


def test_what_is_set_is_an_option_or_a_setting() -> None:
    text = _text()
    options = {name for entry in _options() for name in re.findall(r"\$\{(\w+)", entry)}
    named = set(re.findall(r"azd env set ([A-Z_]+)", text)) | set(
        re.findall(r"^\| `([A-Z_]+)` \| [^|]*\| [^|]*\|$", text, re.MULTILINE)
    )
    assert named - {"MCP_REQUEST_STATE_KEY"} <= options


def test_every_option_is_documented() -> None:
    text = (ROOT / "docs" / "deploying.md").read_text(encoding="utf-8")
    options = {name for entry in _options() for name in re.findall(r"\$\{(\w+)", entry)} - SETTINGS.keys()
    of_azd = {"AZURE_ENV_NAME", "AZURE_LOCATION", "AZURE_PRINCIPAL_ID", "AZURE_PRINCIPAL_TYPE"}
    assert [name for name in sorted(options - of_azd) if f"\n| `{name}` |" not in text] == []


def test_the_documented_defaults_are_those_of_the_template() -> None:
    text = (ROOT / "docs" / "deploying.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"^\| option \| default \|.*\n(?:\|.*\n)+", text, re.MULTILINE)
    for entry in _options():
        name, default = re.findall(r"\$\{(\w+)=?(.*?)\}", entry)[0]
        documented = re.findall(rf"^\| `{name}` \| (.*?) ?\| ", text, re.MULTILINE)
        assert documented in ([], [f"`{default}`" if default else ""])


def test_a_setting_that_is_named_is_one_and_secrets_are_never_set_in_the_open() -> None:
    known = (
        SETTINGS.keys()
        | {name for entry in _options() for name in re.findall(r"\$\{(\w+)", entry)}
        | MAIN.of_kind("output").keys()
    )
    for name in set(re.findall(r"`((?:MCP|AUTH|UPSTREAM|RATE|ADO|UPDATES)_[A-Z_]+)`", _text())):
        assert name in known, name
    assert not set(re.findall(r"azd env set ([A-Z_]+)", _text())) & (SECRET | OF_THE_PLATFORM_OR_A_LAPTOP)


def test_what_is_read_from_azd_is_put_out_by_the_template() -> None:
    asked = set(re.findall(r"azd env get-value ([A-Z_]+)", _text()))
    assert asked
    assert asked <= MAIN.of_kind("output").keys()


def test_what_is_restored_has_the_names_that_the_app_uses() -> None:
    text = (ROOT / "docs" / "operating.md").read_text(encoding="utf-8")
    assert set(re.findall(r"--(?:container-name|source) (\S+)", text)) == {PURPOSE}
    assert set(re.findall(r"az storage blob \w+ .*--name (\S+) --auth", text)) == {kept_index.store.POINTER}


@pytest.mark.parametrize("name", ["operating", "signing-in"])
def test_what_the_documents_quote_is_what_the_app_says(name: str) -> None:
    text = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
    seen = [line.split(" | ")[0] for line in text.splitlines() if line.startswith("| ")]
    said = _said()
    for quoted in (found for cell in seen for found in re.findall(r"\*([^*]+)\*", cell)):
        parts = [part.strip() for part in quoted.split("…") if part.strip()]
        assert quoted in SAID_BY_ENTRA or all(part in said for part in parts), quoted


def _said() -> str:
    """The code, with texts over several lines put together."""
    folders = ("app", "clients", "identity", "kept_index", "mcp_server", "settings", "tools", "updates")
    files = [*ROOT.glob("*.py"), *(file for folder in folders for file in (ROOT / folder).rglob("*.py"))]
    return "\n".join(re.sub(r'"\s*\n\s*f?"', "", file.read_text(encoding="utf-8")) for file in files)


def _options() -> list[str]:
    """What parameters.json takes from azd, such as `${VNET_ENABLED=false}`."""
    plain = [entry["value"] for entry in PARAMETERS.values() if isinstance(entry["value"], str)]
    return [*plain, *PARAMETERS["ownNames"]["value"].values(), *PARAMETERS["settings"]["value"].values()]


def _text() -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in DOCUMENTS)
