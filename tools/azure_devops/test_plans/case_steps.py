"""Reads and writes the steps of a test case, which are stored in a work item field as XML with HTML."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape, unescape
from typing import Annotated, Final

from pydantic import BaseModel, Field

from text.markdown import to_markdown
from tools.azure_devops.shared.answers import Json, present

STEPS: Final = "Microsoft.VSTS.TCM.Steps"

# The HTML between these XML tags is escaped, so a match ends at the next tag and no text is scanned twice.
_PART: Final = re.compile(
    r"""<compref\b[^<>]*?\bref="(?P<shared>\d+)"
      | <parameterizedString\b[^<>]*+(?:(?<=/)>|>(?P<text>[^<]*+))""",
    re.VERBOSE | re.IGNORECASE,
)
# The pattern is compiled on first use, because it takes as long to compile as a hundred other patterns.
_NOT_IN_XML: Final = "[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"


class CaseStep(BaseModel):
    action: Annotated[str, Field(min_length=1)]
    expected: str = ""


def steps_as_xml(steps: Sequence[CaseStep]) -> str:
    # Ids of steps start at 2, because id 1 belongs to the element that contains the steps.
    written = "".join(_step(number, step) for number, step in enumerate(steps, 2))
    return f'<steps id="0" last="{len(steps) + 1}">{written}</steps>'


def shown_steps(xml: str) -> list[Json]:
    """Return the steps: a normal step as its action and expected result, a shared step as the id of its work item."""
    return list(_paired(_PART.finditer(xml)))


def _step(number: int, step: CaseStep) -> str:
    kind = "ValidateStep" if step.expected else "ActionStep"
    texts = _text(step.action) + _text(step.expected)
    return f'<step id="{number}" type="{kind}">{texts}<description/></step>'


def _text(text: str) -> str:
    # The text is never treated as HTML, because text that a tester types into a page can look like a tag.
    html = "<P>" + escape(re.sub(_NOT_IN_XML, "", text), quote=False).replace("\n", "<BR/>") + "</P>"
    return f'<parameterizedString isformatted="true">{escape(html)}</parameterizedString>'


def _paired(parts: Iterable[re.Match[str]]) -> Iterator[Json]:
    action: str | None = None
    for part in parts:
        if part["shared"]:
            yield {"sharedSteps": int(part["shared"])}
        elif action is None:
            action = _read(part)
        else:
            yield present({"action": action, "expected": _read(part)})
            action = None


def _read(part: re.Match[str]) -> str:
    return to_markdown(unescape(part["text"] or ""))
