"""`scripts/secrets`: what looks like a secret is found wherever it ever was, and never told."""

from __future__ import annotations

import random
import shutil
import string
import subprocess
import sys
from base64 import b64encode
from pathlib import Path
from typing import Final

import pytest

from scripts import scanning

SCRIPTS: Final = Path(__file__).parents[1] / "scripts"
_CHANCE: Final = random.Random(20261123)  # noqa: S311 - no secret, but what looks like one
_WORDS: Final = string.ascii_letters + string.digits


def any_of(letters: str, count: int) -> str:
    return "".join(_CHANCE.choices(letters, k=count))


def base64(count: int) -> str:
    return b64encode(_CHANCE.randbytes(count)).decode()


PLANTED: Final = {
    "a private key": f"-----BEGIN RSA PRIVATE KEY-----\\n{base64(48)}",
    "a private key that begins a file": "-----BEGIN PRIVATE KEY-----",
    "a storage or Cosmos DB key": f'key = "{base64(64)}"',
    "a key in a connection string": f"Endpoint=sb://a.example;SharedAccessKey={base64(32)}",
    "a password in a connection string": f"Server=a;Password={any_of(_WORDS, 12)};",
    "a password in a URL": f"https://ada:{any_of(_WORDS, 12)}@example.com",
    "a shared access signature": f"https://a.example/c?sv=2024&sig={any_of(_WORDS, 43)}%3D",
    "a signed token": f"eyJ{any_of(_WORDS, 30)}.eyJ{any_of(_WORDS, 40)}.{any_of(_WORDS, 43)}",
    "a bearer token": f"Authorization: Bearer {any_of(_WORDS, 60)}",
    "an Entra client secret": f"{any_of(_WORDS, 3)}8Q~{any_of(_WORDS, 34)}",
    "an Azure DevOps personal access token": f"{any_of(_WORDS, 76)}AZDO{any_of(_WORDS, 4)}",
    "an Azure DevOps personal access token, as of old": f"PAT: 2{any_of('abcdefghij234567', 51)}",
    "an Azure Functions key": f"{any_of(_WORDS, 44)}AzFu{any_of(_WORDS, 8)}==",
    "an Azure service key": f"{any_of(_WORDS, 52)}JQQJ99{any_of(_WORDS, 26)}",
    "a GitHub token": f"ghp_{any_of(_WORDS, 36)}",
    "an npm token": f"npm_{any_of(_WORDS, 36)}",
    "a PyPI token": f"pypi-AgE{any_of(_WORDS, 80)}",
    "an AWS key": f"AKIA{any_of(string.ascii_uppercase, 16)}",
    "a Google API key": f"AIza{any_of(_WORDS, 35)}",
    "a Slack token": f"xoxb-{any_of(_WORDS, 30)}",
    "a Stripe key": f"sk_live_{any_of(_WORDS, 24)}",
    "a model provider's key": f"sk-proj-{any_of(_WORDS, 40)}",
}


class Repository:
    """A history of its own, with the scripts that look through it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "scripts").mkdir()
        for name in ("secrets", "scanning.py", "commandline.py", "environment.py"):
            shutil.copy(SCRIPTS / name, folder / "scripts")
        self.git("init", "--quiet")

    def git(self, *arguments: str) -> None:
        who = ["-c", "user.name=ada", "-c", "user.email=ada@example.com", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *who, *arguments], cwd=self.folder, check=True, capture_output=True)

    def commit(self, name: str, text: str, message: str = "Change it") -> None:
        (self.folder / name).write_text(text, encoding="utf-8")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", message)

    def searched(self, *options: str) -> tuple[int, str]:
        script = str(self.folder / "scripts" / "secrets")
        run = subprocess.run([sys.executable, script, *options], capture_output=True, text=True, check=False)
        assert run.stderr == ""
        return run.returncode, run.stdout


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository(tmp_path)
    made.commit("readme.md", "Nothing is here.")
    return made


def test_each_form_is_found_even_when_it_was_taken_out_again(repository: Repository) -> None:
    for number, (name, text) in enumerate(PLANTED.items()):
        (repository.folder / f"{number}.txt").write_text(f"before\n{text}\nafter", encoding="utf-8")
        assert name.startswith(tuple(form.name for form in scanning.FORMS))
    repository.commit("more.txt", "")
    for number in range(len(PLANTED)):
        (repository.folder / f"{number}.txt").unlink()
    repository.commit("more.txt", "all gone")
    status, told = repository.searched()
    assert status == 1
    lines = told.splitlines()
    for number, (name, text) in enumerate(PLANTED.items()):
        found = [line for line in lines if f" {number}.txt: " in line]
        assert any(f": {name.partition(',')[0].partition(' that ')[0]} (" in line for line in found), name
        assert text not in told


def test_what_is_about_to_be_committed_and_messages_are_searched(repository: Repository) -> None:
    (repository.folder / "readme.md").write_text(PLANTED["a GitHub token"], encoding="utf-8")
    assert "uncommitted readme.md: a GitHub token" in repository.searched()[1]
    repository.git("checkout", "readme.md")
    repository.commit("other.md", "harmless", f"Use {PLANTED['an npm token']}")
    assert "its message: an npm token" in repository.searched()[1]


def test_what_is_listed_as_invented_is_told_no_more(repository: Repository) -> None:
    token = PLANTED["a GitHub token"]
    repository.commit("token.txt", token)
    repository.commit(scanning.INVENTED, f"# Of a test.\n{scanning.fingerprint(token)} a token\n")
    assert repository.searched("--whole") == (0, "No secret in 3 commits.\n")


def test_a_clone_without_its_beginning_is_not_taken_for_a_whole_one(repository: Repository, tmp_path: Path) -> None:
    repository.commit("more.md", "more")
    repository.git("clone", "--quiet", "--depth", "1", f"file://{repository.folder}", str(tmp_path / "clone"))
    script = [sys.executable, str(tmp_path / "clone" / "scripts" / "secrets")]
    looked = subprocess.run(script, capture_output=True, text=True, check=False)
    assert looked.returncode == 0
    assert "only the latest history" in looked.stdout
    assert subprocess.run([*script, "--whole"], capture_output=True, check=False).returncode == 1
