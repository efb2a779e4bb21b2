"""Which tests `scripts/test quick` runs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from scripts.nearest_tests import Checkout, changed_files

ROOT = Path(__file__).resolve().parent.parent
FILES = {
    "ovens/heating.py": "def heat_the_oven() -> None: ...",
    "ovens/bread.yaml": "",
    "ovens/doors/hinges.py": "",
    "tests/ovens/test_heating.py": "",
    "tests/ovens/test_bread.py": "WHERE = 'bread.yaml'",
    "tests/fakes/oven.py": "from ovens import heating",
    "tests/test_baking.py": "from tests.fakes.oven import Oven",
    "tests/test_words.py": "TOOL = 'heat_the_oven'",
    "tests/test_apart.py": "",
}


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    git(tmp_path, "add", ".")
    git(tmp_path, "-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "--quiet", "--message=Begin")
    return Checkout(tmp_path)


def git(root: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(root), *arguments], check=True)


def test_namesakes_come_first_then_importing_then_mentioning_tests_then_neighbors(checkout: Checkout) -> None:
    assert checkout.nearest_tests(["ovens/heating.py"]) == [
        "tests/ovens/test_heating.py",
        "tests/test_baking.py",
        "tests/test_words.py",
        "tests/ovens/test_bread.py",
    ]


def test_a_test_is_nearest_to_itself_and_what_tests_share_to_those_who_use_it(checkout: Checkout) -> None:
    assert checkout.nearest_tests(["tests/test_words.py"])[0] == "tests/test_words.py"
    assert checkout.nearest_tests(["tests/fakes/oven.py"])[0] == "tests/test_baking.py"


def test_a_file_that_is_no_module_is_found_by_its_name(checkout: Checkout) -> None:
    assert checkout.nearest_tests(["ovens/bread.yaml"])[0] == "tests/ovens/test_bread.py"


def test_without_a_folder_of_tests_those_of_the_folder_above_are_near(checkout: Checkout) -> None:
    assert checkout.nearest_tests(["ovens/doors/hinges.py"]) == [
        "tests/ovens/test_bread.py",
        "tests/ovens/test_heating.py",
    ]


def test_what_is_committed_on_a_branch_or_new_has_changed_and_what_was_deleted_has_not(checkout: Checkout) -> None:
    assert changed_files(checkout.root) == []
    git(checkout.root, "switch", "--quiet", "--create", "branch")
    (checkout.root / "ovens/bread.yaml").write_text("rye: true")
    git(checkout.root, "rm", "--quiet", "ovens/doors/hinges.py")
    git(checkout.root, "-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-aqm", "Bake rye")
    (checkout.root / "ovens/new.py").touch()
    assert changed_files(checkout.root) == ["ovens/bread.yaml", "ovens/new.py"]


def test_every_module_of_the_app_has_tests_near_it() -> None:
    checkout = Checkout(ROOT)
    for module in (
        "changes/plan.py",
        "identity/seals.py",
        "mcp_server/http/ready_lists.py",
        "workspaces/git_client.py",
    ):
        assert checkout.nearest_tests([module])


def test_what_has_not_begun_in_time_is_skipped(tmp_path: Path) -> None:
    (tmp_path / "test_slow.py").write_text("def test_slow(): raise AssertionError")
    limits = ["-p", "scripts.time_limit", "--begin-until=1", "--rootdir", str(tmp_path)]
    command = [sys.executable, "-m", "pytest", "-q", *limits, str(tmp_path)]
    result = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert "1 skipped" in result.stdout
