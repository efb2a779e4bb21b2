"""Files that only other programs read have the form that these expect."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from jsonschema import Draft202012Validator

from app.build import VERSION
from scripts import packaging
from tests.infra.deployed import INFRA
from tools import PROVIDERS

ROOT: Final = INFRA.parent
SCHEMAS: Final = Path(__file__).parent / "schemas"
WORKFLOWS: Final = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
# Commits that were looked up in the repositories of these actions.
ACTIONS: Final = {
    "actions/checkout": "11bd71901bbe5b1630ceea73d27597364c9af683",
    "actions/setup-node": "49933ea5288caeca8642d1e84afbd3f7d6820020",
    "actions/setup-python": "a26af69be951a213d495a4c3e4e4022e16d87065",
    "Azure/setup-azd": "0b7e3a35ab00f2eee7080c845eb39c3f0ebfa553",
}


@pytest.mark.parametrize("name", ["azure.yaml", "host.json", "server.json"])
def test_a_file_keeps_to_its_schema(name: str) -> None:
    schema = json.loads((SCHEMAS / (name if name.endswith(".json") else f"{name}.json")).read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    content = yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))
    assert [error.message for error in Draft202012Validator(schema).iter_errors(content)] == []


@pytest.mark.parametrize(
    ("schema", "files"),
    [
        ("github-workflows", WORKFLOWS),
        ("dependabot", [ROOT / ".github" / "dependabot.yml"]),
        ("github-issue-forms", sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("[!c]*.yml"))),
    ],
    ids=["workflows", "dependabot", "issue forms"],
)
def test_files_for_github_keep_to_its_schemas(schema: str, files: list[Path]) -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}", *map(str, files)]
    checked = subprocess.run(command, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout


# Workflows


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_every_action_is_pinned_to_a_commit_that_was_looked_up(path: Path) -> None:
    used = re.findall(r"uses: (\S+)@(\S+) # v\d+\.\d+\.\d+\n", path.read_text(encoding="utf-8"))
    assert len(used) == path.read_text(encoding="utf-8").count("uses:")
    assert [(name, commit) for name, commit in used if ACTIONS.get(name) != commit] == []


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_may_do_no_more_than_its_jobs_say(path: Path) -> None:
    workflow = _yaml(path)
    assert workflow["permissions"] == {}
    granted = {job: entry.get("permissions", {}) for job, entry in workflow["jobs"].items()}
    for permissions in granted.values():
        assert permissions in ({}, {"contents": "read"}, {"contents": "read", "id-token": "write"})
    assert [job for job, permissions in granted.items() if "id-token" in permissions] in (
        [],
        ["preview", "preview-with-approval", "deploy", "deploy-with-approval"],
    )


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_nothing_that_others_write_is_put_into_a_shell(path: Path) -> None:
    for job in _yaml(path)["jobs"].values():
        for step in job["steps"]:
            filled = re.findall(r"\$\{\{(.*?)\}\}", step.get("run", ""))
            assert [inner for inner in filled if "needs." not in inner] == []
            assert step.get("with", {}).get("persist-credentials", True) is False or "checkout" not in step.get(
                "uses", ""
            )


def test_the_pipeline_signs_in_without_a_secret_and_gives_every_secret_setting() -> None:
    text = (ROOT / ".github" / "workflows" / "azure-dev.yml").read_text(encoding="utf-8")
    assert "azd auth login" in text
    assert "--federated-credential-provider github" in text
    assert "azure/login" not in text
    secrets = set(re.findall(r"\$\{\{ secrets\.(\w+) \}\}", text))
    document = (
        (ROOT / "docs" / "deploying.md").read_text(encoding="utf-8").partition("## Secrets")[2].partition("\n## ")[0]
    )
    assert secrets | {"MCP_REQUEST_STATE_KEY"} == set(re.findall(r"^\| `([A-Z_]+)`", document, re.MULTILINE))


def test_the_pipeline_signs_in_as_what_azd_registers_unless_an_environment_is_named() -> None:
    """That is a branch and a pull request: a job of an environment, or a run from a tag, is somebody else."""
    text = (ROOT / ".github" / "workflows" / "azure-dev.yml").read_text(encoding="utf-8")
    jobs = yaml.safe_load(text)["jobs"]
    for job, variable in (("deploy", "DEPLOYMENT_ENVIRONMENT"), ("preview", "PREVIEW_ENVIRONMENT")):
        without, approved = jobs[job], jobs[f"{job}-with-approval"]
        # Nobody says what a job with an empty environment is, so one of two runs.
        assert "environment" not in without
        assert approved["environment"] == f"${{{{ vars.{variable} }}}}"
        assert approved["if"] == without["if"].replace(f"vars.{variable} == ''", f"vars.{variable} != ''")
        assert (approved["steps"], approved["permissions"]) == (without["steps"], without["permissions"])
    document = (ROOT / "docs" / "deploying.md").read_text(encoding="utf-8").partition("## From a pipeline")[2]
    for variable in ("DEPLOYMENT_ENVIRONMENT", "PREVIEW_ENVIRONMENT", "PREVIEW_PULL_REQUESTS"):
        assert f"`{variable}`" in document
    checkout = jobs["deploy"]["steps"][0]["with"]
    assert checkout["ref"] == "${{ inputs.release || github.ref }}"
    assert "  workflow_dispatch:\n    inputs:\n      release:\n" in text


def test_a_pull_request_is_shown_what_it_would_change_and_changes_nothing() -> None:
    jobs = _yaml(ROOT / ".github" / "workflows" / "azure-dev.yml")["jobs"]
    previewed, deployed = (
        [step["run"] for step in jobs[job]["steps"] if "run" in step] for job in ("preview", "deploy")
    )
    assert [command for command in previewed if command.startswith("azd ") and " auth " not in command] == [
        'azd provision --preview --no-prompt | tee -a "$GITHUB_STEP_SUMMARY"'
    ]
    assert previewed[:2] == deployed[:2]
    assert "github.event_name != 'pull_request' && " in jobs["deploy"]["if"]
    assert "secrets." not in yaml.safe_dump(jobs["preview"])


def test_a_pull_request_of_a_fork_gets_no_rights_in_azure() -> None:
    preview = _yaml(ROOT / ".github" / "workflows" / "azure-dev.yml")["jobs"]["preview"]
    assert "github.event.pull_request.head.repo.full_name == github.repository" in preview["if"]
    assert "vars.PREVIEW_PULL_REQUESTS == 'true'" in preview["if"]
    assert "pull_request_target" not in (ROOT / ".github" / "workflows" / "azure-dev.yml").read_text(encoding="utf-8")


def test_a_preview_that_fails_fails_its_job() -> None:
    """Without a named shell, what comes after a pipe decides alone."""
    steps = _yaml(ROOT / ".github" / "workflows" / "azure-dev.yml")["jobs"]["preview"]["steps"]
    assert [step.get("shell") for step in steps if " | tee " in step.get("run", "")] == ["bash"]


def test_the_pipeline_asks_bicep_itself() -> None:
    """The one that azd brings; its exit code tells of errors only."""
    checks = _yaml(ROOT / ".github" / "workflows" / "checks.yml")
    commands = [step.get("run", "") for step in checks["jobs"]["bicep"]["steps"]]
    assert "az bicep install --version v0.45.15" in commands
    assert [command for command in commands if command.startswith("az bicep build --file infra/main.bicep")]
    assert "~/.azure/bin/bicep lint infra/main.bicep --diagnostics-format sarif > lint.sarif" in commands
    assert set(checks["jobs"]["required"]["needs"]) == set(checks["jobs"]) - {"required"}
    assert checks["jobs"]["required"]["steps"][0]["run"].count("success") == len(checks["jobs"]) - 1


@pytest.mark.skipif(shutil.which("jq") is None, reason="there is no jq")
@pytest.mark.parametrize(("results", "passes"), [([], True), ([{"ruleId": "BCP037", "level": "warning"}], False)])
def test_a_warning_of_bicep_fails_the_pipeline(results: list[dict[str, str]], passes: bool, tmp_path: Path) -> None:
    checks = _yaml(ROOT / ".github" / "workflows" / "checks.yml")
    commands = [step.get("run", "") for step in checks["jobs"]["bicep"]["steps"]]
    (judge,) = (command for command in commands if command.startswith("jq "))
    (tmp_path / "lint.sarif").write_text(json.dumps({"runs": [{"results": results}]}), encoding="utf-8")
    assert (subprocess.run(shlex.split(judge), cwd=tmp_path, check=False).returncode == 0) is passes


# What the app, the templates and the listings say of each other


def test_azd_finds_the_app_by_the_name_of_the_service() -> None:
    services = _yaml(ROOT / "azure.yaml")["services"]
    assert list(services) == ["api"]
    assert "'azd-service-name': 'api'" in (INFRA / "modules" / "app.bicep").read_text(encoding="utf-8")


def test_azd_restore_installs_what_the_app_needs() -> None:
    """Of a pyproject.toml, it would install the project itself, which is no package."""
    command = (sys.executable, "-m", "pip", "install", "--dry-run", "--no-index", "--disable-pip-version-check")
    assert not (ROOT / "pyproject.toml").exists()
    done = subprocess.run([*command, "-r", "requirements.txt"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Would install" not in done.stdout


@pytest.mark.parametrize("name", ["main_env/lib/python3.13/site-packages/mcp.py", ".env", ".env.local", ".venv/x.py"])
def test_what_azd_or_a_developer_leaves_in_the_folder_is_not_sent(name: str, tmp_path: Path) -> None:
    """`azd restore` makes an environment whose name is the folder's, with `_env` at the end."""
    shutil.copy(ROOT / ".funcignore", tmp_path)
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text("", encoding="utf-8")
    assert list(packaging.sent_files(tmp_path)) == []


def test_the_version_is_one() -> None:
    assert json.loads((ROOT / "server.json").read_text(encoding="utf-8"))["version"] == VERSION
    assert _yaml(ROOT / "azure.yaml")["metadata"]["template"].rpartition("@")[2] == VERSION


def test_the_variables_of_the_listed_address_are_explained() -> None:
    for remote in json.loads((ROOT / "server.json").read_text(encoding="utf-8"))["remotes"]:
        assert set(re.findall(r"\{(\w+)\}", remote["url"])) == set(remote.get("variables", {}))


def test_the_roles_of_the_registration_are_those_of_the_roles_file() -> None:
    given = set(
        re.findall(r"\{ name: '(\w+)', description:", (INFRA / "modules" / "entra.bicep").read_text(encoding="utf-8"))
    )
    assert given == set(_yaml(ROOT / "roles.yaml")["roles"])


def test_the_sync_that_a_hook_starts_is_a_function_of_the_app() -> None:
    hook = (INFRA / "hooks" / "after_deploying.py").read_text(encoding="utf-8")
    (name,) = re.findall(r"/admin/functions/(\w+)", hook)
    assert name in {job.name for provider in PROVIDERS for job in provider.jobs}


# The gallery of azd templates, whose validator looks for these


def test_the_readme_has_the_headings_of_the_gallery() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for heading in ("Features", "Getting Started", "Guidance", "Resources"):
        assert f"\n## {heading}\n" in text


@pytest.mark.parametrize(
    "name",
    [
        ".devcontainer",
        ".github/ISSUE_TEMPLATE",
        ".github/workflows/azure-dev.yml",
        "CODE_OF_CONDUCT.md",
        "CONTRIBUTING.md",
        "LICENSE",
        "README.md",
        "SECURITY.md",
        "azure.yaml",
        "infra/main.bicep",
    ],
)
def test_what_the_gallery_looks_for_is_there(name: str) -> None:
    assert (ROOT / name).exists()


def test_the_devcontainer_has_what_a_deployment_takes() -> None:
    container = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text(encoding="utf-8"))
    features = " ".join(container["features"])
    assert "azure-cli" in features
    assert "azure-dev/azd" in features
    assert "3.13" in container["image"]


def _yaml(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return content
