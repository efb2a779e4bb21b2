"""The hooks, run in a shell with a fake azd, az and curl on the path."""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import subprocess
import sys
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Final

import pytest

from settings import OWN_GROUPS, Settings
from tests.infra.deployed import INFRA
from tools import PROVIDERS

HOOKS: Final = INFRA / "hooks"
VAULT: Final = "/subscriptions/s/resourceGroups/rg/providers/Microsoft.KeyVault/vaults/kv"
FUNCTION: Final = "/subscriptions/s/resourceGroups/rg/providers/Microsoft.Web/sites/func"
URL: Final = "https://func.azurewebsites.net"

# Stands for azd, az, curl and sleep: notes how it was called and what it read, and answers as it was told to.
_FAKE: Final = """#!{python} -IS
import json, os, sys
from pathlib import Path
folder, name = Path(os.environ["FAKES"]), Path(sys.argv[0]).name
call = [name, *sys.argv[1:]]
read = sys.stdin.read() if "@-" in call else ""
with (folder / "calls.jsonl").open("a") as calls:
    calls.write(json.dumps({{"call": call, "read": read}}) + "\\n")
answers = json.loads((folder / "answers.json").read_text())
for key, answer in answers.items():
    tool, *words = key.split()
    if tool == name and all(word in (" ".join(call) if word[0] == "/" else call) for word in words):
        one = answer.pop(0) if len(answer) > 1 else answer[0]
        (folder / "answers.json").write_text(json.dumps(answers))
        print(one["says"], end="")
        sys.exit(one["code"])
sys.exit(f"nobody told {{call}} what to answer")
"""


@dataclass(frozen=True, slots=True)
class Called:
    words: list[str]
    read: str


@dataclass
class Bench:
    """Where a hook runs. An answer goes to calls that have all words of its key."""

    folder: Path
    shell: list[str]
    variables: dict[str, str]
    answers: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    def answer(self, words: str, *says: str, code: int = 0) -> None:
        others = {key: answer for key, answer in self.answers.items() if key != words}
        self.answers = {words: [{"says": one, "code": code} for one in says or ("",)], **others}

    def run(self, hook: str, **variables: str) -> subprocess.CompletedProcess[str]:
        (self.folder / "answers.json").write_text(json.dumps(self.answers))
        environment = {"PATH": f"{self.folder}{os.pathsep}{os.environ['PATH']}", "FAKES": str(self.folder)}
        return subprocess.run(
            [*self.shell, HOOKS / f"{hook}.{'ps1' if 'pwsh' in self.shell[0] else 'sh'}"],
            env={**environment, **self.variables, **variables},
            cwd=INFRA.parent,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    @property
    def calls(self) -> list[Called]:
        path = self.folder / "calls.jsonl"
        lines = path.read_text().splitlines() if path.exists() else []
        return [Called(entry["call"], entry["read"]) for entry in map(json.loads, lines)]

    def called(self, words: str) -> list[Called]:
        tool, *rest = words.split()
        calls = (call for call in self.calls if call.words[0] == tool)
        return [call for call in calls if all(word in _searched(call.words, word) for word in rest)]


def _searched(call: list[str], word: str) -> str | list[str]:
    """A part of an address is looked for in all words; any other word must be one of them."""
    return " ".join(call) if word.startswith("/") else call


SHELLS: Final = [["bash"], ["sh"], ["pwsh", "-NoProfile", "-File"]]
HERE: Final = [shell for shell in SHELLS if shutil.which(shell[0])]


@pytest.fixture(params=HERE, ids=lambda shell: shell[0])
def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Bench:
    shell: list[str] = request.param
    if shell[0] == "pwsh" and "after_deploying" in request.node.name:
        pytest.skip("PowerShell asks for the health by itself, and not with curl")
    for name in ("azd", "az", "curl", "sleep"):
        fake = tmp_path / name
        fake.write_text(_FAKE.format(python=sys.executable))
        fake.chmod(fake.stat().st_mode | stat.S_IXUSR)
    made = Bench(tmp_path, shell, _variables())
    _answer_well(made)
    return made


def _variables() -> dict[str, str]:
    return {
        "AZURE_SUBSCRIPTION_ID": "s",
        "AZURE_RESOURCE_GROUP": "rg",
        "AZURE_FUNCTION_NAME": "func",
        "AZURE_FUNCTION_ID": FUNCTION,
        "AZURE_KEY_VAULT_ID": VAULT,
        "SERVICE_API_URI": URL,
        "MCP_URL": f"{URL}/mcp",
        "SETTINGS_IN_VAULT": "MCP_REQUEST_STATE_KEY",
    }


def _answer_well(bench: Bench) -> None:
    bench.answer("azd version", "azd version 1.31.2 (commit 0123456789)\n")
    version = '{"azure-cli": "2.91.0"}' if bench.shell[0] == "pwsh" else "2.91.0\n"
    bench.answer("az version", version)
    bench.answer("az account show")
    bench.answer("az provider show", "Registered\n")
    bench.answer("az provider register")
    bench.answer("az rest get /secrets", "")
    bench.answer("az rest put /secrets")
    bench.answer("az rest post /refresh")
    bench.answer("az functionapp keys list", "master-key\n")
    bench.answer("curl /health", '{"status": "ok"}')
    bench.answer("curl /admin/functions")
    bench.answer("sleep")


# Before provisioning


def test_before_provisioning_nothing_is_changed_where_everything_is_there(bench: Bench) -> None:
    done = bench.run("before-provisioning")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert not bench.called("az provider register")


@pytest.mark.parametrize(
    ("words", "says", "told"),
    [
        ("azd version", "azd version 1.17.9 (commit 1)\n", "azd 1.18.0 or newer is needed, and this is 1.17.9"),
        ("azd version", "azd version 0.99.0 (commit 1)\n", "azd 1.18.0 or newer is needed"),
        ("azd version", "what is this\n", "azd 1.18.0 or newer is needed"),
        ("az version", "2.66.9\n", "The Azure CLI 2.67.0 or newer is needed, and this is 2.66.9"),
    ],
)
def test_before_provisioning_an_old_tool_is_told(bench: Bench, words: str, says: str, told: str) -> None:
    if bench.shell[0] == "pwsh" and words == "az version":
        says = json.dumps({"azure-cli": says.strip()})
    bench.answer(words, says)
    done = bench.run("before-provisioning")
    assert done.returncode == 1
    assert told in done.stderr


@pytest.mark.parametrize("version", ["1.18.0", "1.18.1", "1.100.0", "2.0.0"])
def test_before_provisioning_versions_are_compared_as_numbers(bench: Bench, version: str) -> None:
    bench.answer("azd version", f"azd version {version} (commit 1)\n")
    assert bench.run("before-provisioning").returncode == 0


def test_before_provisioning_who_is_not_signed_in_is_told_how(bench: Bench) -> None:
    bench.answer("az account show", code=1)
    done = bench.run("before-provisioning")
    assert done.returncode == 1
    assert "run 'az login'" in done.stderr


def test_before_provisioning_the_provider_is_registered_where_it_is_not(bench: Bench) -> None:
    bench.answer("az provider show", "NotRegistered\n")
    assert bench.run("before-provisioning").returncode == 0
    (call,) = bench.called("az provider register")
    assert call.words[1:] == "provider register --namespace Microsoft.App --subscription s --wait".split()


def test_before_provisioning_who_may_not_register_the_provider_is_told_whom_to_ask(bench: Bench) -> None:
    bench.answer("az provider show", "NotRegistered\n")
    bench.answer("az provider register", code=1)
    done = bench.run("before-provisioning")
    assert done.returncode == 1
    assert "ask an owner of the subscription" in done.stderr


def test_before_provisioning_options_that_contradict_each_other_are_told(bench: Bench) -> None:
    done = bench.run("before-provisioning", APP_SERVICE_AUTH_ENABLED="true")
    assert done.returncode == 1
    assert "azd env set ENTRA_APP_ENABLED true" in done.stderr
    assert bench.run("before-provisioning", APP_SERVICE_AUTH_ENABLED="true", ENTRA_APP_ENABLED="true").returncode == 0


def test_before_provisioning_the_secrets_that_can_be_put_into_the_vault_are_those_of_the_app(bench: Bench) -> None:
    made_by_the_hook, for_the_emulator = "MCP_REQUEST_STATE_KEY", "AzureWebJobsStorage"
    groups = [*OWN_GROUPS.values(), *(provider.settings for provider in PROVIDERS)]
    secrets = {entry.metadata["name"] for group in groups for entry in fields(group) if not entry.repr}
    own = secrets - {made_by_the_hook, for_the_emulator, "APPLICATIONINSIGHTS_CONNECTION_STRING"}
    assert bench.run("before-provisioning", SECRETS_IN_VAULT=",".join(sorted(own))).returncode == 0
    told = bench.run("before-provisioning", SECRETS_IN_VAULT="PASSWORD").stderr
    assert own == set(re.findall(r"\b[A-Z]+(?:_[A-Z]+)+\b", told)) - {"SECRETS_IN_VAULT"}


@pytest.mark.parametrize(
    "names",
    [
        "ADO_PAT, UPSTREAM_CLIENT_SECRET",
        "ADO_PAT;UPSTREAM_CLIENT_SECRET",
        "ADO_PAT,",
        ",",
        "ADO_PAT,,UPSTREAM_CLIENT_SECRET",
        "ado_pat",
        "$(touch hacked)",
        "*",
    ],
)
def test_before_provisioning_names_of_secrets_that_are_none_are_refused(bench: Bench, names: str) -> None:
    done = bench.run("before-provisioning", SECRETS_IN_VAULT=names)
    assert done.returncode == 1
    assert "with commas and no spaces between" in done.stderr
    assert not (INFRA.parent / "hacked").exists()


# After provisioning


def test_after_provisioning_the_key_is_made_and_never_shown(bench: Bench) -> None:
    done = bench.run("after-provisioning")
    assert done.returncode == 0, done.stderr
    (put,) = bench.called("az put")
    value = json.loads(put.read)["properties"]["value"]
    assert Settings.from_environment({"MCP_REQUEST_STATE_KEY": value}).server.request_state_keys == (value,)
    assert len(value) == 64
    assert f"{VAULT}/secrets/mcp-request-state-key?api-version=2024-11-01" in put.words
    assert value not in done.stdout + done.stderr
    assert not [call for call in bench.calls if value in " ".join(call.words)]
    assert put.words[-2:] == ["--output", "none"]


def test_after_provisioning_each_deployment_has_a_key_of_its_own(bench: Bench) -> None:
    bench.run("after-provisioning")
    bench.run("after-provisioning")
    one, other = bench.called("az put")
    assert one.read != other.read


def test_after_provisioning_a_secret_that_is_there_stays(bench: Bench) -> None:
    bench.answer("az rest get /secrets", "ado-pat\nmcp-request-state-key\n")
    assert (
        bench.run("after-provisioning", SETTINGS_IN_VAULT="MCP_REQUEST_STATE_KEY,ADO_PAT", ADO_PAT="new").returncode
        == 0
    )
    assert not bench.called("az put")


def test_after_provisioning_a_name_that_only_begins_alike_is_another_secret(bench: Bench) -> None:
    bench.answer("az rest get /secrets", "mcp-request-state-key-old\n")
    assert bench.run("after-provisioning").returncode == 0
    assert bench.called("az put")


def test_after_provisioning_a_secret_that_is_given_is_stored_to_the_letter(bench: Bench) -> None:
    given = """a"b\\c $HOME `id` 'd' %s & é"""
    bench.answer("az rest get /secrets", "mcp-request-state-key\n")
    done = bench.run("after-provisioning", SETTINGS_IN_VAULT="MCP_REQUEST_STATE_KEY,ADO_PAT", ADO_PAT=given)
    assert done.returncode == 0, done.stderr
    (put,) = bench.called("az put")
    assert json.loads(put.read) == {"properties": {"value": given}}
    assert "/secrets/ado-pat?" in " ".join(put.words)


def test_after_provisioning_a_secret_that_nobody_gave_is_asked_for(bench: Bench) -> None:
    done = bench.run("after-provisioning", SETTINGS_IN_VAULT="MCP_REQUEST_STATE_KEY,ADO_PAT")
    assert done.returncode == 1
    assert "The vault has no ADO_PAT" in done.stderr
    assert "azd hooks run postprovision" in done.stderr


def test_after_provisioning_the_app_is_told_to_look_for_its_secrets(bench: Bench) -> None:
    bench.run("after-provisioning")
    (refresh,) = bench.called("az /refresh")
    assert f"{FUNCTION}/config/configreferences/appsettings/refresh?api-version=2022-03-01" in refresh.words


def test_after_provisioning_a_vault_that_does_not_answer_is_not_taken_for_an_empty_one(bench: Bench) -> None:
    bench.answer("az rest get /secrets", code=1)
    assert bench.run("after-provisioning").returncode != 0
    assert not bench.called("az put")


def test_after_provisioning_a_secret_that_could_not_be_stored_ends_it(bench: Bench) -> None:
    bench.answer("az rest put /secrets", code=1)
    done = bench.run("after-provisioning")
    assert done.returncode != 0
    assert "Stored" not in done.stdout


def test_after_provisioning_what_is_no_setting_is_refused(bench: Bench) -> None:
    done = bench.run("after-provisioning", SETTINGS_IN_VAULT="PATH}$(touch hacked)")
    assert done.returncode == 1
    assert "which is not the name of a setting" in done.stderr
    assert not (INFRA.parent / "hacked").exists()


# After deploying


def test_after_deploying_the_sync_begins_and_the_clients_are_told_where(bench: Bench) -> None:
    done = bench.run("after-deploying")
    assert done.returncode == 0, done.stderr
    assert f"MCP server: {URL}/mcp" in done.stdout
    assert f"claude mcp add --transport http azure-team {URL}/mcp" in done.stdout
    (sync,) = bench.called("curl /admin/functions")
    assert f"{URL}/admin/functions/sync_updates_delta" in sync.words
    assert sync.words[sync.words.index("--data") + 1] == '{"input": ""}'
    assert sync.read == "x-functions-key: master-key\n"
    (keys,) = bench.called("az functionapp keys list")
    assert " ".join(keys.words[4:]) == (
        "--subscription s --resource-group rg --name func --query masterKey --output tsv"
    )
    assert not [call for call in bench.calls if "master-key" in " ".join(call.words)]
    assert "master-key" not in done.stdout + done.stderr


def test_after_deploying_the_lines_for_clients_are_what_these_read(bench: Bench) -> None:
    told = bench.run("after-deploying").stdout
    json_of = {
        line.split()[0]: line[line.index("{") : line.rindex("}") + 1] for line in told.splitlines() if "{" in line
    }
    assert json.loads(json_of["Cursor"]) == {"mcpServers": {"azure-team": {"url": f"{URL}/mcp"}}}
    assert json.loads(json_of["VS"]) == {"name": "azure-team", "type": "http", "url": f"{URL}/mcp"}
    document = (INFRA.parent / "docs" / "signing-in.md").read_text(encoding="utf-8").replace("https://<app>", URL)
    for command in (
        f"claude mcp add --transport http azure-team {URL}/mcp",
        f"codex mcp add azure-team --url {URL}/mcp",
    ):
        assert f" {command}\n" in told
        assert f"`{command}`" in document


def test_after_deploying_it_waits_until_the_app_answers(bench: Bench) -> None:
    bench.answers["curl /health"] = [{"says": "", "code": 22}] * 3 + [{"says": "{}", "code": 0}]
    done = bench.run("after-deploying")
    assert done.returncode == 0
    assert len(bench.called("sleep")) == 3
    assert done.stdout.count("Waiting for") == 1


def test_after_deploying_an_app_that_never_answers_is_told(bench: Bench) -> None:
    bench.answer("curl /health", code=22)
    done = bench.run("after-deploying")
    assert done.returncode == 1
    assert "does not answer" in done.stderr
    assert len(bench.called("curl /health")) == 30


@pytest.mark.parametrize("words", ["az functionapp keys list", "curl /admin/functions"])
def test_after_deploying_a_sync_that_cannot_be_started_is_left_to_the_app(bench: Bench, words: str) -> None:
    bench.answer(words, code=22)
    bench.answer("curl /admin/functions", code=22)
    done = bench.run("after-deploying")
    assert done.returncode == 0
    assert "The first request, or the timer, starts the sync" in done.stdout
    assert f"MCP server: {URL}/mcp" in done.stdout


def test_after_deploying_app_service_authentication_is_not_asked_for_a_sync(bench: Bench) -> None:
    assert bench.run("after-deploying", APP_SERVICE_AUTH_ENABLED="true").returncode == 0
    assert not bench.called("curl /admin/functions")


def test_the_hooks_for_powershell_are_run_as_well() -> None:
    if shutil.which("pwsh") is None:
        pytest.skip("there is no PowerShell here: its hooks are parsed, and compared with the others, but not run")
    assert "pwsh" in {shell[0] for shell in HERE}
