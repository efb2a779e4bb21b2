"""azd, as far as hooks know it: how it runs them, and what it answers when they ask it for a token, or to remember."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

ROOT: Final = Path(__file__).parents[2]
HOME_TENANT: Final = "7e4a0000-0000-4000-8000-00000000000a"
# Files in which azd looks for what a hook needs, from its folder upwards, in this order.
PROJECT_FILES: Final = ("pyproject.toml", "requirements.txt", "package.json")

# The tokens have a number, which tells how often it was asked, and the names of the service and the tenant that they
# are for.
_PROGRAM: Final = """#!{python} -IS
import base64, json, os, sys
from pathlib import Path
folder = Path(os.environ["FAKE_AZD"])
with (folder / "calls.jsonl").open("a") as calls:
    calls.write(json.dumps(sys.argv[1:]) + "\\n")
number = (folder / "calls.jsonl").read_text().count('["auth", "token"')
tenants = json.loads((folder / "tenants.json").read_text())
words = sys.argv[1:]
if words[:2] == ["env", "set"] and words[4:] == ["--environment", "team", "--no-prompt"]:
    remembered = json.loads((folder / "values.json").read_text())
    (folder / "values.json").write_text(json.dumps({{**remembered, words[2]: words[3]}}))
    sys.exit(0)
if words[:2] == ["config", "get"] and (folder / "config.json").exists():
    found = json.loads((folder / "config.json").read_text())
    print(json.dumps(found[words[2]])) if words[2] in found else sys.exit(1)
    sys.exit(0)
if words == ["env", "get-values", "--environment", "team", "--output", "json", "--no-prompt"]:
    stored = json.loads((folder / "stored.json").read_text())
    print(json.dumps({{**stored, **json.loads((folder / "values.json").read_text())}}))
    sys.exit(0)
wanted = words[words.index("--tenant-id") + 1] if "--tenant-id" in words else (tenants or [""])[0]
if words[:2] != ["auth", "token"] or wanted not in tenants:
    print(json.dumps({{"type": "consoleMessage", "data": {{"message": "ERROR: not logged in"}}}}))
    sys.exit(1)
service = words[words.index("--scope") + 1].split("/")[2]
if service == "scope.example":
    claims = base64.urlsafe_b64encode((folder / "claims.json").read_bytes()).rstrip(b"=").decode()
    print(json.dumps({{"token": f"e30.{{claims}}.c2ln", "expiresOn": "2026-11-22T12:00:00Z"}}))
    sys.exit(0)
print(json.dumps({{"token": f"token-{{number}}-for-{{service}}-of-{{wanted}}", "expiresOn": "2026-11-22T12:00:00Z"}}))
"""


@dataclass(frozen=True)
class FakeAzd:
    """The program that hooks find on the path."""

    folder: Path

    @classmethod
    def installed(cls, folder: Path) -> FakeAzd:
        program = folder / "azd"
        program.write_text(_PROGRAM.format(python=sys.executable), encoding="utf-8")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        made = cls(folder)
        made.sign_in(HOME_TENANT)
        made.forget()
        made.store({})
        made.configure()
        made.claim(roles=["Reader"], auth_time=1)
        return made

    def sign_in(self, *tenants: str) -> None:
        """Into these tenants, of which the first is the one that azd takes if nobody names one."""
        (self.folder / "tenants.json").write_text(json.dumps(tenants), encoding="utf-8")

    def configure(self, **settings: str) -> None:
        """azd config set, with `_` for the dots of a name."""
        named = {name.replace("_", "."): value for name, value in settings.items()}
        (self.folder / "config.json").write_text(json.dumps(named), encoding="utf-8")

    def claim(self, **claims: Any) -> None:
        """What its tokens for a server say of its person."""
        (self.folder / "claims.json").write_text(json.dumps(claims), encoding="utf-8")

    def store(self, values: Mapping[str, str]) -> None:
        """What its environment has, besides what hooks have it remember."""
        (self.folder / "stored.json").write_text(json.dumps(dict(values)), encoding="utf-8")

    def forget(self) -> None:
        """Everything that it was to remember."""
        (self.folder / "values.json").write_text("{}", encoding="utf-8")

    @property
    def remembered(self) -> dict[str, str]:
        values: dict[str, str] = json.loads((self.folder / "values.json").read_text(encoding="utf-8"))
        return values

    @property
    def tokens(self) -> list[list[str]]:
        """What it was asked for a token with."""
        return [call for call in self.calls if call[:2] == ["auth", "token"]]

    @property
    def calls(self) -> list[list[str]]:
        file = self.folder / "calls.jsonl"
        return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.exists() else []

    @property
    def variables(self) -> dict[str, str]:
        path = os.pathsep.join([str(self.folder), "/usr/bin", "/bin"])
        return {"PATH": path, "FAKE_AZD": str(self.folder), "LANG": "C.UTF-8"}


def hooks_of(project: Path) -> dict[str, Any]:
    """The hooks of a project and of its services, by their names."""
    declared = yaml.safe_load((project / "azure.yaml").read_text(encoding="utf-8"))
    found: dict[str, Any] = dict(declared["hooks"])
    for service in declared["services"].values():
        found |= service.get("hooks", {})
    return found


@dataclass(frozen=True)
class Project:
    """A project whose hooks are run as azd runs them, with an interpreter that it finds."""

    folder: Path
    python: str

    @classmethod
    def copied(cls, folder: Path, python: str) -> Project:
        """What decides how hooks run: azd's file, the hooks, and the files in which azd may look for packages."""
        for name in ("azure.yaml", "function_app.py", "requirements.txt", ".funcignore"):
            shutil.copy(ROOT / name, folder)
        ignored = shutil.ignore_patterns(".venv", "__pycache__")
        (folder / "infra").mkdir(exist_ok=True)
        shutil.copy(ROOT / "infra" / "main.parameters.json", folder / "infra")
        shutil.copytree(ROOT / "infra" / "hooks", folder / "infra" / "hooks", ignore=ignored)
        return cls(folder, python)

    def command(self, hook: str) -> tuple[list[str], Path]:
        """The command that azd runs for a hook, and the folder in which it does."""
        entry = self._hooks[hook]
        script = self.folder / entry["run"]
        venv = self._prepared(script, entry["config"]["virtualEnvName"])
        return [str(venv / "bin" / "python"), str(script)], script.parent

    def run(self, hook: str, variables: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
        command, folder = self.command(hook)
        """While azd provisions: nobody is asked anything. `azd hooks run` and interactive hooks have the terminal."""
        given: dict[str, Any] = {"cwd": folder, "env": dict(variables), "stdin": subprocess.DEVNULL, "timeout": 60}
        return subprocess.run(command, **given, capture_output=True, text=True, check=False)

    @property
    def _hooks(self) -> dict[str, Any]:
        return hooks_of(self.folder)

    def made_ready(self) -> Project:
        """Make the environment as azd does, without the seconds that pip takes where nothing is to be installed."""
        for entry in self._hooks.values():
            folder = (self.folder / entry["run"]).parent
            self._do(f"{self.python} -m venv --without-pip {entry['config']['virtualEnvName']}", folder)
        return self

    def _prepared(self, script: Path, name: str) -> Path:
        found = self.project_file(script)
        venv = found.parent / name
        if not venv.exists():
            self._do(f"{self.python} -m venv {name}", found.parent)
            what = ". " if found.name == "pyproject.toml" else f"-r {found.name}"
            self._do(f". {name}/bin/activate && python3 -m pip install {what}", found.parent)
        return venv

    def project_file(self, script: Path) -> Path:
        folders = [folder for folder in script.parents if folder.is_relative_to(self.folder)]
        return next(folder / name for folder in folders for name in PROJECT_FILES if (folder / name).exists())

    def _do(self, command: str, folder: Path) -> None:
        environment = {"PATH": os.environ["PATH"], "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INDEX": "1"}
        subprocess.run(["sh", "-c", command], cwd=folder, env=environment, check=True, capture_output=True)
