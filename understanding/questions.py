"""Detects whether a sentence is a question, in English, French, German, Spanish and Portuguese."""

from __future__ import annotations

import re
from typing import Final

from understanding.features import said, words_of

# Opening words, such as greetings, that are not part of the request or question.
_OPENINGS: Final = re.compile(
    r"(?:(?:hey|hi|hello|ok|so|and|but|please|pls|quick|bonjour|salut|hallo|hola|ola|bitte|svp|stp|por favor|merci"
    r"|quick question|question|tell me|let me know|do you know|do we know|i want to know|i need to know|i wonder"
    r"|i d like to know|any idea|remind me|dis moi|dites moi|sag mir|dime|me diga|diga me) )+"
)
_POLITE: Final = re.compile(
    r"(?:can|could|would|will) you |i (?:want|need|would like|d like) (?:you )?to |we (?:want|need|have) to "
    r"|help me |(?:peux tu|pouvez vous|pourrais tu|pourriez vous|tu peux|vous pouvez|je veux|je voudrais|il faut) "
    r"|(?:kannst du|konnen sie|konntest du|ich will|ich mochte) |(?:puedes|podrias|podemos|quiero|necesito|hay que) "
    r"|(?:pode|podes|podias|voce pode|podemos|quero|preciso) "
)
# A clause that begins with one of these words is a question, regardless of earlier clauses.
_LATER: Final = re.compile(r"[,;:.!] (?:what|who|why|how (?!to |do (?:i|we) ))\b", re.IGNORECASE)
_TO_ME: Final = re.compile(r"^(?:me|nous|mir|uns|nos) ")
_ASKING: Final = frozenset(
    (
        "what whats which who whos whom whose why when where wheres how is are was were did does do has have had any"
        " show list get find see view display look lookup search check count fetch browse print explain retrieve"
        " describe inspect compare summarize read know"
        " qui quoi quel quelle quels quelles quand pourquoi ou combien est qu montre montrer montrez liste"
        " lister affiche afficher cherche chercher trouve trouver voir verifie verifier lis y"
        " zeig zeige zeigen welche welcher welches wer wann warum wo wie wieviel was gibt lies suche finde hat ist"
        " sind prufe"
        " muestra muestrame mostrar ver cual cuales quien cuando donde hay busca buscar lista listar que como cuanto"
        " cuantos cuantas por comprueba"
        " mostra mostre quais qual quem quando onde ha busque procura procure liste quanto quantos quantas verifica"
        " existe tem"
    ).split()
)
# Matches questions that count as requests: "How do I rename it" asks for the tool that renames.
_NOT_ASKING: Final = re.compile(r"how (?:do|can|could|would|should) (?:i|we) |how to |get rid |wie kann (?:ich|man)")


def asks(sentence: str) -> bool:
    """Check whether a sentence asks only for information, as a question or as a request to show something."""
    words = _OPENINGS.sub("", f"{' '.join(words_of(said(sentence)))} ", count=1)
    polite = _POLITE.match(words)
    rest = _TO_ME.sub("", words[polite.end() :] if polite else words)
    first = rest.partition(" ")[0]
    if _NOT_ASKING.match(rest):
        return False
    return first in _ASKING or (not polite and sentence.rstrip().endswith("?")) or bool(_LATER.search(sentence))
