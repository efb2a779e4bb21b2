"""Which tests execute which lines, as `scripts/mutants` needs to know."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from scripts.mutating import Mutant
from scripts.nearest_tests import Checkout
from scripts.sampling_mutants import Choice, Sampling
from scripts.tests_by_line import EarlierLines, LineMap, recorded

ROOT = Path(__file__).resolve().parent.parent
OVEN = """\
HOTTEST = 250
def heated(degrees):
    if degrees > HOTTEST:
        return HOTTEST
    return degrees
def cleaned():
    return True
"""
FILES = {
    "ovens/heating.py": OVEN,
    "tests/test_baking.py": "from ovens.heating import heated\ndef test_bread(): assert heated(200) == 200\n",
    "tests/test_burning.py": """\
from threading import Thread
from ovens.heating import heated
def test_toast():
    thread = Thread(target=heated, args=[300])
    thread.start()
    thread.join()
""",
    "tests/test_apart.py": "def test_nothing(): pass\n",
    "tests/test_broken.py": "from ovens.heating import heated\ndef test_cake(): assert heated(180) == 0\n",
}


@pytest.fixture(scope="module")
def kitchen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kitchen")
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    (folder / "pytest.ini").write_text("[pytest]\npythonpath = .\n")
    (folder / "scripts").mkdir()
    shutil.copy(ROOT / "scripts/tests_by_line.py", folder / "scripts")
    shutil.copy(ROOT / "scripts/forking.py", folder / "scripts")
    return folder


@pytest.fixture(scope="module")
def lines(kitchen: Path) -> LineMap:
    return recorded(kitchen, kitchen / "lines", 2, ["-p", "no:cacheprovider", "-p", "no:hypothesispytest"])


@pytest.mark.parametrize(
    ("line", "tests"),
    [
        (4, ["test_burning"]),
        (5, ["test_baking"]),
        (3, ["test_baking", "test_burning"]),
    ],
)
def test_a_line_is_tried_by_the_test_files_that_execute_it(lines: LineMap, line: int, tests: list[str]) -> None:
    assert sorted(lines.tests_of("ovens/heating.py", line)) == [f"tests/{name}.py" for name in tests]


def test_a_line_that_is_executed_on_import_is_tried_by_all_that_execute_the_file(lines: LineMap) -> None:
    assert sorted(lines.tests_of("ovens/heating.py", 1)) == ["tests/test_baking.py", "tests/test_burning.py"]


def test_a_line_that_no_test_executes_is_known_as_such(lines: LineMap) -> None:
    assert lines.tests_of("ovens/heating.py", 7) == []
    assert lines.tests_of("ovens/doors.py", 1) == []


def test_a_test_that_fails_without_a_fault_tries_none(lines: LineMap) -> None:
    assert set(lines.failed) == {"tests/test_broken.py"}
    assert "tests/test_broken.py" not in lines.tests_of("ovens/heating.py", 3)


def test_a_finished_map_is_read_again(kitchen: Path, lines: LineMap) -> None:
    assert LineMap.read(kitchen / "lines") == lines


@pytest.fixture
def checkout(kitchen: Path, tmp_path: Path) -> Checkout:
    """A test was written since the map was made."""
    copy = shutil.copytree(kitchen, tmp_path / "kitchen")
    (copy / "tests/ovens").mkdir()
    (copy / "tests/ovens/test_heating.py").touch()
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.com"]
    for arguments in (["init", "--quiet"], ["add", "."], [*identity, "commit", "--quiet", "--message=Begin"]):
        subprocess.run(["git", "-C", str(copy), *arguments], check=True)
    return Checkout(copy)


def test_the_nearest_come_first_and_new_tests_are_tried_too(checkout: Checkout, lines: LineMap) -> None:
    mutant = Mutant("ovens/heating.py", 4, 0, 0, "")
    choice = Choice(checkout, lines, 5)
    assert choice.tests(mutant) == ["tests/ovens/test_heating.py", "tests/test_burning.py"]
    assert choice.survival(mutant) == "SURVIVED"
    assert Choice(checkout, lines, 1).tests(mutant) == ["tests/ovens/test_heating.py"]


def test_a_line_that_only_other_processes_execute_is_tried_by_the_nearest(checkout: Checkout, lines: LineMap) -> None:
    nothing = LineMap({}, {}, lines.seconds, lines.failed)
    choice, mutant = Choice(checkout, nothing, 5), Mutant("ovens/heating.py", 7, 0, 0, "")
    assert choice.tests(mutant) == ["tests/ovens/test_heating.py", "tests/test_baking.py", "tests/test_burning.py"]
    assert choice.survival(mutant) == "SURVIVED (not executed)"


def test_a_sample_is_tried_with_a_map_of_its_own(checkout: Checkout, capfd: pytest.CaptureFixture[str]) -> None:
    shutil.copy(ROOT / "scripts/time_limit.py", checkout.root / "scripts")
    (checkout.root / "ovens/heating.py").write_text("def heated(degrees):\n    return degrees\n")
    sampling = Sampling(checkout.root, ["ovens"], 5, 0, 1, 5, checkout.root / "lines of this commit")
    assert sampling.run() == 1.0
    told = capfd.readouterr().out.splitlines()
    assert told[0] == "1/1 killed   ovens/heating.py:2: return degrees -> return None"
    assert told[1].startswith("1 of 1 ")
    assert (checkout.root / "ovens/heating.py").read_text().endswith("return degrees\n")


def test_lines_that_moved_since_the_map_was_made_are_found_again(checkout: Checkout, lines: LineMap) -> None:
    (checkout.root / "ovens/heating.py").write_text(f"# Degrees\n{OVEN}".replace("    return True", "    return False"))
    earlier = EarlierLines(checkout.root, "HEAD")
    assert [earlier.of("ovens/heating.py", line) for line in range(1, 9)] == [0, 1, 2, 3, 4, 5, 6, 6]
    assert "tests/test_burning.py" in Choice(checkout, lines, 5).tests(Mutant("ovens/heating.py", 5, 0, 0, ""))
    (checkout.root / "ovens/timing.py").write_text("MINUTES = 5\n")
    assert earlier.of("ovens/timing.py", 1) == 0
