"""Going through the words of a query."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.fakes.azure.graph.words import Kind, QueryError, Word, place_of, words_of


@dataclass
class Reading:
    query: str
    words: list[Word] = field(init=False)
    at: int = 0

    def __post_init__(self) -> None:
        self.words = words_of(self.query)

    @property
    def now(self) -> Word:
        return self.words[self.at]

    def step(self) -> Word:
        word = self.now
        if word.kind is not Kind.END:
            self.at += 1
        return word

    def takes(self, text: str) -> bool:
        """Go on where this word stands here, which is no text in quotes."""
        if self.now.text != text or self.now.kind in {Kind.TEXT, Kind.END}:
            return False
        self.at += 1
        return True

    def demand(self, text: str) -> None:
        if not self.takes(text):
            raise self.failure(self.now)

    def name(self) -> str:
        word = self.step()
        if word.kind is not Kind.NAME:
            raise self.failure(word)
        return word.text

    def operator(self) -> Word:
        """A name that may have a hyphen, as `mv-expand`."""
        first = self.step()
        if first.kind is not Kind.NAME:
            raise self.failure(first)
        text = first.text
        while self.now.text == "-" and self.words[self.at + 1].kind is Kind.NAME:
            self.step()
            text += f"-{self.step().text}"
        return Word(Kind.NAME, text, first.at)

    @property
    def is_over(self) -> bool:
        return self.now.kind is Kind.END

    def failure(self, word: Word) -> QueryError:
        return QueryError("ParserFailure", "ParserFailure", place_of(self.query, word))
