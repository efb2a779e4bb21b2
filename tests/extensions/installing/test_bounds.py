"""The last that is allowed passes, and the first that is not is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from extensions.installing import downloading
from extensions.installing.downloading import Downloads
from extensions.installing.unpacking import NotUnpackedError, parts_of
from refusal import Refusal


@pytest.mark.parametrize(
    "name",
    [
        f"{'a' * 199}/{'b' * 199}/{'c' * 100}",
        "/".join("a" * 20),
        "a" * 200,
        "ä" * 100,
        "./a//b/",
        "a..b/...",
    ],
)
def test_a_file_in_an_archive_has_a_short_name_and_few_folders(name: str) -> None:
    assert parts_of(name) == [part for part in name.split("/") if part not in ("", ".")]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (f"{'a' * 199}/{'b' * 199}/{'c' * 101}", "is not a valid file name"),
        ("/".join("a" * 21), "is not a valid file name"),
        ("a" * 201, "is not a valid file name"),
        ("ä" * 101, "is not a valid file name"),
        ("a\\b", "is not a valid file name"),
        ("a\nb", "is not a valid file name"),
        ("/a", "points outside its folder"),
        ("a/../b", "points outside its folder"),
        ("..", "points outside its folder"),
    ],
)
def test_another_name_is_not_unpacked(name: str, said: str) -> None:
    with pytest.raises(NotUnpackedError, match=said):
        parts_of(name)


@pytest.mark.parametrize(
    ("url", "session"),
    [
        ("https://files.example.com/a.zip", "public"),
        ("https://10.1.0.4/a.zip", "private"),
        ("https://files.example.com:8443/a.zip", "private"),
    ],
)
async def test_only_for_an_origin_of_the_operator_may_a_name_lead_to_a_private_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str, session: str
) -> None:
    def opened(name: str) -> None:
        raise Refusal(name)

    monkeypatch.setattr(downloading, "public_session", lambda: opened("public"))
    monkeypatch.setattr(downloading, "session_over", lambda _: opened("private"))
    downloads = Downloads(("https://10.1.0.4", "https://files.example.com:8443"))
    with pytest.raises(Refusal, match=f"^{session}$"):
        await downloads.into(tmp_path / "a.zip", url)
