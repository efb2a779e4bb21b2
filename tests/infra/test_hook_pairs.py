"""Each hook is there for both kinds of shell, and does the same in either."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Final

import pytest
import tree_sitter
import tree_sitter_powershell
import yaml

from tests.infra.deployed import INFRA

HOOKS: Final = INFRA / "hooks"


def test_each_hook_of_azure_yaml_is_there_for_both_shells() -> None:
    hooks = yaml.safe_load((INFRA.parent / "azure.yaml").read_text(encoding="utf-8"))["hooks"]
    named = {hook["posix"]["run"] for hook in hooks.values()} | {hook["windows"]["run"] for hook in hooks.values()}
    assert named == {str(path.relative_to(INFRA.parent)) for path in HOOKS.iterdir()}
    for hook in hooks.values():
        assert Path(hook["posix"]["run"]).stem == Path(hook["windows"]["run"]).stem


def test_what_the_last_hook_tells_stays_on_the_screen() -> None:
    hook = yaml.safe_load((INFRA.parent / "azure.yaml").read_text(encoding="utf-8"))["hooks"]["postdeploy"]
    assert hook["posix"]["interactive"] is hook["windows"]["interactive"] is True


@pytest.mark.parametrize("path", sorted(HOOKS.glob("*.ps1")), ids=lambda path: path.name)
def test_a_hook_for_powershell_is_powershell(path: Path) -> None:
    language = tree_sitter.Language(tree_sitter_powershell.language())
    assert not tree_sitter.Parser(language).parse(path.read_bytes()).root_node.has_error


@pytest.mark.parametrize("path", sorted(HOOKS.glob("*.sh")), ids=lambda path: path.stem)
def test_both_shells_call_the_same_things(path: Path) -> None:
    def calls(text: str) -> set[str]:
        return {f"{tool} {verb}" for tool, verb in _calls(text)}

    powershell = path.with_suffix(".ps1").read_text(encoding="utf-8")
    assert calls(path.read_text(encoding="utf-8")) == calls(powershell)


def _calls(text: str) -> list[tuple[str, str]]:
    code = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    words = " ".join(code).replace("(", " ").split()
    verbs = {"version", "account", "provider", "rest", "functionapp"}
    return [
        (one, other.strip(")")) for one, other in pairwise(words) if one in {"az", "azd"} and other.strip(")") in verbs
    ]
