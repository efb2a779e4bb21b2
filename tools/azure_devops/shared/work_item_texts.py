"""The long texts of work items, stored as HTML or, if the service supports it, as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Final

from mcp_server.declarations.field import Field
from text.editing import edited
from text.html_to_markdown import faithful_markdown

DESCRIPTION: Final = "System.Description"
REPRODUCTION: Final = "Microsoft.VSTS.TCM.ReproSteps"
# Fields that contain HTML even without a leading tag, unless the work item marks them as Markdown.
TEXTS: Final = frozenset(
    {DESCRIPTION, REPRODUCTION, "Microsoft.VSTS.TCM.SystemInfo", "Microsoft.VSTS.Common.AcceptanceCriteria"}
)

IsMarkdown = Annotated[bool, Field(description="Store as Markdown")]

# Matches only HTML tags. Plain text such as `List<string>` and `<name>` would be lost if it were treated as tags.
_TAG: Final = re.compile(
    r"</?(?:a|b|blockquote|br|code|del|div|em|font|h[1-6]|hr|i|img|li|ol|p|pre|s|span|strong|su[bp]|table|tbody|td|th"
    r"|thead|tr|u|ul)(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
_CODE: Final = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Stored:
    """The fields of a work item, and the formats of its texts. Older servers do not report the formats."""

    fields: Mapping[str, Any] = field(default_factory=dict)
    formats: Mapping[str, str] | None = None

    @classmethod
    def of(cls, item: Mapping[str, Any]) -> Stored:
        return cls(item["fields"], item.get("multilineFieldsFormat"))

    def text(self, name: str) -> str:
        return str(self.fields.get(name) or "")

    def is_markdown(self, name: str) -> bool:
        return str((self.formats or {}).get(name)).lower() == "markdown"

    def shown(self, name: str) -> str:
        """Return the text as Markdown."""
        return self.text(name) if self.is_markdown(name) else faithful_markdown(self.text(name))


def text_operations(stored: Stored, name: str, text: str, *, is_markdown: bool) -> Iterator[dict[str, Any]]:
    """Yield the operations that set a text, in the format in which the field is stored. If the text does not change,
    yield no operations.
    """
    is_html = not is_markdown and not stored.is_markdown(name) and bool(_TAG.search(_CODE.sub("", text)))
    is_new = not stored.text(name)
    as_markdown = stored.is_markdown(name) or (is_new and is_markdown and stored.formats is not None)
    is_kept = as_markdown or is_html or not text.strip()
    value = text if is_kept else edited(stored.text(name), text)
    if is_new or value != stored.text(name):
        yield {"op": "add", "path": f"/fields/{name}", "value": value}
        if as_markdown:
            yield {"op": "add", "path": f"/multilineFieldsFormat/{name}", "value": "Markdown"}
