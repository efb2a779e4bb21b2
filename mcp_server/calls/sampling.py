"""Lets a tool send questions to the model in the caller's client, if the client supports sampling.

Sampling is deprecated in the current protocol. The server uses sampling only if the request declares support for
sampling, and all tools must work without it. The model's answers are untrusted, so no decision depends on them alone.
"""

from __future__ import annotations

import json
import zlib
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Final

from identity.access import Access
from mcp_server.protocol.results import InputRequired, Json, text
from mcp_server.visit import Context
from mcp_server.wording import speakable
from refusal import Refusal

MOST_QUESTIONS: Final = 20
LONGEST_QUESTION: Final = 100_000
LONGEST_OF_A_TOKEN: Final = 8
# The maximum total length of the answers to a call's questions. The client sends all of them with the last answer.
LONGEST_ANSWERS: Final = 200_000
_CUT_OFF: Final = "maxTokens"


@dataclass(frozen=True, slots=True)
class ModelQuestion:
    system: str
    text: str
    most_tokens: int

    def __post_init__(self) -> None:
        if len(self.system) + len(self.text) > LONGEST_QUESTION:
            raise Refusal(f"The text exceeds the limit of {LONGEST_QUESTION} characters for a client's model.")

    @property
    def name(self) -> str:
        """A unique name for the question, so that an answer cannot be used for another question."""
        asked = json.dumps([self.system, self.text, self.most_tokens])
        return f"model-{sha256(asked.encode()).hexdigest()[:32]}"

    @property
    def request(self) -> Json:
        said = {"role": "user", "content": text(speakable(self.text))}
        params = {"messages": [said], "systemPrompt": speakable(self.system), "maxTokens": self.most_tokens}
        return {"method": "sampling/createMessage", "params": params}

    @property
    def longest_answer(self) -> int:
        return self.most_tokens * LONGEST_OF_A_TOKEN


def can_ask_model(context: Context) -> bool:
    """Whether this call may send questions to the client's model.

    Calls that change something must not ask the model, because the client would have to repeat the call with the
    answer.
    """
    if context.calling is None or context.calling.own_access is not Access.READ:
        return False
    return context.client.declared("sampling") is not None


async def ask_model(context: Context, *, system: str, text: str, most_tokens: int) -> str | InputRequired:
    """Return the answer from the client's model. If the model has not been asked yet, return the question for the
    client.

    The context must be the tool's only injected parameter, because the SDK would ask the client for all other
    parameters.

    Raises:
        Refusal: The client's model cannot be asked, or its answer is invalid.
    """
    answers = await ask_model_each(context, [ModelQuestion(system, text, most_tokens)])
    return answers if isinstance(answers, InputRequired) else answers[0]


async def ask_model_each(context: Context, questions: Sequence[ModelQuestion]) -> list[str] | InputRequired:
    """Send several questions together, because clients repeat a call only about ten times."""
    if not can_ask_model(context):
        raise Refusal("Your client does not let tools ask its model.")
    if len(questions) > MOST_QUESTIONS:
        raise Refusal(
            f"A client's model can get at most {MOST_QUESTIONS} questions at the same time, not {len(questions)}."
        )
    talk = _Talk.carried(context.state).with_answers(context.answers)
    context.visit.trace.asked_model += len({question.name for question in questions})
    missing = [question for question in questions if question.name not in talk.answers]
    return talk.asking(missing) if missing else [talk.answers[question.name] for question in questions]


@dataclass(frozen=True, slots=True)
class _Talk:
    """The questions and answers of a call.

    The questions and answers are encrypted, so that they are valid only for the same caller, tool and arguments.
    """

    # The maximum length of the answer to each question, by the question's name.
    asked: Mapping[str, int]
    answers: Mapping[str, str]

    @classmethod
    def carried(cls, state: str | None) -> _Talk:
        return cls(**json.loads(zlib.decompress(b64decode(state)))) if state else cls({}, {})

    def with_answers(self, responses: Mapping[str, Json]) -> _Talk:
        """A copy with the new answers. Answers to unknown questions are ignored."""
        new = {name: _text_of(responses[name], longest) for name, longest in self.asked.items() if name in responses}
        answers = {**self.answers, **new}
        if sum(map(len, answers.values())) > LONGEST_ANSWERS:
            raise Refusal(f"The answers from your client's model exceed {LONGEST_ANSWERS} characters. Ask for less.")
        return _Talk(self.asked, answers)

    def asking(self, missing: Sequence[ModelQuestion]) -> InputRequired:
        asked = {question.name: question.longest_answer for question in missing}
        talk = _Talk({**self.asked, **asked}, self.answers)
        state = b64encode(zlib.compress(json.dumps(asdict(talk)).encode())).decode()
        return InputRequired({question.name: question.request for question in missing}, state)


def _text_of(response: Json, longest: int) -> str:
    if not {"role", "content", "model"} <= response.keys():
        raise Refusal("Your client's response is not an answer from a model. Call again.")
    content = response["content"] if isinstance(response["content"], list) else [response["content"]]
    texts = [block["text"] for block in content if block["type"] == "text"]
    if len(texts) != len(content) or not "".join(texts).strip():
        raise Refusal("Your client's model did not answer with text. Call again.")
    answer = speakable("".join(texts))
    if response.get("stopReason") == _CUT_OFF or len(answer) > longest:
        raise Refusal("The answer from your client's model is too long. Ask for less.")
    return answer
