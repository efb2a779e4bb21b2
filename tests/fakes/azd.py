"""azd, as far as hooks know it: how it runs them, and what it answers when they ask it for a token, or to remember."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import yaml

from tests.warm import WarmPython

ROOT: Final = Path(__file__).parents[2]
HOME_TENANT: Final = "7e4a0000-0000-4000-8000-00000000000a"
# Files in which azd looks for what a hook needs, from its folder upwards, in this order.
PROJECT_FILES: Final = ("pyproject.toml", "requirements.txt", "package.json")

# The ends of a word and of a call in the file of calls: no word contains them.
_END_OF_WORD, _END_OF_CALL = "\x1f", "\x1e"
# The tokens have a number, which tells how often it was asked, and the names of the service and the tenant that they
# are for. It is a script of the shell, because hooks start it hundreds of times, and Python takes ten times as long.
_PROGRAM: Final = r"""#!/bin/sh
cd "$FAKE_AZD" || exit
{{ printf '%s\037' "$@"; printf '\036'; }} >> calls

fail() {{
  echo '{{"type": "consoleMessage", "data": {{"message": "ERROR: not logged in"}}}}'
  exit 1
}}

case "$1 $2" in
"env set")
  [ "$5 $6 $7 $#" = "--environment team --no-prompt 7" ] || fail
  printf %s "$4" > "remembered/$3" || exit
  ;;
"config get")
  [ -e "config/$3" ] || exit 1
  read -r setting < "config/$3"
  printf '%s\n' "$setting"
  ;;
"env get-values")
  [ "$*" = "env get-values --environment team --output json --no-prompt" ] || fail
  exec {python} -IS get_values.py
  ;;
"auth token")
  read -r number < tokens
  number=$((number + 1))
  echo "$number" > tokens
  read -r wanted < tenants
  while [ $# -gt 0 ]; do
    case "$1" in
    --tenant-id) wanted=$2 ;;
    --scope) service=${{2#*//}} service=${{service%%/*}} ;;
    esac
    shift
  done
  found=
  while read -r tenant; do [ "$tenant" = "$wanted" ] && found=1; done < tenants
  [ "$found" ] || fail
  token="token-$number-for-$service-of-$wanted"
  [ "$service" = scope.example ] && read -r token < token_of_person
  printf '{{"token": "%s", "expiresOn": "2026-11-22T12:00:00Z"}}\n' "$token"
  ;;
*) fail ;;
esac
"""
_GET_VALUES: Final = """
import json, os
values = json.load(open("stored.json"))
for name in os.listdir("remembered"):
    values[name] = open(os.path.join("remembered", name), encoding="utf-8", newline="").read()
print(json.dumps(values))
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
        (folder / "get_values.py").write_text(_GET_VALUES, encoding="utf-8")
        (folder / "tokens").write_text("0\n", encoding="utf-8")
        made = cls(folder)
        made.sign_in(HOME_TENANT)
        made.forget()
        made.store({})
        made.configure()
        made.claim(roles=["Reader"], auth_time=1)
        return made

    def sign_in(self, *tenants: str) -> None:
        """Into these tenants, of which the first is the one that azd takes if nobody names one."""
        (self.folder / "tenants").write_text("".join(f"{tenant}\n" for tenant in tenants), encoding="utf-8")

    def configure(self, **settings: str) -> None:
        """azd config set, with `_` for the dots of a name."""
        folder = self._emptied("config")
        for name, value in settings.items():
            (folder / name.replace("_", ".")).write_text(f"{json.dumps(value)}\n", encoding="utf-8")

    def claim(self, **claims: Any) -> None:
        """What its tokens for a server say of its person."""
        encoded = urlsafe_b64encode(json.dumps(claims).encode()).rstrip(b"=").decode()
        (self.folder / "token_of_person").write_text(f"e30.{encoded}.c2ln\n", encoding="utf-8")

    def store(self, values: Mapping[str, str]) -> None:
        """What its environment has, besides what hooks have it remember."""
        (self.folder / "stored.json").write_text(json.dumps(dict(values)), encoding="utf-8")

    def forget(self) -> None:
        """Everything that it was to remember."""
        self._emptied("remembered")

    def stop_remembering(self) -> None:
        """From now on, it fails when it is to store a value."""
        self._emptied("remembered").rmdir()

    def _emptied(self, name: str) -> Path:
        folder = self.folder / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        return folder

    @property
    def remembered(self) -> dict[str, str]:
        return {file.name: file.read_text(encoding="utf-8") for file in (self.folder / "remembered").iterdir()}

    @property
    def tokens(self) -> list[list[str]]:
        """What it was asked for a token with."""
        return [call for call in self.calls if call[:2] == ["auth", "token"]]

    @property
    def calls(self) -> list[list[str]]:
        file = self.folder / "calls"
        calls = file.read_text(encoding="utf-8").split(_END_OF_CALL)[:-1] if file.exists() else []
        return [call.split(_END_OF_WORD)[:-1] for call in calls]

    @property
    def variables(self) -> dict[str, str]:
        path = os.pathsep.join([str(self.folder), "/usr/bin", "/bin"])
        return {"PATH": path, "FAKE_AZD": str(self.folder), **_VARIABLES}


# What hooks import of the standard library.
_IMPORTED: Final = (
    *("base64", "dataclasses", "datetime", "fnmatch", "getpass", "http.client", "json", "pathlib", "re", "secrets"),
    *("shlex", "shutil", "ssl", "statistics", "subprocess", "urllib.error", "urllib.parse", "urllib.request"),
)
_VARIABLES: Final = {"LANG": "C.UTF-8"}


@cache
def _warm(python: str) -> WarmPython:
    return WarmPython(*_IMPORTED, python=python, variables=_VARIABLES)


@cache
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
        """While azd provisions: nobody is asked anything. `azd hooks run` and interactive hooks have the terminal."""
        command, folder = self.command(hook)
        return _warm(command[0]).run(command, cwd=folder, env=variables)

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
