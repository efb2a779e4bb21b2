"""Inserts rules into the text of a rules file, with the same layout as the existing rules."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from yaml.events import DocumentEndEvent

from firewall.edit import (
    TextEdit,
    document_meaning,
    list_meaning,
    mapping_meaning,
    rules_meaning,
    scalar_meaning,
)
from firewall.layout import INDENT, Layout, end_of_last, layout_of
from firewall.rule import FirewallRule, Flow
from firewall.rules_file import PlacedRule, RulesFile, is_plain_list, read_rules_file, refuse_form
from firewall.yaml_events import start_of
from firewall.yaml_node import YamlNode
from firewall.yaml_text import check_size

_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class Addition:
    """The result of adding rules to a rules file: the new text, the number of new rules, and existing rules that allow
    the same flows for other teams.
    """

    text: str
    added: int
    others: tuple[PlacedRule, ...]


def text_with(rules: Sequence[FirewallRule], text: str) -> Addition:
    """Add rules to a rules file, except rules that the file already contains, even in a different spelling."""
    file = read_rules_file(text)
    standing = file.flows()
    new = _missing(rules, standing)
    others = tuple(one for rule in rules for one in standing.get(rule.flow, ()) if one.team != rule.team)
    if not new:
        return Addition(text, 0, others)
    changed = _edit_adding(new, file).applied_to(file.tree.events)
    check_size(changed)
    return Addition(changed, len(new), others)


def _missing(rules: Sequence[FirewallRule], standing: Mapping[Flow, Sequence[PlacedRule]]) -> list[FirewallRule]:
    """The rules to add, each only once."""
    new: dict[tuple[str, Flow], FirewallRule] = {}
    for rule in rules:
        if not _is_there(rule, standing):
            new.setdefault((rule.team, rule.flow), rule)
    return list(new.values())


def _is_there(rule: FirewallRule, standing: Mapping[Flow, Sequence[PlacedRule]]) -> bool:
    return any(one.team == rule.team for one in standing.get(rule.flow, ()))


def _edit_adding(rules: Sequence[FirewallRule], file: RulesFile) -> TextEdit:
    if file.root is None:
        return _as_whole_document(rules, file)
    if file.key is None or file.rules is None:
        return _below_new_key(rules, file, file.root)
    if file.is_nothing(file.rules):
        return _as_first_rule(rules, file, file.key, file.rules)
    if not is_plain_list(file.rules):
        refuse_form(file.rules)
    return _after_last_rule(rules, file, file.rules)


def _after_last_rule(rules: Sequence[FirewallRule], file: RulesFile, there: YamlNode) -> TextEdit:
    layout = layout_of(file.text, there)
    index = _after_comments(file.text, end_of_last(there), layout.dash)
    before, after = file.text[:index], file.text[index:]
    return TextEdit(before, layout.lines(rules), after, file.tree.last_place(there), rules_meaning(rules, layout))


def _as_first_rule(rules: Sequence[FirewallRule], file: RulesFile, key: YamlNode, nothing: YamlNode) -> TextEdit:
    text = file.text
    layout = Layout.default(key.column + _indent_of(file))
    index = _after_comments(text, nothing.end, key.column)
    before = text[: nothing.start].rstrip() + text[nothing.end : index]
    meanings = list_meaning(rules_meaning(rules, layout))
    place = file.tree.first_place(nothing)
    replaced = file.tree.last_place(nothing) - place + 1
    return TextEdit(before, layout.lines(rules), text[index:], place, meanings, replaced)


def _below_new_key(rules: Sequence[FirewallRule], file: RulesFile, root: YamlNode) -> TextEdit:
    # The column where the entries of the mapping begin: the column of the first key or, if there is a `?`
    # before this key, the column of the `?`. A tag on the mapping is further to the right.
    column = min(root.column, root.children[0].column)
    layout = Layout.default(column + _indent_of(file))
    index = _end_of_document(file)
    lines = [" " * column + "rules:", *layout.lines(rules)]
    meanings = [scalar_meaning("rules"), *list_meaning(rules_meaning(rules, layout))]
    return TextEdit(file.text[:index], lines, file.text[index:], file.tree.last_place(root), meanings)


def _as_whole_document(rules: Sequence[FirewallRule], file: RulesFile) -> TextEdit:
    layout = Layout.default()
    lines = ["rules:", *layout.lines(rules)]
    meanings = mapping_meaning([scalar_meaning("rules"), *list_meaning(rules_meaning(rules, layout))])
    if file.tree.root is None:
        return TextEdit(file.text, ["---", *lines], "", 1, document_meaning(meanings))
    index, place = _end_of_document(file), file.tree.first_place(file.tree.root)
    return TextEdit(file.text[:index], lines, file.text[index:], place, meanings, replaced=1)


def _end_of_document(file: RulesFile) -> int:
    """The end of the document: the position of the `...` line or, if there is no such line, the end of the text."""
    end = file.tree.events[-2]
    return start_of(end).index if isinstance(end, DocumentEndEvent) and end.explicit else len(file.text)


def _indent_of(file: RulesFile) -> int:
    """The indentation that the file uses below top-level keys."""
    # Skip a value on the same line as the key, because an anchor or a tag before the value would distort the
    # indentation.
    pairs = file.root.pairs() if file.root else ()
    return next((value.column - key.column for key, value in pairs if value.is_block and value.line > key.line), INDENT)


def _after_comments(text: str, index: int, column: int) -> int:
    """Return the start of the next line, after any comments that are indented deeper than `column`."""
    # A comment that is indented deeper than the dash of a rule belongs to this rule. A comment with less indentation
    # may belong to the next rule.
    comment = re.compile(rf"(?: *(?:\r\n|\r|\n))* {{{column + 1},}}#[^\r\n]*(?:\r\n|\r|\n)?")
    index = _start_of_line_after(text, index)
    while found := comment.match(text, index):
        index = found.end()
    return index


def _start_of_line_after(text: str, index: int) -> int:
    if index and text[index - 1] in "\r\n":
        return index
    line_end = _LINE_END.search(text, index)
    return line_end.end() if line_end else len(text)
