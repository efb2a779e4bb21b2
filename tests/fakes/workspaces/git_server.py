"""A git server as others run it: `git http-backend`, with repositories in a folder."""

from __future__ import annotations

import asyncio
import atexit
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final

from aiohttp import web

from tests.fakes.serving import serving_locally

# Whatever is set up on this machine has no say.
ALONE: Final = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.net",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.net",
    "GIT_TERMINAL_PROMPT": "0",
    # Nothing here lives long enough to be tidied up, for which git starts a process after each commit and push.
    "GIT_CONFIG_COUNT": "3",
    "GIT_CONFIG_KEY_0": "maintenance.auto",
    "GIT_CONFIG_VALUE_0": "false",
    "GIT_CONFIG_KEY_1": "receive.autogc",
    "GIT_CONFIG_VALUE_1": "false",
    "GIT_CONFIG_KEY_2": "core.fsync",
    "GIT_CONFIG_VALUE_2": "none",
}
_BEGUN: Final = {"README.md": "# Shop\n", "src/app.py": "print('one')\n"}


def git(folder: Path, *words: str, content: bytes = b"") -> str:
    """What the git program prints."""
    done = subprocess.run(
        ["git", *words], cwd=folder, env={**os.environ, **ALONE}, input=content, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode(errors="surrogateescape").strip()


@dataclass
class GitServer:
    """`asked` has the method and path of each request; `signed_in` is the header that it wants."""

    folder: Path
    signed_in: str = ""
    url: str = ""
    asked: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    # The filters that clones may have, as Azure Repos has few; all, where none are named.
    filters: tuple[bytes, ...] = ()
    # Those that were asked for.
    filtered: list[bytes] = field(default_factory=list)

    @property
    def lowered(self) -> list[dict[str, str]]:
        return [{name.lower(): value for name, value in headers.items()} for headers in self.headers]

    def repository(self, name: str = "shop", files: dict[str, str] | None = None) -> Path:
        """A bare repository with one commit on main."""
        bare, work = self.folder / f"{name}.git", self.folder / f"{name}-work"
        begun = _begun(tuple((files or _BEGUN).items()))
        shutil.copytree(begun / "bare", bare)
        shutil.copytree(begun / "work", work)
        configuration = work / ".git" / "config"
        configuration.write_text(configuration.read_text().replace(str(begun / "bare"), str(bare)))
        return bare

    def commit(self, name: str, files: dict[str, str], message: str, branch: str = "main") -> str:
        """What somebody else commits and pushes."""
        work = self.folder / f"{name}-work"
        git(work, "fetch", "-q")
        if branch in git(work, "branch", "-r", "--format=%(refname:lstrip=3)").split():
            git(work, "checkout", "-q", "-B", branch, f"origin/{branch}")
        else:
            git(work, "checkout", "-q", "-B", branch)
        return _committed(work, files, message, branch)

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[GitServer]:
        app = web.Application(client_max_size=2**30)
        app.router.add_route("*", "/{path:.*}", self._answer)
        async with serving_locally(app) as self.url:
            yield self

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(f"{request.method} {request.path_qs}")
        self.headers.append(dict(request.headers))
        if self.signed_in and request.headers.get("Authorization") != self.signed_in:
            return web.Response(status=401, headers={"WWW-Authenticate": "Basic"})
        asked = re.findall(rb"filter (blob:[\w=]+|tree:\d+)", await request.read())
        self.filtered += asked
        if self.filters and set(asked) - {*self.filters}:
            refusal = b"ERR TF401021: The filter is not supported."
            body = b"%04x%s" % (len(refusal) + 4, refusal)
            return web.Response(body=body, content_type="application/x-git-upload-pack-result")
        variables = {
            **os.environ,
            **ALONE,
            "GIT_PROJECT_ROOT": str(self.folder),
            "GIT_HTTP_EXPORT_ALL": "1",
            "PATH_INFO": request.path,
            "QUERY_STRING": request.query_string,
            "REQUEST_METHOD": request.method,
            "CONTENT_TYPE": request.headers.get("Content-Type", ""),
            "HTTP_CONTENT_ENCODING": request.headers.get("Content-Encoding", ""),
            "GIT_PROTOCOL": request.headers.get("Git-Protocol", ""),
            "REMOTE_USER": "somebody",
            "REMOTE_ADDR": "127.0.0.1",
        }
        made = await asyncio.create_subprocess_exec(
            "git", "http-backend", env=variables, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
        )
        printed, _ = await made.communicate(await request.read())
        head, _, body = printed.partition(b"\r\n\r\n")
        headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
        status = int(headers.pop("Status", "200").split()[0])
        return web.Response(status=status, headers=headers, body=body)


@cache
def _begun(files: tuple[tuple[str, str], ...]) -> Path:
    """A repository with one commit, and a clone of it, to be copied: to make them, git starts dozens of processes."""
    folder = Path(tempfile.mkdtemp(prefix="begun-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    bare, work = folder / "bare", folder / "work"
    git(folder, "init", "-q", "--bare", "--template=", "-b", "main", str(bare))
    for setting in ("http.receivepack", "uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"):
        git(bare, "config", setting, "true")
    git(folder, "clone", "-q", "--template=", str(bare), str(work))
    git(work, "checkout", "-q", "-B", "main")
    _committed(work, dict(files), "Begin", "main")
    return folder


def _committed(work: Path, files: Mapping[str, str], message: str, branch: str) -> str:
    for path, content in files.items():
        place = work / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content, encoding="utf-8")
    git(work, "add", "-A")
    git(work, "commit", "-q", "-m", message)
    git(work, "push", "-q", "origin", branch)
    return git(work, "rev-parse", "HEAD")
