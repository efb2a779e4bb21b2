"""The tool that translates a text."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Annotated, Any, Final, Literal

from clients.azure_translator import Detected, Language, Translator
from mcp_server.calls.sampling import can_ask_model
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from mcp_server.protocol.results import InputRequired
from mcp_server.visit import Context
from refusal import Refusal
from tools.translation.access import TRANSLATION
from tools.translation.by_model import LONGEST_FOR_A_MODEL, by_model
from tools.translation.by_service import by_service
from tools.translation.opening import Translation
from tools.translation.settings import ABSENT
from translating.text import TranslatableText

part = Part()

LONGEST_TEXT: Final = 100_000
_SECONDS: Final = 120.0
# Matches only language names and codes, so that no other text gets into the instructions for a model.
_LANGUAGE: Final = re.compile(r"[^\W\d_](?:[^\W_]|[ -]){1,39}")
_IN_PIECES: Final = (
    "{count} of {all} parts were translated in pieces to keep protected text in place: check their wording."
)
_NO_FORMALITY: Final = (
    "Azure Translator (v3.0) does not support formality, so nothing was translated. Leave out `formality`, or call"
    " from a client that offers a model."
)

Json = dict[str, Any]
LanguageText = Annotated[str, Field(min_length=2, max_length=40, description="Such as en, fr, zh-Hans or French")]
Formality = Annotated[Literal["formal", "informal"] | None, Field(description="Only if a client's model translates")]


@part.tool(Access.READ, harmless=("source_lang", "target_lang", "formality"), seconds=_SECONDS)
async def translate(
    context: Context,
    text: Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT, description="Text or Markdown")],
    target_lang: LanguageText,
    source_lang: Annotated[LanguageText | None, Field(description="Default: detected")] = None,
    formality: Formality = None,
) -> Json | InputRequired:
    """Translate text, e.g. English to French. Keeps code, placeholders, links, Markdown, glossary terms."""
    # The service is not injected, because injection does not work in tools that send requests to the client while they
    # run.
    here = await _here(context)
    if (here.translator is None or formality) and can_ask_model(context):
        return await _by_model(context, here, text, target_lang, source_lang, formality)
    if here.translator is None:
        raise Refusal(ABSENT)
    if formality:
        raise Refusal(_NO_FORMALITY)
    return await _by_service(here, here.translator, text, target_lang, source_lang)


async def _here(context: Context) -> Translation:
    return await TRANSLATION.of(context)


async def _by_service(
    here: Translation, translator: Translator, text: str, target_lang: str, source_lang: str | None
) -> Json:
    known = await translator.languages()
    target = _language_code("target_lang", target_lang, known)
    plain = await asyncio.to_thread(TranslatableText.of, text)
    if not plain.asked:
        return _answer(text, None, source_lang, target, "The text has no words to translate.")
    given = _language_code("source_lang", source_lang, known) if source_lang else None
    source = Detected(given, None) if given else await _detected(translator, plain, known)
    if source.code.lower() == target.lower():
        return _answer(text, source.score, source.code, target, "The text is already in this language.")
    terms = here.glossary.of(source.code, target)
    # Process the text in a thread, so that other requests continue in the meantime.
    whole = await asyncio.to_thread(TranslatableText.of, text, terms) if terms.by_term else plain
    made, lost = await by_service(whole, translator, source.code, target)
    return _answer(
        made, source.score, source.code, target, _IN_PIECES.format(count=lost, all=len(whole.asked)) if lost else ""
    )


async def _by_model(
    context: Context, here: Translation, text: str, target_lang: str, source_lang: str | None, formality: str | None
) -> Json | InputRequired:
    _check_for_model(text, target_lang, source_lang or target_lang)
    whole = await asyncio.to_thread(TranslatableText.of, text, here.glossary.of(source_lang or "", target_lang))
    made = await by_model(context, whole, source_lang, target_lang, formality) if whole.asked else text
    if isinstance(made, InputRequired):
        return made
    return _answer(made, None, source_lang, target_lang, by="the model of your client")


def _check_for_model(text: str, target_lang: str, source_lang: str) -> None:
    if len(text) > LONGEST_FOR_A_MODEL:
        raise Refusal(
            f"A client's model can translate up to {LONGEST_FOR_A_MODEL} characters at once; the text is {len(text)}"
            " characters long."
        )
    for name, language in (("target_lang", target_lang), ("source_lang", source_lang)):
        if not _LANGUAGE.fullmatch(language):
            raise Refusal(f"{name} must be a language, for example fr or French.")


async def _detected(translator: Translator, text: TranslatableText, known: Mapping[str, Language]) -> Detected:
    """Detect the language of a text, ignoring code and other protected passages."""
    found = await translator.detected(" ".join(word for place in text.asked for word in text.segments[place].words))
    if found.code.lower() not in known:
        raise Refusal(f"Azure Translator detected {found.code!r}, which it cannot translate. Pass source_lang.")
    return found


def _answer(
    text: str, confidence: float | None, source: str | None, target: str, note: str = "", by: str = "Azure Translator"
) -> Json:
    told = {"translated_text": text, "confidence": confidence, "source_lang": source, "target_lang": target}
    return {**told, "translated_by": by, **({"note": note} if note else {})}


def _language_code(parameter: str, text: str, known: Mapping[str, Language]) -> str:
    """Return the code of a language, given the code, the English name, or the name in the language itself."""
    wanted = text.strip().lower()
    if wanted in known:
        return known[wanted].code
    by_name = {name.lower(): one.code for one in known.values() for name in (one.own_name, one.name)}
    if wanted in by_name:
        return by_name[wanted]
    begins = [one.code for code, one in known.items() if code.startswith(f"{wanted}-")]
    close = begins or [by_name.get(one, one) for one in get_close_matches(wanted, [*known, *by_name], n=3)]
    likely = ", ".join(dict.fromkeys(close or ["en", "fr"]))
    raise Refusal(f"{parameter} is not one of the {len(known)} supported languages. Closest: {likely}.")
